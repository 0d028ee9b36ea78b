// Conformance on constrained systems: every rule that is listed keeps its order and its tolerance
// there, stays on the constraints, finds events and continues from an archive.
#include <gtest/gtest.h>

#include "conformance.hpp"
#include "constrained_problems.hpp"
#include "couplet/base/diagnostics.hpp"

namespace couplet::integrate {
namespace {

class ConstrainedTest : public testing::TestWithParam<RuleEntry> {};

std::string name_of(const testing::TestParamInfo<RuleEntry>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ConstrainedTest, testing::ValuesIn(rules().begin(), rules().end()),
                         name_of);

/// The error at the end, in q and in v.
template <class P>
std::array<double, 2> run(const RuleEntry& entry, const Tolerance& tolerance,
                          const DriverOptions& options) {
  P problem;
  Driver driver(problem, entry, tolerance, options);
  driver.start(0, P::start());
  Silent silent;
  const Outcome outcome = driver.run(P::t_end, silent);
  EXPECT_EQ(outcome.ending, Ending::reached) << entry.name << ": " << outcome.message;
  const VecX error = driver.rule().y() - P::end();
  const int n = problem.layout().nq;
  return {error.head(n).lpNorm<Eigen::Infinity>(), error.tail(n).lpNorm<Eigen::Infinity>()};
}

/// Steps at which the leading error term dominates, by order: 1, 2, 4 and 5, 8 and more.
struct Steps {
  double euler, second, fourth, fifth, eighth;

