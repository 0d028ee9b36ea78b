// Conformance: every rule that is listed must do what its entry says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "conformance.hpp"
#include "couplet/base/diagnostics.hpp"
#include "sample_problems.hpp"

namespace couplet::integrate {
namespace {

VecX run_fixed(const RuleEntry& entry, Problem& problem, const VecX& y0, double t_end, double h) {
  Driver driver(problem, entry, {}, {.step = h});
  driver.start(0, y0);
  Silent silent;
  EXPECT_EQ(driver.run(t_end, silent).ending, Ending::reached) << entry.name;
  EXPECT_EQ(driver.rule().t(), t_end);
  return driver.rule().y();
}

class RuleTest : public testing::TestWithParam<RuleEntry> {};

std::string name_of(const testing::TestParamInfo<RuleEntry>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, RuleTest, testing::ValuesIn(rules().begin(), rules().end()), name_of);

// The slope of log error over log h on a problem whose forces depend on positions and velocities.
TEST_P(RuleTest, ConvergesWithItsOrder) {
  const RuleEntry& entry = GetParam();
  if (entry.control == StepControl::own) GTEST_SKIP() << "chooses its own steps";
  Newton problem = DampedOscillator::problem();
  // Steps at which the leading error term dominates: small for low orders, but above round-off.
  const double t_end = 7, h = entry.order >= 8   ? 0.2
                              : entry.order >= 4 ? 0.02
                              : entry.order >= 2 ? 0.004
                                                 : 2e-4;
  double error[2];
  for (int i = 0; i < 2; ++i)
    error[i] = (run_fixed(entry, problem, vec({1, 0}), t_end, h / (1 << i)) -
                DampedOscillator::solution(t_end))
                   .lpNorm<Eigen::Infinity>();
  const double slope = std::log2(error[0] / error[1]);
  RecordProperty("slope", std::to_string(slope));
  EXPECT_NEAR(slope, entry.order, 0.1) << error[0] << " " << error[1];
}

TEST_P(RuleTest, ErrorIsWithinTenTolerances) {
  const RuleEntry& entry = GetParam();
  if (entry.control == StepControl::fixed) GTEST_SKIP() << "has no error estimate";
  Newton problem = Kepler::problem();
  for (int digits = 3; std::pow(10.0, -digits) >= tightest_tolerance(entry); ++digits) {
    const double tolerance = std::pow(10.0, -digits), t_end = 6;
    Driver driver(problem, entry, {tolerance, tolerance}, {});
    driver.start(0, Kepler::solution(0));
    Silent silent;
    const Outcome outcome = driver.run(t_end, silent);
    ASSERT_EQ(outcome.ending, Ending::reached) << outcome.message;
    const double error = (driver.rule().y() - Kepler::solution(t_end)).lpNorm<Eigen::Infinity>();
    EXPECT_LE(error, 10 * tolerance)
        << entry.name << " used " << driver.rule().counts().evaluations;
  }
}

// What is read between the ends of steps is as good as the ends.
TEST_P(RuleTest, InterpolatesAsWellAsItSteps) {
  const RuleEntry& entry = GetParam();
  class Inner final : public Observer {
   public:
    void on_step(Rule& rule) override {
      VecX y = rule.y();
      for (double s : {0.1, 0.3, 0.5, 0.8}) {
        const double t = rule.t_from() + s * (rule.t_to() - rule.t_from());
        rule.interpolate(t, y);
        inner = std::max(inner, (y - Kepler::solution(t)).lpNorm<Eigen::Infinity>());
      }
      ends = std::max(ends, (rule.y() - Kepler::solution(rule.t())).lpNorm<Eigen::Infinity>());
    }
    double inner = 0, ends = 0;
  } observer;
  Newton problem = Kepler::problem();
  DriverOptions options;
  if (entry.control == StepControl::fixed) options.step = 0.01;
  Driver driver(problem, entry, {1e-8, 1e-8}, options);
  driver.start(0, Kepler::solution(0));
  ASSERT_EQ(driver.run(3, observer).ending, Ending::reached);
  // The ends may be good by luck: no more is asked than what a step under error control may miss.
  const double step_error = entry.control == StepControl::fixed ? 1e-12 : 0.03 * 1e-8;
  EXPECT_LE(observer.inner, 5 * observer.ends + step_error);
}

TEST_P(RuleTest, ContinuesFromAnArchiveBitForBit) {
  Newton problem = Kepler::problem();
  expect_same_bits_from_archive(GetParam(), problem, {Kepler::solution(0), VecX::Zero(4), 5, 7},
                                0.03);
}

// The energy of symplectic and symmetric rules swings and does not drift, over 1e5 steps; that of
// Runge-Kutta methods drifts.
TEST(Symplectic, EnergyStaysOver100000Steps) {
  for (const char* name : {"verlet", "velocity-verlet", "lobatto2", "lobatto4"}) {
    Newton problem = Kepler::problem();
    const RuleEntry& entry = check_rule(name);
    const double h = entry.order == 2 ? 0.01 : 0.05;
    class Energy final : public Observer {
     public:
      void on_step(Rule& rule) override {
        const double error = std::abs(Kepler::energy(rule.y()) + 0.5);
        (++steps <= 50000 ? first_half : second_half) =
            std::max(steps <= 50000 ? first_half : second_half, error);
      }
      long steps = 0;
      double first_half = 0, second_half = 0;
    } energy;
    Driver driver(problem, entry, {}, {.step = h});
    driver.start(0, Kepler::solution(0));
    ASSERT_EQ(driver.run(1e5 * h, energy).ending, Ending::reached);
    EXPECT_EQ(energy.steps, 100000);
    EXPECT_LT(energy.first_half, 1e-4) << name;
    EXPECT_LT(energy.second_half, 1.02 * energy.first_half) << name << " drifts";
  }
}

TEST(Driver, FixedStepsLieOnTheGrid) {
  class Grid final : public Observer {
   public:
    void on_step(Rule& rule) override { times.push_back(rule.t()); }
    std::vector<double> times;
  } grid;
  Newton problem = DampedOscillator::problem();
  Driver driver(problem, check_rule("rk4"), {}, {.step = 0.1});
  driver.start(0, vec({1, 0}));
  driver.run(1000.05, grid);
  ASSERT_EQ(grid.times.size(), 10001u);
  for (size_t k = 0; k < 10000; ++k) EXPECT_EQ(grid.times[k], 0.1 * static_cast<double>(k + 1));
  EXPECT_EQ(grid.times.back(), 1000.05);
}

// A comet with eccentricity 0.99 from its aphelion: steps must shrink a thousandfold and grow
// again. A step length that was rejected is not tried again at once, so rejections are few.
TEST_P(RuleTest, StepsFollowTheTimeScale) {
  const RuleEntry& entry = GetParam();
  if (entry.control != StepControl::error) GTEST_SKIP() << "its steps are not the driver's";
  Newton problem = Kepler::problem();
  const double e = 0.99, pi = std::numbers::pi;
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    if (tolerance < tightest_tolerance(entry)) continue;
    Driver driver(problem, entry, {tolerance, tolerance}, {});
    driver.start(0, vec({-1 - e, 0, 0, -std::sqrt((1 - e) / (1 + e))}));
    Silent silent;
    const Outcome outcome = driver.run(2 * pi, silent);
    ASSERT_EQ(outcome.ending, Ending::reached) << outcome.message;
    const Counts& counts = driver.rule().counts();
    EXPECT_LT(counts.rejections, counts.steps / 2) << tolerance;
  }
}

// q̈ = -q - c sign q: a circle about (-c, 0) for q > 0, about (c, 0) for q < 0, so that q = 0 is
// passed with |v| = 1 every 2 acos(c/√(c² + 1)). Lines of an extrapolation look nowhere near the
// ends of the step: a jump there would shift all of them by the jump times a share of the step,
// whatever the tolerance. Each of the 40 jumps may take a tolerance; without a look at the ends the
// error is 0.4 at each of these tolerances.
TEST(Mexx, SeesJumpsOfTheForceWhereverTheyAre) {
  constexpr double c = 0.5;
  Newton problem(1, [](double, const double* q, const double*, double* a) {
    a[0] = -q[0] - (q[0] < 0 ? -c : c);
  });
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    Driver driver(problem, check_rule("mexx"), {tolerance, tolerance}, {});
    driver.start(0, vec({0, 1}));
    Silent silent;
    ASSERT_EQ(driver.run(80 * std::acos(c / std::hypot(c, 1)), silent).ending, Ending::reached);
    EXPECT_NEAR(driver.rule().y()[0], 0, 40 * tolerance);
    EXPECT_NEAR(driver.rule().y()[1], 1, 40 * tolerance);
  }
}

