// The root functions of a mechanism: where they become negative, something happens.
#include <algorithm>

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

bool MechanismProblem::is_bounce(int root) const {
  const size_t n = stops_.list().size() + stick_slip_.size(), i = static_cast<size_t>(root);
  if (i < n || i >= n + rules_.size()) return false;
  for (const auto& [name, value] : rules_.rule(i - n).resets)
    for (const std::string& speed : mechanism().speed_names)
      if (symbolic::Expr::symbol(speed).name() == name) return true;
  return false;
}

// ---- What happens between the points of a step that are looked at.

void MechanismProblem::bind_sights() {
  const std::vector<std::string> names = condition_inputs_.names();
  const symbolic::Moving moving{static_cast<size_t>(1 + layout_.size()), own_signals_.size()};
  std::vector<symbolic::Expr> roots = frozen_.rules;
  for (symbolic::Expr& root : switches_.root_functions()) roots.push_back(std::move(root));
  crooked_ = symbolic::SignChanges(roots, names, moving);
  std::vector<symbolic::Shape> shapes;
  for (const NamedShape& each : shapes_) shapes.push_back(each.shape);
  path_sight_ = symbolic::PathSight(shapes, names, moving);
}

symbolic::StepPoints MechanismProblem::points_of(double t, double h,
                                                 const std::array<VecX, 5>& path) {
  symbolic::StepPoints points{t, h, {}};
  for (size_t p = 0; p < path.size(); ++p) {
    points.first[p] = path[p].data();
    if (own_signals_.empty()) continue;
    set_condition_inputs(state(t + h * static_cast<double>(p) / 4, path[p]));
    own_on_path_[p].assign(condition_inputs_.added().begin(), condition_inputs_.added().end());
    points.last[p] = own_on_path_[p].data();
  }
  return points;
}

bool MechanismProblem::is_crooked(int root) const {
  const size_t n = stops_.list().size() + stick_slip_.size(), i = static_cast<size_t>(root);
  return i >= n && crooked_.watches(i - n);
}

std::optional<std::array<double, 2>> MechanismProblem::find_change(
    int root, const integrate::StepCurve& curve, double from, double to, bool negative) {
  const symbolic::StepPoints points = points_of(curve.t, curve.h, curve.y);
  const size_t n = stops_.list().size() + stick_slip_.size();
  const auto found = crooked_.find(static_cast<size_t>(root) - n, condition_inputs_.values(),
                                   points, from, to, negative);
  if (!found) return std::nullopt;
  return std::array{found->from, found->to};
}

// Positions go along Hermite's cubic through the ends of the step, speeds along its derivative.
double MechanismProblem::seen(double t, const VecX& from, double end, const VecX& to,
                              std::string& who) {
  const double h = end - t;
  for (size_t p = 0; p < 5; ++p) {
    const double s = static_cast<double>(p) / 4, r = 1 - s;
    VecX& y = path_[p];
    y = r * from + s * to;
    for (const Plain& part : plain_)
      for (int i = 0; i < part.n && h > 0; ++i) {
        const int iq = part.iq + i, iv = layout_.nq + part.iv + i;
        const double q0 = from[iq], q1 = to[iq], v0 = from[iv], v1 = to[iv];
        y[iq] = (1 + 2 * s) * r * r * q0 + s * s * (3 - 2 * s) * q1 + h * s * r * (r * v0 - s * v1);
        y[iv] = 6 * s * r / h * (q1 - q0) + r * (1 - 3 * s) * v0 + s * (3 * s - 2) * v1;
      }
  }
  const symbolic::StepPoints points = points_of(t, h, path_);
  const symbolic::PathSight::Sight sight = path_sight_.look(condition_inputs_.values(), points);
  if (sight.until >= 1) return end;
  who = shapes_[sight.shape].owner;
  return t + h * sight.until;
}

}  // namespace couplet::mechanics
