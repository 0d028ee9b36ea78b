#include "couplet/workbench/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "couplet/dynamics/minimal/constraints/analysis.hpp"
#include "couplet/dynamics/substructure/divided_system.hpp"
#include "couplet/results/plot/curves.hpp"

namespace couplet::workbench {
namespace {

using dynamics::Assembly;
using dynamics::DividedSystem;
using math::VecX;

double thread_cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds of one call on one processor: the least mean of five turns of processor time, so that
/// others on the machine count little.
template <class Call>
double time_of(const Call& call, double seconds) {
  double least = INFINITY;
  for (int turn = 0; turn < 5; ++turn) {
    const double start = thread_cpu_seconds();
    double elapsed = 0;
    int calls = 0;
    do {
      call();
      ++calls;
      elapsed = thread_cpu_seconds() - start;
    } while (elapsed < seconds / 5);
    least = std::min(least, elapsed / calls);
  }
  return least;
}

void check(const ScalingOptions& options) {
  if (!(options.latency >= 0))
    throw base::UserError({}, fmt::format("a latency of {} s makes no sense", options.latency),
                          "give `latency` ≥ 0 s");
  if (!(options.bandwidth > 0))
    throw base::UserError(
        {}, fmt::format("a bandwidth of {} bytes/s makes no sense", options.bandwidth),
        "give `bandwidth` > 0 bytes/s");
}

}  // namespace

ScalingReport predict_scaling(const LoadedModel& loaded, const ScalingOptions& options) {
  check(options);
  const model::Mechanism& mechanism = *loaded.mechanism;
  dynamics::System system(loaded.mechanism);
  model::State state = mechanism.default_state();
  system.make_consistent(state);
  if (mechanism.constrained()) dynamics::assemble(system, state);
  ScalingReport report;
  report.model = loaded.name();
  report.freedoms = dynamics::count_freedoms(system);

  VecX tau = VecX::Zero(mechanism.nv), vdot = tau;
  const double serial =
      time_of([&] { system.calc_frictionless_vdot(state, tau, vdot); }, options.seconds);
  const dynamics::Stage stage = system.stages().at(state);
  dynamics::Kinematics kinematics(mechanism);
  const VecX zero = VecX::Zero(mechanism.nv);
  report.undivided = time_of(
      [&] {
        system.stages().at(state);
        if (system.constraints()) {
          system.constraints()->factorise(state, stage.kinematics);
        } else {
          calc_kinematics(mechanism, state, kinematics);
          calc_accelerations(mechanism, state, zero, kinematics);
        }
      },
      options.seconds);
  const dynamics::Kinematics& motions = system.constraints() ? stage.kinematics : kinematics;

  report.formalisms = {system.formalism_name(), "dca, condensed", "dca"};
  dynamics::limit_workers(1);
  std::vector<DividedSystem> divided;
  std::vector<dynamics::TaskCosts> costs;
  for (const int in_leaf : {Assembly::usual_leaf, 1}) {
    divided.emplace_back(mechanism, dynamics::all_rows(system.constraints()), in_leaf);
    DividedSystem& one = divided.back();
    const double seconds = time_of(
        [&] {
          one.factorise(motions, stage.applied);
          system.forces().set_prescribed(state.t, vdot);
          if (!one.solve(tau, vdot, {.bias = stage.rows.bias}))
            throw base::ComputationError("the initial position is singular");
        },
        options.seconds);
    costs.push_back({.multiplication = seconds / one.assembly().count().work,
                     .latency = options.latency,
                     .number = sizeof(double) / options.bandwidth});
  }
  dynamics::limit_workers(0);
  report.parts = divided[1].assembly().parts();
  report.levels = divided[1].assembly().tree().depth;
  for (const int p : {1, 2, 4, 8, 16, 32, 64, 100, 200, 500, 1000, 2000, 5000, 10000}) {
    if (p > options.processors) break;
    ScalingLine line{p, {serial}};
    for (size_t k = 0; k < divided.size(); ++k)
      line.seconds.push_back(report.undivided + divided[k].assembly().predict(p, costs[k]));
    report.lines.push_back(std::move(line));
  }
  return report;
}

size_t ScalingReport::best(const ScalingLine& line) const {
  return static_cast<size_t>(std::min_element(line.seconds.begin(), line.seconds.end()) -
                             line.seconds.begin());
}

std::vector<std::string> ScalingReport::verdicts() const {
  std::vector<std::string> out;
  for (size_t k = 0; k < lines.size(); ++k) {
    if (k > 0 && best(lines[k]) == best(lines[k - 1])) continue;
    out.push_back(fmt::format("{} is the fastest {}", formalisms[best(lines[k])],
                              k == 0 ? std::string("on one processor")
                                     : fmt::format("from {} processors on", lines[k].processors)));
  }
  if (out.size() == 1) out.front() = formalisms[best(lines.front())] + " is the fastest throughout";
  return out;
}

std::string ScalingReport::picture() const {
  results::LogPicture picture;
  picture.title = fmt::format("Time of an evaluation: {}", model);
  picture.subtitle =
      fmt::format("{} parts joined in {} levels; predicted from one processor", parts, levels);
  results::LogPanel panel{"", "processors", "seconds", {}};
  for (size_t f = 0; f < formalisms.size(); ++f) {
    results::MarkedCurve curve{formalisms[f], "", {}};
    for (const ScalingLine& line : lines)
      curve.points.push_back({static_cast<double>(line.processors), line.seconds[f]});
    panel.curves.push_back(std::move(curve));
  }
  picture.panels.push_back(std::move(panel));
  return draw_curves(picture);
}

}  // namespace couplet::workbench