TEST(Driver, RefusesWhatDoesNotFit) {
  Newton problem = DampedOscillator::problem();
  EXPECT_THROW(check_rule("rk5"), base::UserError);
  EXPECT_THROW(Driver(problem, check_rule("rk4"), {1e-6, 1e-6}, {}), base::UserError);
  EXPECT_THROW(Driver(problem, check_rule("cvode-bdf"), {1e-6, 1e-6}, {.step = 0.1}),
               base::UserError);
  EXPECT_THROW(Driver(problem, check_rule("rk4"), {}, {.step = 0.0}), base::UserError);
  EXPECT_THROW(Driver(problem, check_rule("dopri5"), {0, 0}, {}), base::UserError);
}

// Below round-off no rule keeps its word: it would take tiny steps for ever, or say nothing.
TEST(Driver, RefusesTolerancesBelowRoundOff) {
  Newton problem = DampedOscillator::problem();
  for (const RuleEntry& entry : rules()) {
    if (entry.control == StepControl::fixed) continue;
    EXPECT_NO_THROW(Driver(problem, entry, {entry.finest, 1e-16}, {})) << entry.name;
    try {
      Driver(problem, entry, {entry.finest / 2, 1e-16}, {});
      FAIL() << entry.name;
    } catch (const base::UserError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("is below the round-off of integrator '" +
                                                   std::string(entry.name) + "'"));
    }
  }
  EXPECT_GT(check_rule("mexx").finest, 1e-14);
}

