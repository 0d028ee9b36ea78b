// The conditions of a mechanism's expressions, as MechanismProblem starts and changes them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"

namespace couplet::mechanics {

void MechanismProblem::bind_own_values() {
  const std::vector<forces::Signal>& signals = system_.forces().signals();
  const size_t count = condition_inputs_.added().size();
  if (count == 0) return;
  const std::vector<std::string> names = condition_inputs_.names();
  for (size_t i = names.size() - count; i < names.size(); ++i) {
    const auto found = std::ranges::find_if(signals, [&](const forces::Signal& signal) {
      return symbolic::Expr::symbol(signal.name).name() == names[i];
    });
    own_signals_.push_back(static_cast<size_t>(found - signals.begin()));
  }
  signals_.resize(signals.size());
}

void MechanismProblem::set_condition_inputs(const State& state) {
  condition_inputs_.set(state);
  if (own_signals_.empty()) return;
  system_.forces().calc_signals(state, system_.calc_motions(state).bodies, signals_);
  for (size_t i = 0; i < own_signals_.size(); ++i)
    condition_inputs_.added()[i] = signals_[own_signals_[i]];
}

// Forces, motions, constraints and rates with the conditions as they are.
void MechanismProblem::pass_switches() {
  const std::span<const double> now = switches_.values(condition_inputs_.values());
  std::vector<model::ParametricMechanism::Change> changes;
  for (size_t i = 0; i < now.size(); ++i)
    changes.push_back({parameters().size() - now.size() + i, now[i]});
  set_parameters(changes);
}

void MechanismProblem::start_switches(const State& state) {
  if (hidden_parameters() == 0) return;
  set_condition_inputs(state);
  switches_.start(condition_inputs_.values());
  pass_switches();
  inputs_.set(state);
  const std::vector<bool> held = rules_.hold(inputs_);
  std::vector<double> roots(held.size());
  rules_.calc_roots(inputs_, roots.data());
  due_at_start_.clear();
  for (size_t i = 0; i < held.size(); ++i)
    if (roots[i] < 0 && !held[i]) due_at_start_.push_back(i);
}

// Prescribed motions and constraints that jump would take an impulse, or be torn apart.
void MechanismProblem::check_continuous(const State& before, std::span<const std::string> changed) {
  constexpr double much = 1e-9, open = 1e-8;  // m, rad, m/s or rad/s; what projection may leave
  const auto refuse = [&](const std::string& who, double jump, const char* what) {
    throw base::ComputationError(
        fmt::format("t = {:.9g}: {} jumps by {:.6g} in its {}; prescribed positions and speeds "
                    "have to be continuous",
                    before.t, who, jump, what));
  };
  State after = before;
  system_.set_ties(after);
  for (const model::Link& link : mechanism().links) {
    if (!link.prescribed) continue;
    const double dq = after.q[link.iq] - before.q[link.iq],
                 dv = after.v[link.iv] - before.v[link.iv];
    const std::string who =
        "the motion of " + base::quoted(mechanism().dof_names[static_cast<size_t>(link.iv)]);
    if (std::abs(dq) > much) refuse(who, dq, "position");
    if (std::abs(dv) > much * (1 + std::abs(before.v[link.iv]))) refuse(who, dv, "speed");
  }
  if (!system_.constraints()) return;
  const dynamics::Residuals gap = system_.closure().calc_residuals(after);
  const std::string who = fmt::format("{}", fmt::join(changed, ", "));
  if (!(gap.position <= open)) refuse(who, gap.position, "position");
  if (!(gap.velocity <= open * (1 + before.v.lpNorm<Eigen::Infinity>())))
    refuse(who, gap.velocity, "speed");
}

// Whether rates jump when conditions change: a kink is passed, or come to rest at, as often as
// round-off wants it.
void MechanismProblem::note_kinks(double t, const VecX& y, std::span<const size_t> fired) {
  constexpr double little = 1e-7;
  const std::span<double> now = switches_.values(condition_inputs_.values());
  const std::vector<double> old(now.begin(), now.end());
  VecX before = VecX::Zero(layout_.size()), after = before;
  calc_rates(t, y, before);
  switches_.flip(condition_inputs_.values(), fired);
  pass_switches();
  calc_rates(t, y, after);
  std::ranges::copy(old, now.begin());
  pass_switches();
  const double jump = (after - before).lpNorm<Eigen::Infinity>();
  const bool same = jump <= little * std::max(1.0, before.lpNorm<Eigen::Infinity>());
  for (const size_t root : fired) kinks_[root] = same || switches_.is_kink(root);
}

void MechanismProblem::change_switches(double t, VecX& y, std::span<const size_t> fired) {
  const State before = state(t, y);
  set_condition_inputs(before);
  if (!fired.empty()) note_kinks(t, y, fired);
  const std::span<double> now = switches_.values(condition_inputs_.values());
  const std::vector<double> old(now.begin(), now.end());
  switches_.change(condition_inputs_.values(), fired);
  std::vector<std::string> changed;
  for (size_t i = 0; i < old.size(); ++i)
    if (old[i] != now[i]) changed.push_back(frozen_.names[i]);
  if (changed.empty()) return;
  changed_ = true;
  pass_switches();
  check_continuous(before, changed);
}

}  // namespace couplet::mechanics