  double of(int order) const {
    return order == 1   ? euler
           : order <= 3 ? second
           : order == 4 ? fourth
           : order <= 7 ? fifth
                        : eighth;
  }
};

template <class P>
void expect_order(const RuleEntry& entry, const Steps& steps) {
  const double h = steps.of(entry.order);
  const auto coarse = run<P>(entry, {}, {.step = h}), fine = run<P>(entry, {}, {.step = h / 2});
  for (size_t i = 0; i < 2; ++i) {
    const double slope = std::log2(coarse[i] / fine[i]);
    testing::Test::RecordProperty(i == 0 ? "slope_q" : "slope_v", std::to_string(slope));
    EXPECT_GE(slope, entry.order - (entry.order < 8 ? 0.1 : 0.2))
        << "qv"[i] << ": " << coarse[i] << " " << fine[i];
    // Of order 8, round-off comes before the leading term: such rules may look better than they
    // are.
    EXPECT_LE(slope, entry.order + (entry.order < 8 ? 0.1 : 1))
        << "qv"[i] << ": " << coarse[i] << " " << fine[i];
  }
}

TEST_P(ConstrainedTest, KeepsItsOrderOnACurve) {
  if (GetParam().control == StepControl::own) GTEST_SKIP() << "chooses its own steps";
  expect_order<CartesianPendulum>(GetParam(), {5e-4, 3e-4, 1.0 / 160, 1.0 / 80, 0.1});
}

TEST_P(ConstrainedTest, KeepsItsOrderOnAMovingRod) {
  if (GetParam().control == StepControl::own) GTEST_SKIP() << "chooses its own steps";
  expect_order<BeadOnTurningRod>(GetParam(), {1e-3, 2e-3, 1.0 / 80, 1.0 / 40, 0.4});
}

TEST_P(ConstrainedTest, KeepsItsOrderOnASkate) {
  if (GetParam().control == StepControl::own) GTEST_SKIP() << "chooses its own steps";
  expect_order<Skate>(GetParam(), {1e-3, 1e-3, 1.0 / 80, 1.0 / 40, 0.4});
}

template <class P>
void expect_tolerance(const RuleEntry& entry) {
  for (int digits = 3; std::pow(10.0, -digits) >= tightest_tolerance(entry); ++digits) {
    const double tolerance = std::pow(10.0, -digits);
    const auto error = run<P>(entry, {tolerance, tolerance}, {});
    EXPECT_LE(std::max(error[0], error[1]), 10 * tolerance) << entry.name;
  }
}

TEST_P(ConstrainedTest, ErrorIsWithinTenTolerances) {
  if (GetParam().control == StepControl::fixed) GTEST_SKIP() << "has no error estimate";
  expect_tolerance<CartesianPendulum>(GetParam());
  expect_tolerance<BeadOnTurningRod>(GetParam());
  expect_tolerance<Skate>(GetParam());
}

DriverOptions options_of(const RuleEntry& entry, double step) {
  DriverOptions options;
  if (entry.control == StepControl::fixed) options.step = step;
  return options;
}

// g = 0 and G v + g_t = 0 hold to round-off after every step, of every length; |G| and |v| are
// below 10.
template <class P>
void expect_on_manifold(const RuleEntry& entry) {
  class Residuals final : public Observer {
   public:
    explicit Residuals(P& problem) : problem_(problem) {
      point_.lambda = VecX::Zero(problem.rows());
      point_.vdot = VecX::Zero(problem.layout().nv);
    }
    void on_step(Rule& rule) override {
      point_.t = rule.t();
      point_.y = rule.y();
      problem_.calc_residual(point_, residual_);
      if (problem_.positions() > 0)
        largest = std::max(largest, residual_.position.template lpNorm<Eigen::Infinity>());
      largest = std::max(largest, residual_.velocity.template lpNorm<Eigen::Infinity>());
    }
    double largest = 0;

   private:
    P& problem_;
    DescriptorPoint point_;
    DescriptorResidual residual_;
  };
  P problem;
  Residuals residuals(problem);
  Driver driver(problem, entry, {1e-4, 1e-4}, options_of(entry, 0.01));
  driver.start(0, P::start());
  ASSERT_EQ(driver.run(P::t_end, residuals).ending, Ending::reached);
  EXPECT_LE(residuals.largest, 1e-13) << entry.name;
}

TEST_P(ConstrainedTest, StaysOnTheConstraints) {
  expect_on_manifold<CartesianPendulum>(GetParam());
  expect_on_manifold<BeadOnTurningRod>(GetParam());
  expect_on_manifold<Skate>(GetParam());
}

// Ten seconds, four periods and more: IFToMM A01 at 9.99 s and 10 s, exact by Jacobi's functions.
TEST_P(ConstrainedTest, PendulumOfTheIftommLibrary) {
  if (GetParam().control == StepControl::fixed) GTEST_SKIP() << "has no error estimate";
  const double tolerance = std::max(1e-9, tightest_tolerance(GetParam())), bound = 100 * tolerance;
  CartesianPendulum problem;
  Driver driver(problem, GetParam(), {tolerance, tolerance}, {});
  driver.start(0, CartesianPendulum::start());
  Silent silent;
  ASSERT_EQ(driver.run(9.99, silent).ending, Ending::reached);
  const VecX before = vec({-0.3164364699130322912, -0.9486137045757765192});
  EXPECT_LE((driver.rule().y().head(2) - before).lpNorm<Eigen::Infinity>(), bound);
  ASSERT_EQ(driver.run(10, silent).ending, Ending::reached);
  const VecX end = vec({-0.2750874625761168601, -0.9614192050991250643});
  EXPECT_LE((driver.rule().y().head(2) - end).lpNorm<Eigen::Infinity>(), bound);
}

// Between the ends of steps the skate is where it should be, as well as at the ends.
TEST_P(ConstrainedTest, InterpolatesAsWellAsItSteps) {
  class Inner final : public Observer {
   public:
    void on_step(Rule& rule) override {
      VecX y = rule.y();
      for (double s : {0.1, 0.3, 0.5, 0.8}) {
        const double t = rule.t_from() + s * (rule.t_to() - rule.t_from());
        rule.interpolate(t, y);
        inner = std::max(inner, (y - Skate::solution(t)).lpNorm<Eigen::Infinity>());
      }
      ends = std::max(ends, (rule.y() - Skate::solution(rule.t())).lpNorm<Eigen::Infinity>());
    }
    double inner = 0, ends = 0;
  } observer;
  Skate problem;
  Driver driver(problem, GetParam(), {1e-8, 1e-8}, options_of(GetParam(), 0.01));
  driver.start(0, Skate::start());
  ASSERT_EQ(driver.run(2, observer).ending, Ending::reached);
  const double step_error = GetParam().control == StepControl::fixed ? 1e-12 : 0.03 * 1e-8;
  EXPECT_LE(observer.inner, 5 * observer.ends + step_error);
}

// The pendulum passes its lowest point first after a quarter of its period of 2.367841947576237449
// s.
TEST_P(ConstrainedTest, EventsAreFound) {
  class Lowest final : public CartesianPendulum {
   public:
    int root_count() const override { return 1; }
    void calc_roots(double, const VecX& y, VecX& roots) override { roots[0] = -y[0]; }
    Verdict handle_event(double, VecX&, std::span<const int>) override { return Verdict::stop; }
  } problem;
  const RuleEntry& entry = GetParam();
  const double tight = std::max(1e-10, tightest_tolerance(entry));
  Driver driver(problem, entry, {tight, tight}, options_of(entry, 1e-3));
  driver.start(0, CartesianPendulum::start());
  Silent silent;
  ASSERT_EQ(driver.run(5, silent).ending, Ending::terminated);
  const double tolerance = entry.order == 1 ? 1e-2 : entry.order == 2 ? 1e-5 : 1e-9;
  EXPECT_NEAR(driver.rule().t(), 2.367841947576237449 / 4, tolerance);
  EXPECT_NEAR(driver.rule().y()[0], 0, 1e-14);
}

TEST_P(ConstrainedTest, ContinuesFromAnArchiveBitForBit) {
  CartesianPendulum problem;
  expect_same_bits_from_archive(GetParam(), problem,
                                {CartesianPendulum::start(), vec({1, 0, 0, 0}), 1, 5}, 0.01);
}

// All that a problem says of itself in the descriptor form fits together.
template <class P>
void expect_consistent(double t, const VecX& y) {
  P problem;
  const int n = problem.layout().nv;
  DescriptorPoint point{t, y, VecX::Zero(n), {}, {}, {}};
  VecX ydot = VecX::Zero(2 * n), rates = ydot, lambda;
  problem.calc_consistent(t, y, ydot, point.lambda, point.s);
  problem.calc_rates(t, y, rates);
  EXPECT_EQ(rates, ydot);
  point.vdot = ydot.tail(n);
  DescriptorResidual residual;
  problem.calc_residual(point, residual);
  EXPECT_LE(residual.force.norm() + residual.position.norm() + residual.velocity.norm(), 1e-14);
  // A half-explicit stage meets the velocity constraints ahead, and is ẏ for a short step.
  const double h = 1e-6;
  VecX next = y;
  next.head(n) += h * y.tail(n);
  problem.calc_half_explicit(t, y, t + h, next, h, rates, lambda);
  EXPECT_LE((rates - ydot).tail(n).norm(), 1e-4);
  EXPECT_LE((lambda - point.lambda).norm(), 1e-4);
  next.tail(n) += h * rates.tail(n);
  problem.calc_residual({t + h, next, point.vdot, lambda, {}, {}}, residual);
  EXPECT_LE(residual.velocity.norm(), 1e-14);
  // The force of the multipliers is along the normals: those of positions, and the other rows.
  point.mu = point.lambda.head(problem.positions());
  point.lambda.head(problem.positions()).setZero();
  problem.calc_residual(point, residual);
  VecX force = residual.force;
  if (point.mu.size() > 0) force += residual.normal;
  EXPECT_LE(force.norm(), 1e-13);
  // What a difference finds is in the pattern.
  EXPECT_EQ(static_cast<int>(problem.pattern().rows.size()),
            n + problem.positions() + problem.rows());
  EXPECT_EQ(problem.pattern().columns, 3 * n + problem.rows());
}

TEST(ConstrainedProblems, DescriptorFormsAreConsistent) {
  expect_consistent<CartesianPendulum>(1, CartesianPendulum::end());
  expect_consistent<BeadOnTurningRod>(2, BeadOnTurningRod::end());
  expect_consistent<Skate>(2, Skate::end());
}

// What is off the constraints comes back, along the mass-weighted normal.
TEST(ConstrainedProblems, ProjectionGoesBackAndFails) {
  CartesianPendulum problem;
  VecX y = vec({-1.2, 0.3, 1, 0.5});
  problem.project(0, y);
  EXPECT_NEAR(y.head(2).norm(), 1, 1e-15);
  EXPECT_NEAR(y.head(2).dot(y.tail(2)), 0, 1e-15);
  y = vec({0, 0, 1, 0});  // no direction is better than another
  EXPECT_THROW(problem.project(0, y), base::ComputationError);
}

}  // namespace
}  // namespace couplet::integrate