// ẏ = y² has a pole at t = 1: the driver must stop there and say which component blew up.
TEST(Driver, NamesTheComponentThatBlowsUp) {
  Newton problem(
      1, [](double, const double* q, const double* v, double* a) { a[0] = 2 * q[0] * v[0]; });
  for (const char* name : {"dopri5", "dop853", "gbs", "rkf45", "abm", "cvode-bdf"}) {
    Driver driver(problem, check_rule(name), {1e-8, 1e-8}, {});
    driver.start(0, vec({1, 1}));
    Silent silent;
    const Outcome outcome = driver.run(2, silent);
    EXPECT_EQ(outcome.ending, Ending::failed) << name;
    EXPECT_THAT(outcome.message, testing::HasSubstr("t = ")) << name;
    EXPECT_THAT(outcome.message, testing::HasSubstr("worst: ")) << name;
    EXPECT_NEAR(driver.rule().t(), 1, 1e-4) << name;
  }
}

TEST(Driver, StiffSystemsAreForBdf) {
  // q̈ = -1e6 (q̇ + 1e-3 q): rates -1e6 and -1e-3.
  Newton problem(1, [](double, const double* q, const double* v, double* a) {
    a[0] = -1e6 * (v[0] + 1e-3 * q[0]);
  });
  Silent silent;
  Driver bdf(problem, check_rule("cvode-bdf"), {1e-6, 1e-6}, {});
  bdf.start(0, vec({1, -1e-3}));
  ASSERT_EQ(bdf.run(100, silent).ending, Ending::reached);
  EXPECT_NEAR(bdf.rule().y()[0], std::exp(-0.1), 1e-5);
  EXPECT_LT(bdf.rule().counts().evaluations, 2000);
}

}  // namespace
}  // namespace couplet::integrate
