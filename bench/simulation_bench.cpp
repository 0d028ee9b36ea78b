// What a simulation costs beyond the evaluation of accelerations: integrator, driver, recorder
// writing HDF5 at every step, in CPU time of all threads. The same accelerations are evaluated
// alone, in turn with the runs.
#include <cstdio>
#include <filesystem>

#include "couplet/mechanics/simulation.hpp"
#include "couplet_models.hpp"
#include "program.hpp"

namespace couplet::bench {
namespace {

double process_cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void measure_overhead(const Model& bench, double step, double target, const Program& program) {
  const auto mechanism =
      std::make_shared<const model::Mechanism>(make_mechanism(bench, model::JointType::revolute));
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("couplet_bench_" + std::to_string(getpid()) + ".h5");
  const long steps = bench.joint_count() > 10 ? 20000 : 200000;
  mechanics::RunOptions options;
  options.integrator = "rk4";
  options.step = step;
  options.interval = 0;
  options.t_end = step * static_cast<double>(steps);
  for (const model::Names& names : {mechanism->coordinate_names, mechanism->speed_names})
    options.record.insert(options.record.end(), names.begin(), names.end());

  dynamics::System system(mechanism);
  std::vector<Input> inputs = make_inputs(bench, *mechanism, 1000);
  math::VecX vdot(mechanism->nv), tau(mechanism->nv);
  double best_run = 1e9, best_evaluations = 1e9;
  for (int r = 0; r < program.measure_options().repetitions; ++r) {
    simulate::Simulation simulation = mechanics::make_simulation(mechanism, options);
    simulation.record_to(results::make_writer(file, simulation.signals(), {}, true));
    const double begin = process_cpu_seconds();
    const simulate::Summary summary = simulation.run();
    best_run = std::min(best_run, process_cpu_seconds() - begin);
    if (summary.counts.steps != steps)
      std::fprintf(stderr, "%s: %ld steps\n", bench.name.c_str(), summary.counts.steps);

    const double middle = process_cpu_seconds();
    for (long k = 0; k < summary.counts.evaluations; ++k) {
      tau.setZero();
      system.calc_vdot(inputs[static_cast<size_t>(k % 1000)].state, tau, vdot);
      keep(vdot);
    }
    best_evaluations = std::min(best_evaluations, process_cpu_seconds() - middle);
  }
  std::filesystem::remove(file);
  const double overhead = 1 - best_evaluations / best_run;
  std::printf(
      R"({"suite": "simulation", "row": "%s, rk4, HDF5 every step", "metric": "overhead", "value": %.3f, )"
      R"("target": %g, "ok": %s})"
      "\n",
      bench.name.c_str(), overhead, target, overhead <= target ? "true" : "false");
  std::fprintf(stderr, "%s: %.0f ns a step, %.0f ns of it evaluation\n", bench.name.c_str(),
               1e9 * best_run / static_cast<double>(steps),
               1e9 * best_evaluations / static_cast<double>(steps));
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing()) return 0;
  for (const Model& model : make_models())
    if (model.name == "humanoid36" && program.wants(model.name, "simulation"))
      measure_overhead(model, 1e-4, 0.25, program);
  if (program.wants("chain2", "simulation")) measure_overhead(make_chain(2), 1e-3, 0.60, program);
}
