// What is read between the ends of steps keeps the tolerance that the ends keep.
#include <gtest/gtest.h>

#include "conformance.hpp"
#include "sample_problems.hpp"

namespace couplet::integrate {
namespace {

/// A bump that steps pass quickly and polynomials do not follow: q = 1/(1 + 25 (t - 1)²).
VecX bump(double t) {
  const double x = t - 1, d = 1 / (1 + 25 * x * x);
  return vec({d, -50 * x * d * d});
}

Newton bump_problem() {
  return {1, [](double t, const double*, const double*, double* a) {
            const double x = t - 1, d = 1 / (1 + 25 * x * x);
            a[0] = d * d * (5000 * x * x * d - 50);
          }};
}

double find_worst_row(const RuleEntry& entry, Newton problem, VecX (*exact)(double), double t_end,
                      double tolerance) {
  class Rows final : public Observer {
   public:
    explicit Rows(VecX (*solution)(double)) : exact(solution) {}
    void on_step(Rule& rule) override {
      VecX y = rule.y();
      for (int k = 1; k < 8; ++k) {
        const double t = rule.t_from() + k / 8.0 * (rule.t_to() - rule.t_from());
        rule.interpolate(t, y);
        worst = std::max(worst, (y - exact(t)).lpNorm<Eigen::Infinity>());
      }
    }
    VecX (*exact)(double);
    double worst = 0;
  } rows(exact);
  Driver driver(problem, entry, {tolerance, tolerance}, {});
  driver.start(0, exact(0));
  EXPECT_EQ(driver.run(t_end, rows).ending, Ending::reached) << entry.name;
  return rows.worst;
}

TEST(DenseOutput, KeepsTheToleranceOfTheRun) {
  for (const RuleEntry& entry : rules()) {
    if (entry.control == StepControl::fixed) continue;
    // Errors of all steps add up to a few tolerances. The interpolant of mexx is not watched yet.
    const double most = entry.name == std::string_view("mexx") ? 50 : 10;
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
      if (entry.order < 5 && tolerance < 1e-6) continue;  // too many steps
      EXPECT_LE(find_worst_row(entry, Kepler::problem(), Kepler::solution, 6, tolerance),
                most * tolerance)
          << entry.name << " " << tolerance;
      EXPECT_LE(find_worst_row(entry, bump_problem(), bump, 2, tolerance), most * tolerance)
          << entry.name << " " << tolerance;
    }
  }
}

}  // namespace
}  // namespace couplet::integrate
