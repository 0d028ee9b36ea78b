// How the cost of each formalism grows with the number of joints: fitted exponents of time ~ n^k.
#include <cmath>
#include <cstdio>

#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet_models.hpp"
#include "program.hpp"

namespace couplet::bench {
namespace {

using math::VecX;

/// Time of one evaluation of a chain of n joints by the named formalism, ns.
double evaluation_ns(const char* name, const Model& chain, const Program& program) {
  const model::Mechanism mechanism = make_mechanism(chain, model::JointType::revolute);
  const auto formalism = dynamics::find_formalism(name)->make(mechanism);
  const int pool = std::max(4, 2000 / chain.joint_count());
  std::vector<Input> inputs = make_inputs(chain, mechanism, pool);
  const forces::AppliedForces none(mechanism);
  const dynamics::Kinematics kinematics(mechanism);
  VecX vdot(mechanism.nv);
  const auto call = [&](int k) {
    formalism->prepare({inputs[k].state, kinematics, none});
    formalism->solve(inputs[k].tau, vdot);
    keep(vdot);
  };
  const Measurement measured = measure(call, pool, program.measure_options());
  program.print_timing(chain, Operation::forward, name, measured);
  return measured.lowest_ns;
}

/// Slope of log time over log n by least squares.
double fitted_exponent(const std::vector<double>& n, const std::vector<double>& ns) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < n.size(); ++i) {
    const double lx = std::log(n[i]), ly = std::log(ns[i]);
    x += lx, y += ly, xx += lx * lx, xy += lx * ly;
  }
  const double count = static_cast<double>(n.size());
  return (count * xy - x * y) / (count * xx - x * x);
}

void fit(const char* name, const std::vector<int>& lengths, double low, double high,
         const Program& program) {
  std::vector<double> n, ns;
  for (const int length : lengths) {
    n.push_back(length);
    ns.push_back(evaluation_ns(name, make_chain(length), program));
  }
  const double exponent = fitted_exponent(n, ns);
  std::printf(
      R"({"suite": "dynamics", "row": "%s %d..%d", "metric": "FD exponent", "value": %.3f, )"
      R"("target": %g, "ok": %s})"
      "\n",
      name, lengths.front(), lengths.back(), exponent, high,
      low <= exponent && exponent <= high ? "true" : "false");
  std::fflush(stdout);
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing() || !program.wants("exponents")) return 0;
  fit("recursive", {10, 30, 100, 300, 1000, 3000, 10000}, 0.9, 1.1, program);
  fit("kane", {100, 200, 400}, 2.5, 3.3, program);  // lower powers of n still show below 100
}
