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

// Errors of all steps add up to a few tolerances; what interpolants add stays within ten.
TEST(DenseOutput, KeepsTheToleranceOfTheRun) {
  for (const RuleEntry& entry : rules()) {
    if (entry.control == StepControl::fixed) continue;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-9, 1e-11}) {
      if (entry.order < 5 && tolerance < 1e-6) continue;  // too many steps
      EXPECT_LE(find_worst_row(entry, Kepler::problem(), Kepler::solution, 6, tolerance),
                10 * tolerance)
          << entry.name << " " << tolerance;
      EXPECT_LE(find_worst_row(entry, bump_problem(), bump, 2, tolerance), 10 * tolerance)
          << entry.name << " " << tolerance;
    }
  }
}

// Ends are computed from ends alone.
TEST(DenseOutput, LookingDoesNotChangeARun) {
  class Looker final : public Observer {
   public:
    explicit Looker(bool looking) : looks(looking) {}
    void on_step(Rule& rule) override {
      VecX y = rule.y();
      if (looks) rule.interpolate(0.3 * rule.t_from() + 0.7 * rule.t_to(), y);
    }
    bool looks;
  };
  for (const RuleEntry& entry : rules()) {
    if (entry.control == StepControl::fixed) continue;
    VecX ends[2];
    for (const int looks : {0, 1}) {
      Looker looker(looks == 1);
      Newton problem = bump_problem();
      Driver driver(problem, entry, {1e-6, 1e-6}, {});
      driver.start(0, bump(0));
      ASSERT_EQ(driver.run(2, looker).ending, Ending::reached) << entry.name;
      ends[looks] = driver.rule().y();
    }
    EXPECT_EQ(ends[0], ends[1]) << entry.name;
  }
}

}  // namespace
}  // namespace couplet::integrate
