// The conditions of a mechanism's expressions, as MechanismProblem starts and changes them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"

namespace couplet::mechanics {

// Forces, motions and rates with the conditions as they are.
void MechanismProblem::pass_switches() {
  const std::span<const double> now = switches_.values(inputs_);
  std::vector<model::ParametricMechanism::Change> changes;
  for (size_t i = 0; i < now.size(); ++i)
    changes.push_back({parameters().size() - now.size() + i, now[i]});
  set_parameters(changes);
}

void MechanismProblem::start_switches(const State& state) {
  if (hidden_parameters() == 0) return;
  inputs_.set(state);
  switches_.start(inputs_);
  pass_switches();
}

// A prescribed motion that jumps would take an impulse, or be torn apart.
void MechanismProblem::change_switches(double t, VecX& y, std::span<const size_t> fired) {
  constexpr double much = 1e-9;  // m, rad, m/s or rad/s
  const State before = state(t, y);
  inputs_.set(t, y);
  const std::span<double> now = switches_.values(inputs_);
  const std::vector<double> old(now.begin(), now.end());
  switches_.change(inputs_, fired);
  if (std::equal(old.begin(), old.end(), now.begin())) return;
  changed_ = true;
  pass_switches();
  State after = before;
  system_.set_ties(after);
  for (const model::Link& link : mechanism().links) {
    if (!link.prescribed) continue;
    const double dq = after.q[link.iq] - before.q[link.iq],
                 dv = after.v[link.iv] - before.v[link.iv];
    if (std::abs(dq) <= much && std::abs(dv) <= much * (1 + std::abs(before.v[link.iv]))) continue;
    throw base::ComputationError(
        fmt::format("t = {:.9g}: the motion of {} jumps by {:.6g} in its {}; prescribed positions "
                    "and speeds have "
                    "to be continuous",
                    t, base::quoted(mechanism().dof_names[static_cast<size_t>(link.iv)]),
                    std::abs(dq) > much ? dq : dv, std::abs(dq) > much ? "position" : "speed"));
  }
}

}  // namespace couplet::mechanics
