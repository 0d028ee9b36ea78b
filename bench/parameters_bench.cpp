// What a new value of a parameter costs: masses, lengths and frames of the humanoid are evaluated
// anew and its accelerations with them, in units of one evaluation.
#include <cstdio>

#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/model/parametric.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  using namespace couplet;
  const bench::Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing() || !program.wants("humanoid", "parameters")) return 0;
  base::Diagnostics warnings;
  model::ParametricMechanism humanoid(
      model::compile(formats::read_yaml(COUPLET_SOURCE_DIR "/models/humanoid.yaml", {}, warnings)));
  const model::Mechanism& mechanism = *humanoid.mechanism();
  const model::State state = mechanism.default_state();
  dynamics::RecursiveWorkspace<double> workspace(mechanism);
  math::VecX tau = math::VecX::Zero(mechanism.nv), vdot = tau;
  const auto evaluate = [&](int) {
    dynamics::calc_forward_dynamics(mechanism, state, tau, nullptr, workspace, vdot);
    bench::keep(vdot);
  };
  const auto change = [&](int k) {
    humanoid.set("thigh", 0.4 + 1e-4 * k);
    workspace.refresh(mechanism);
    evaluate(k);
  };
  const double once = bench::measure(evaluate, 16, program.measure_options()).lowest_ns;
  const double changed = bench::measure(change, 16, program.measure_options()).lowest_ns;
  constexpr double target = 20;
  std::printf(
      R"({"suite": "parameters", "row": "humanoid: new thigh and FD / FD", "metric": "ratio", )"
      R"("value": %.2f, "target": %g, "ok": %s})"
      "\n",
      changed / once, target, changed <= target * once ? "true" : "false");
}
