// What happens to a mechanism at an event: stops that are hit, rules, what sticks and what holds
// afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "couplet/base/text.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "couplet/mechanics/targets.hpp"

namespace couplet::mechanics {
namespace {

// m or rad: closing loops and going back to the time of an event put a joint no further than this
// beyond a stop.
constexpr double touching = 1e-6;

}  // namespace

// Of two rules that change the same, the later one in the model counts.
integrate::Verdict MechanismProblem::apply(std::span<const size_t> rules,
                                           std::span<const EventRules::Changes> all, VecX& y) {
  integrate::Verdict verdict = integrate::Verdict::go_on;
  std::vector<model::ParametricMechanism::Change> switches;
  for (size_t i = 0; i < rules.size(); ++i) {
    for (const auto& [index, value] : all[i].speeds) {
      y[layout_.nq + index] = value;
      std::erase_if(resets_, [iv = index](const Reset& reset) { return reset.speed.iv == iv; });
      resets_.push_back({rules[i], {-1, index, value}});
      stops_.release_leaving(index, value);
    }
    for (const auto& [index, value] : all[i].states) y[layout_.nq + layout_.nv + index] = value;
    for (const auto& [index, value] : all[i].parameters) switches.push_back({index, value});
    if (rules_.rule(rules[i]).stop) verdict = integrate::Verdict::stop;
  }
  changed_ = changed_ || !rules.empty();
  set_parameters(switches);
  return verdict;
}

// In loops the other speeds follow those that rules have set.
void MechanismProblem::close_resets(double t, VecX& y) {
  constexpr double much = 1e-9;  // relative
  project(t, y);
  std::vector<Target> targets = find_still();
  for (const Reset& reset : resets_) {
    std::erase_if(targets, [&](const Target& target) { return target.iv == reset.speed.iv; });
    targets.push_back(reset.speed);
  }
  give_speeds(system_, targets, state_);
  for (const Reset& reset : resets_) {
    const auto& [iq, iv, value] = reset.speed;
    if (std::abs(state_.v[iv] - value) > much * (1 + std::abs(value)))
      throw base::ComputationError(
          fmt::format("t = {:.9g}: rule {} sets {} to {:.9g}, which constraints and other speeds "
                      "that are set do not let it have",
                      t, base::quoted(rules_.rule(reset.rule).name),
                      mechanism().speed_names[static_cast<size_t>(iv)], value));
  }
  set_y(y);
}

// Friction has no part in impacts: they are over before it has done anything. A bounce that turns
// out to be none, with the accelerations that follow, is taken back.
void MechanismProblem::hit(std::span<const size_t> fired, double t, VecX& y) {
  const auto accelerations = [&](const VecX& joint_forces, VecX& out) {
    tau_ = joint_forces;
    system_.calc_frictionless_vdot(state_, tau_, out);
  };
  state(t, y);
  const State before = state_;
  stops_.begin_event(fired);
  const Stops begun = stops_;
  while (true) {
    stops_.collide(t, state_.q, state_.v, accelerations);
    settle({});
    if (!stops_.find_still(t, before.v, state_.v, vdot_)) break;
    stops_.begin_again(begun);
    state_ = before;
  }
  set_y(y);
}

MechanismProblem::Fired MechanismProblem::sort(std::span<const int> roots) const {
  const size_t n = stops_.list().size(), m = n + stick_slip_.size(), r = m + rules_.size();
  Fired fired;
  for (const int root : roots) {
    const size_t i = static_cast<size_t>(root);
    if (i < n)
      fired.stops.push_back(i);
    else if (i < m)
      fired.rubbing.push_back(i - n);
    else if (i < r)
      fired.rules.push_back(i - m);
    else
      fired.conditions.push_back(i - r);
  }
  return fired;
}

bool MechanismProblem::is_due(double t) const {
  return !rules_.due(t).empty() || !due_at_start_.empty();
}

// Rules whose conditions hold at (t, y) and did not before; `roots`: theirs before, and now.
std::vector<size_t> MechanismProblem::find_new(double t, const VecX& y,
                                               std::vector<double>& roots) {
  const std::vector<double> before = roots;
  inputs_.set(t, y);
  rules_.calc_roots(inputs_, roots.data());
  std::vector<size_t> found;
  for (size_t i = 0; i < roots.size(); ++i)
    if (before[i] >= 0 && roots[i] < 0) found.push_back(i);
  return found;
}

// Those that fired, those whose time it is, and those whose condition comes to hold with what the
// event does: with conditions of the time, impacts and other rules.
integrate::Verdict MechanismProblem::handle_rules(double t, VecX& y, Fired& fired) {
  constexpr int most = 100;
  using integrate::Verdict;
  std::vector<double> roots(rules_.size());
  inputs_.set(t, y);
  rules_.calc_roots(inputs_, roots.data());
  for (const size_t rule : fired.rules) roots[rule] = -1;
  std::vector<size_t> rules = fired.rules;
  if (fired.empty()) {
    rules = std::exchange(due_at_start_, {});
    for (const size_t rule : rules_.due(t)) rules.push_back(rule);
  }
  if (hidden_parameters() > 0) change_switches(t, y, fired.conditions);
  for (const size_t rule : find_new(t, y, roots)) rules.push_back(rule);
  if (!rules.empty())  // something may jump
    for (const size_t condition : fired.conditions) kinks_[condition] = false;
  Verdict verdict = Verdict::go_on;
  for (int i = 0; i == 0 || !rules.empty(); ++i) {
    if (i == most)
      throw base::ComputationError(
          fmt::format("t = {:.9g}: rules set each other off without end, among them {}", t,
                      base::quoted(rules_.rule(rules.front()).name)));
    std::ranges::sort(rules);
    rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
    std::vector<EventRules::Changes> changes;  // of before the event
    for (const size_t rule : rules) changes.push_back(rules_.calc_changes(rule, inputs_));
    if (i == 0 && !fired.stops.empty()) hit(fired.stops, t, y);  // at once, whatever the order
    verdict = std::max(verdict, apply(rules, changes, y));
    if (system_.constraints() && !resets_.empty()) close_resets(t, y);
    if (hidden_parameters() > 0) change_switches(t, y, {});
    if (verdict == Verdict::stop) break;
    rules = find_new(t, y, roots);
  }
  return verdict;
}

integrate::Verdict MechanismProblem::handle_event(double t, VecX& y, std::span<const int> roots) {
  came_to_rest_.clear();
  changed_ = false;
  resets_.clear();
  const size_t n = stops_.list().size();
  const std::vector<bool> held = stops_.which_hold();
  Fired fired = sort(roots);
  stops_.begin_event({});
  const integrate::Verdict verdict = handle_rules(t, y, fired);
  if (stick_slip_.active() || changed_) {
    state(t, y);
    settle(fired.rubbing);
    set_y(y);
  }
  stopped_ = stopped_ || !fired.stops.empty() || stops_.any_holds();
  for (size_t i = 0; i < n; ++i)
    if (stops_.list()[i].holds && !held[i]) came_to_rest_.push_back(stops_.list()[i].name);
  if (system_.constraints() && n > 0) {  // a root function that begins below zero would never fire
    project(t, y);
    const std::vector<Target> at = find_stops(stops_, [&](const Stop& stop) {
      const double distance = stop.inward * (state_.q[stop.iq] - stop.bound);
      return stop.holds || stop.hit || (distance < 0 && distance > -touching);
    });
    put_on(system_, at, state_, residuals_);
    set_y(y);
  }
  return verdict;
}

// What sticks, and which of the stops that are touched hold: those that push. One change at a time,
// the first one in order, ends at the only solution where stops do not depend on each other (K. G.
// Murty, Opsearch 11, 1974).
void MechanismProblem::settle(std::span<const size_t> fired) {
  if (stick_slip_.active()) stick_slip_.decide(state_, stops_, fired);
  constexpr int most_changes = 100;
  for (int i = 0; !stops_.list().empty(); ++i) {
    calc_vdot_here(vdot_, tau_);
    const std::optional<size_t> changed = stops_.change_first(state_.q, state_.v, vdot_);
    if (!changed) break;
    if (i == most_changes)
      throw base::ComputationError(
          fmt::format("t = {:.9g}: it cannot be decided which stops hold; {} comes and goes",
                      state_.t, base::quoted(stops_.list()[*changed].name)));
    if (stick_slip_.active()) stick_slip_.decide(state_, stops_, {});
  }
  if (!stops_.any_holds()) return;
  give_speeds(system_, find_still(), state_);  // the nearest that what holds allows: energy falls
  stops_.project(state_.q, state_.v);
}

}  // namespace couplet::mechanics
