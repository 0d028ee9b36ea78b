// The fast multipole method over the sum over pairs, both vectorised, on one core: potential and
// gradient of particles that fill a cube. The sum is measured on fewer particles and scaled by
// their square; errors are taken against it at a sample.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "couplet/particles/fast_multipole.hpp"
#include "program.hpp"

namespace {

using namespace couplet;

particles::Positions make_cube(int n) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  particles::Positions x(3, n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) x(k, i) = uniform(generator);
  return x;
}

void print(const char* row, const char* metric, double value, double target, bool ok) {
  std::printf(R"({"suite": "particles", "row": "%s", "metric": "%s", "value": %.3g, "target": %g, )"
              R"("ok": %s})"
              "\n",
              row, metric, value, target, ok ? "true" : "false");
}

double time_of(particles::FastMultipole& fmm, int n, const bench::MeasureOptions& options) {
  const particles::Positions x = make_cube(n);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(n);
  particles::Field field;
  return bench::measure([&](int) { fmm.calc(x, q, field); }, 1, options).lowest_ns;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing() || !program.wants("cube", "particles")) return 0;
  constexpr int few = 20000, many = 100000;
  const particles::Positions x = make_cube(few);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(few);
  particles::Field exact, field;
  const double pairs = bench::measure([&](int) { particles::calc_direct(x, q, 0, exact); }, 1,
                                      program.measure_options())
                           .lowest_ns;
  const double direct = pairs * std::pow(static_cast<double>(many) / few, 2);
  print("direct sum", "pairs per second", static_cast<double>(few) * few / (1e-9 * pairs), 0, true);
  for (const auto& [tolerance, target] : {std::pair{1e-3, 30.0}, {1e-6, 17.0}, {1e-9, 9.0}}) {
    particles::FastMultipole fmm({.tolerance = tolerance});
    char row[100];
    fmm.calc(x, q, field);
    const double error =
        std::max((field.potential - exact.potential).norm() / exact.potential.norm(),
                 (field.gradient - exact.gradient).norm() / exact.gradient.norm());
    std::snprintf(row, sizeof row, "error at tolerance %g", tolerance);
    print(row, "relative, L2", error, tolerance, error <= tolerance);
    const double ratio = direct / time_of(fmm, many, program.measure_options());
    std::snprintf(row, sizeof row, "1e5 in a cube, tolerance %g: direct / fmm", tolerance);
    print(row, "ratio", ratio, target, ratio >= target);
  }
  particles::FastMultipole fmm({.tolerance = 1e-6});
  const double small = time_of(fmm, many, program.measure_options()),
               large = time_of(fmm, 10 * many, program.measure_options());
  print("1e6 over 1e5, tolerance 1e-6", "ratio", large / small, 15, large <= 15 * small);
}
