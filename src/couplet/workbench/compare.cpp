#include "couplet/workbench/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "couplet/dynamics/minimal/constraints/analysis.hpp"

namespace couplet::workbench {
namespace {

using math::VecX;

/// A closed state on the way from the initial position to a random one, as far as the loops let it
/// go.
model::State closed_near(dynamics::System& system, const model::State& wanted) {
  const model::State start = system.mechanism().default_state();
  for (double share = 0.3; share > 1e-3; share /= 2) {
    model::State state = start;
    state.q += share * (wanted.q - start.q);
    state.v = wanted.v;
    system.make_consistent(state);
    if (dynamics::assemble(system, state).closed()) return state;
  }
  model::State state = start;
  system.make_consistent(state);
  if (!dynamics::assemble(system, state).closed())
    throw base::ComputationError(
        "the mechanism cannot be assembled; `assemble` shows where it stays open");
  return state;
}

// States around the model's own: angles anywhere, slides and speeds of order one.
std::vector<model::State> random_states(dynamics::System& system, int n, int seed) {
  const model::Mechanism& mechanism = system.mechanism();
  std::mt19937_64 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> symmetric(-1, 1);
  std::vector<model::State> states;
  for (int k = 0; k < n; ++k) {
    model::State state = mechanism.default_state();
    for (double& x : state.v) x = symmetric(random);
    for (const model::TreeJoint& slot : mechanism.joints) {
      const model::JointInfo& type = info(mechanism.model->joints[slot.joint].type);
      for (int i = 0; i < type.nq; ++i) {
        const bool angle = !type.on_quaternion() && (type.angular >> i & 1u);
        state.q[slot.iq + i] += (angle ? 3.0 : 1.0) * symmetric(random);
      }
    }
    system.make_consistent(state);
    if (mechanism.constrained()) state = closed_near(system, state);
    states.push_back(state);
  }
  return states;
}

/// What the differences of accelerations are measured by. Constraints subtract from what the bodies
/// would do without them: in a truss all of it is, and what is left is rounding.
std::vector<double> find_scales(dynamics::System& system, const std::vector<model::State>& states) {
  constexpr double rest = 1e-6;  // m/s² or rad/s²: nothing accelerates
  const VecX zero = VecX::Zero(system.mechanism().nv);
  std::vector<double> scales(states.size(), system.mechanism().constrained() ? rest : 1e-300);
  for (size_t k = 0; k < states.size() && system.constraints(); ++k) {
    system.closure().choose_rows(states[k]);
    VecX free = zero;
    system.balance().calc_explicit_residual(states[k], zero, zero,
                                            VecX::Zero(system.constraints()->size()), free);
    scales[k] = std::max(rest, free.lpNorm<Eigen::Infinity>());
  }
  return scales;
}

FormalismLine measure(const char* name, const std::shared_ptr<const model::Mechanism>& mechanism,
                      const std::vector<model::State>& states, const std::vector<double>& scales,
                      std::vector<VecX>& results) {
  dynamics::System system(mechanism, name);
  const bool first = results.empty();
  FormalismLine row{name, 0, 0, {}};
  const auto start = std::chrono::steady_clock::now();
  std::vector<VecX> mine;
  for (const model::State& state : states) {
    VecX tau = VecX::Zero(mechanism->nv), vdot = VecX::Zero(mechanism->nv);
    if (mechanism->constrained())
      system.closure().choose_rows(state);  // the states have nothing to do with each other
    system.calc_vdot(state, tau, vdot);
    mine.push_back(std::move(vdot));
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  row.microseconds = time.count() / static_cast<double>(states.size());
  row.note = system.formalism().note();
  for (size_t k = 0; !first && k < states.size(); ++k) {
    const double scale = std::max(results[k].lpNorm<Eigen::Infinity>(), scales[k]);
    row.difference =
        std::max(row.difference, (mine[k] - results[k]).lpNorm<Eigen::Infinity>() / scale);
  }
  if (first) results = std::move(mine);
  return row;
}

}  // namespace

ComparisonReport compare(const LoadedModel& model, const CompareOptions& options) {
  check_is_mechanism(model);
  check_plugins(model);
  if (options.states < 1)
    throw base::UserError({}, fmt::format("{} states cannot be compared", options.states),
                          "give `states` ≥ 1");
  const model::Mechanism& mechanism = *model.mechanism;
  dynamics::System system(model.mechanism);
  const std::vector<model::State> states = random_states(system, options.states, options.seed);
  const std::vector<double> scales = find_scales(system, states);
  std::vector<VecX> results;
  ComparisonReport report;
  report.states = options.states;
  report.freedoms = dynamics::count_freedoms(model.mechanism, mechanism.default_state());
  constexpr int largest_dense = 2000;  // n³ beyond this takes minutes
  for (const dynamics::FormalismEntry& entry : dynamics::formalisms()) {
    const bool dense =
        std::string_view(entry.name) == "kane" || std::string_view(entry.name) == "composite";
    if (!entry.applies(mechanism) || (dense && mechanism.nv > largest_dense)) continue;
    report.formalisms.push_back(measure(entry.name, model.mechanism, states, scales, results));
    report.largest_difference =
        std::max(report.largest_difference, report.formalisms.back().difference);
  }
  return report;
}

}  // namespace couplet::workbench
