// What MechanismProblem says of itself, of its start and of runs that fail.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/constraints/analysis.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"

namespace couplet::mechanics {

integrate::Description MechanismProblem::describe() const {
  const int freedoms = rank_at_start_ > 0 ? dynamics::count_freedoms(mechanism(), rank_at_start_)
                                          : dynamics::count_freedoms(system_);
  const std::string choice = system_.formalism().choice();
  return {mechanism().model->name, freedoms,
          choice.empty() ? system_.formalism_name()
                         : fmt::format("{} ({})", system_.formalism_name(), choice),
          system_.formalism().note(), mechanism().constrained()};
}

VecX MechanismProblem::guess() const {
  const State state = mechanism().default_state();
  VecX y(layout_.size());
  y << state.q, state.v, state.x;
  return y;
}

integrate::Start MechanismProblem::make_start(double t, const VecX& guess) {
  constexpr double much = 1e-9;  // m, rad, m/s or rad/s
  State state = mechanism().default_state();
  state.t = t;
  state.q = guess.head(layout_.nq);
  state.v = guess.segment(layout_.nq, layout_.nv);
  state.x = guess.tail(layout_.nx);
  State tied = state;
  system_.set_ties(tied);  // prescribed and mimic joints are not the user's to give
  VecX given(guess.size());
  given << tied.q, tied.v, tied.x;
  integrate::Start start;
  start.y = make_y(std::move(state));
  if (system_.constraints()) rank_at_start_ = system_.constraints()->size();
  start.gap = assembly_.before.position;
  const auto change = [&](Eigen::Index i) {
    const integrate::Component c = layout_.component(i);
    return integrate::Start::Change{c.name, c.unit, given[i], start.y[i]};
  };
  for (Eigen::Index i = 0; i < layout_.nq && assembly_.moved.size() > 0 && start.gap > much; ++i)
    if (std::abs(start.y[i] - given[i]) > much) start.positions.push_back(change(i));
  for (Eigen::Index j = 0; j < assembly_.speed_change.size(); ++j)  // the others follow
    if (given_.v[static_cast<size_t>(j)] && std::abs(assembly_.speed_change[j]) > much)
      start.speeds.push_back(change(layout_.nq + j));
  note_waiting(t, start);
  return start;
}

// A rule fires when its condition becomes true, which one that is true already does not.
void MechanismProblem::note_waiting(double t, integrate::Start& start) {
  if (rules_.size() == 0) return;
  inputs_.set(t, start.y);
  const std::vector<bool> held = rules_.hold(inputs_);
  std::vector<double> roots(held.size());
  rules_.calc_roots(inputs_, roots.data());
  for (size_t i = 0; i < held.size(); ++i)
    if (std::isnan(roots[i]))
      start.notes.push_back({"waits", rules_.rule(i).name,
                             "its condition is no number at the start, and cannot become true "
                             "before it is one"});
    else if (held[i])
      start.notes.push_back({"waits", rules_.rule(i).name,
                             "its condition holds at the start already; a rule fires when its "
                             "condition becomes true"});
}

integrate::Residuals MechanismProblem::residuals() const {
  return {residuals_.position, residuals_.velocity};
}

std::vector<integrate::EventNote> MechanismProblem::notes() const {
  std::vector<integrate::EventNote> notes;
  for (const std::string& stop : came_to_rest_) notes.push_back({"at rest", stop});
  return notes;
}

// Events keep joints within their ranges to rounding, a step that misses one not by more than its
// error.
std::string MechanismProblem::find_violation(double t, const VecX& y, double tolerance) const {
  constexpr double much = 1e-4;  // m or rad
  const double most = std::max(much, 100 * tolerance);
  for (const Stop& stop : stops_.list())
    if (const double beyond = stop.inward * (stop.bound - y[stop.iq]); beyond > most)
      return fmt::format(
          "{} was passed by {:.3g} before t = {:.9g} s: give a smaller tolerance or another "
          "integrator",
          base::quoted(stop.name), beyond, t);
  return {};
}

std::string MechanismProblem::explain_failure(double t, const VecX& y) {
  constexpr double singular = 1e-6;  // squared sine of an angle
  if (!system_.constraints()) return {};
  const State& there = state(t, y);
  system_.closure().calc_residuals(there);
  system_.constraints()->factorise(there, system_.calc_motions(there));
  if (system_.constraints()->singularity() > singular &&
      system_.constraints()->size() >= rank_at_start_)
    return {};
  std::string text = "; the constraints are singular there";
  std::vector<std::string> driven;
  for (const model::Link& link : mechanism().links)
    if (link.prescribed)
      driven.push_back(base::quoted(mechanism().dof_names[static_cast<size_t>(link.iv)]));
  if (!driven.empty())
    text +=
        fmt::format(": the prescribed motion of {} may be out of reach", fmt::join(driven, ", "));
  return text;
}

}  // namespace couplet::mechanics
