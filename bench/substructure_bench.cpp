// Divide and conquer on chains of revolute joints: operations and critical path, time of one
// evaluation with one thread and with more, and that of the serial recursion beside it. Wall-clock
// time: threads are what is measured; the best of several turns, taken one after the other.
// (Threads need cores: `tools/bench` pins programs to one, so this one is run by itself.)
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/substructure/divided_system.hpp"
#include "couplet/dynamics/substructure/formalisms.hpp"
#include "couplet_models.hpp"
#include "program.hpp"

namespace couplet::bench {
namespace {

using math::VecX;

class Timer {
 public:
  Timer(const char* name, const model::Mechanism& mechanism)
      : formalism_(dynamics::find_formalism(name)->make(mechanism)),
        applied_(mechanism),
        kinematics_(mechanism),
        vdot_(VecX::Zero(mechanism.nv)) {}

  /// µs for one evaluation.
  double run(std::vector<Input>& inputs, double seconds) {
    long calls = 0;
    const auto start = std::chrono::steady_clock::now();
    double elapsed = 0;
    do {
      Input& input = inputs[static_cast<size_t>(calls) % inputs.size()];
      formalism_->prepare({input.state, kinematics_, applied_});
      formalism_->solve(input.tau, vdot_);
      keep(vdot_);
      ++calls;
      elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    } while (elapsed < seconds);
    return 1e6 * elapsed / static_cast<double>(calls);
  }

 private:
  std::unique_ptr<dynamics::Formalism> formalism_;
  forces::AppliedForces applied_;
  dynamics::Kinematics kinematics_;
  VecX vdot_;
};

void measure_chain(int n, int threads, const Program& program) {
  const Model chain = make_chain(n);
  const model::Mechanism mechanism = make_mechanism(chain, model::JointType::revolute);
  std::vector<Input> inputs = make_inputs(chain, mechanism, 2);
  const dynamics::DividedSystem divided(mechanism, {}), plain(mechanism, {}, 1);
  const auto condensed_count = divided.assembly().count(), count = plain.assembly().count();
  Timer dca("dca", mechanism), recursive("recursive", mechanism);
  double one = INFINITY, many = INFINITY, serial = INFINITY;
  for (int turn = 0; turn < program.measure_options().repetitions; ++turn) {
    dynamics::limit_workers(1);
    one = std::min(one, dca.run(inputs, program.measure_options().seconds));
    dynamics::limit_workers(threads);
    many = std::min(many, dca.run(inputs, program.measure_options().seconds));
    serial = std::min(serial, recursive.run(inputs, program.measure_options().seconds));
  }
  const auto print = [n](const char* metric, double value) {
    std::printf(R"({"suite": "substructure", "row": "chain%d", "metric": "%s", "value": %.4g, )"
                R"("target": null, "ok": true})"
                "\n",
                n, metric, value);
  };
  print("levels", plain.assembly().tree().depth);
  print("multiplications", count.work);
  print("multiplications, critical path", count.span);
  print("multiplications, condensed", condensed_count.work);
  print("multiplications, condensed, critical path", condensed_count.span);
  print("µs, one thread", one);
  print("µs, all threads", many);
  print("speed-up", one / many);
  print("µs, recursive", serial);
  std::fflush(stdout);
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing() || !program.wants("chains", "substructure")) return 0;
  couplet::dynamics::add_substructure_formalisms();
  const auto threads = static_cast<int>(std::thread::hardware_concurrency());
  for (int n = 16; n <= 65536; n *= 4) measure_chain(n, threads, program);
}
