// The root functions of a mechanism: where they become negative, something happens.
#include "couplet/mechanics/mechanism_problem.hpp"

namespace couplet::mechanics {

// Stops, then friction, then rules, then conditions.
int MechanismProblem::root_count() const {
  return static_cast<int>(stops_.list().size() + stick_slip_.size() + rules_.size() +
                          switches_.size());
}

void MechanismProblem::calc_roots(double t, const VecX& y, VecX& roots) {
  if (stops_.any_holds() || stick_slip_.any_sticks())
    calc_vdot(t, y, vdot_, tau_);  // the holding forces are wanted
  const size_t n = stops_.list().size(), m = stick_slip_.size();
  for (size_t i = 0; i < n; ++i)
    roots[static_cast<Eigen::Index>(i)] = stops_.root(i, y, layout_.nq);
  if (m > 0) state(t, y);
  for (size_t i = 0; i < m; ++i)
    roots[static_cast<Eigen::Index>(n + i)] = stick_slip_.root(i, state_.v);
  inputs_.set(t, y);
  rules_.calc_roots(inputs_, roots.data() + n + m);
  if (switches_.size() == 0) return;
  if (own_signals_.empty())
    condition_inputs_.set(t, y);
  else
    set_condition_inputs(state(t, y));
  switches_.calc_roots(condition_inputs_.values(), roots.data() + n + m + rules_.size());
}

std::string MechanismProblem::root_name(int root) const {
  const size_t n = stops_.list().size(), m = stick_slip_.size(), i = static_cast<size_t>(root);
  const size_t rules = n + m + rules_.size();
  return i < n       ? stops_.list()[i].name
         : i < n + m ? stick_slip_.name(i - n)
         : i < rules ? rules_.rule(i - n - m).name
                     : switches_.name(i - rules);
}

bool MechanismProblem::is_kink(int root) const {
  const size_t others = stops_.list().size() + stick_slip_.size() + rules_.size(),
               i = static_cast<size_t>(root);
  return i >= others && kinks_[i - others];
}

}  // namespace couplet::mechanics
