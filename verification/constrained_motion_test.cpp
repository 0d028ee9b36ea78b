// Benchmarks of constrained motion against reference solutions, and what they cost.
#include <gtest/gtest.h>

#include "couplet/integrate/driver.hpp"
#include "problems/andrews.hpp"
#include "problems/flexible_slider_crank.hpp"

namespace couplet::verification {
namespace {

using integrate::Driver;
using integrate::Ending;
using math::VecX;

class Silent final : public integrate::Observer {
 public:
  void on_step(integrate::Rule&) override {}
};

struct Journey {
  VecX y;
  long evaluations;  // of accelerations; stages of half-explicit rules are evaluations
};

template <class P>
Journey run(const char* rule, double tolerance, double t_end) {
  P problem;
  Driver driver(problem, integrate::check_rule(rule), {tolerance, tolerance}, {});
  driver.start(0, P::start());
  Silent silent;
  const integrate::Outcome outcome = driver.run(t_end, silent);
  EXPECT_EQ(outcome.ending, Ending::reached) << rule << ": " << outcome.message;
  return {driver.rule().y(), driver.rule().counts().evaluations};
}

// At 0.03 s, two formulations and three integrators agree to 2e-15 in q and 3e-13 in v (the vector
// of the IVP test set is off by 3e-10: a shift in time of 1e-12 s).
VecX andrews_end() {
  VecX y(14);
  y << 15.810771195153709, -15.756371058411842, 0.040822240119645822, -0.53473011634207956,
      0.52440996587995407, 0.53473011634207956, 1.0480807410419379, 1139.9203022591,
      -1424.3792951775, 11.032911910619, 19.293374105033, 0.573569914830, -19.293374105033,
      0.323179149249;
  return y;
}

double position_error(const VecX& y) {
  return (y - andrews_end()).head(7).lpNorm<Eigen::Infinity>();
}

TEST(Andrews, AccelerationsAndMultipliersAtTheStart) {
  Andrews problem;
  VecX ydot = VecX::Zero(14), lambda, s, expected = VecX::Zero(7), forces = VecX::Zero(6);
  problem.calc_consistent(0, Andrews::start(), ydot, lambda, s);
  expected.head(2) << 14222.4439199541139, -10666.8329399655854;
  forces.head(2) << 98.5668703962410896, -6.12268834425566266;
  EXPECT_LE((ydot.tail(7) - expected).lpNorm<Eigen::Infinity>(), 1e-8);  // of 1e4: M is 1e-6 kg m²
  EXPECT_LE((lambda - forces).lpNorm<Eigen::Infinity>(), 1e-11);
}

// The bias is the derivative of G v along v: central differences of 1e-6 s are good to 1e-6 of it.
TEST(Andrews, BiasIsTheDerivativeOfTheConstraints) {
  Andrews problem;
  const VecX y = andrews_end();
  VecX bias(6), gamma = VecX::Zero(6), difference = VecX::Zero(6);
  problem.calc_bias(0, y, bias);
  for (const double h : {1e-6, -1e-6}) {
    VecX moved = y;
    moved.head(7) += h * y.tail(7);
    math::MatX G = math::MatX::Zero(6, 7);
    problem.calc_velocities(0, moved, G, gamma);
    difference += G * y.tail(7) / (2 * h);
  }
  EXPECT_LE((difference - bias).norm(), 1e-6 * bias.norm());
}

// Ten digits by seven integrators: explicit in the index-1 form, half-explicit in the index-2 form.
TEST(Andrews, TenDigitsWithEveryKindOfIntegrator) {
  for (const char* rule : {"dopri5", "dop853", "gbs", "abm", "cvode-adams", "hem5", "mexx"}) {
    // mexx spends its ten tolerances; below 1e-11 cvode-adams begins to see round-off.
    const VecX y = run<Andrews>(rule, std::string_view(rule) == "mexx" ? 3e-12 : 1e-11, 0.03).y;
    EXPECT_LE(position_error(y), 1e-10) << rule;
    // A shift in time of 1e-13 s, 1e-10 rad in β, is 6e-8 rad/s in the fastest velocities.
    EXPECT_LE((y - andrews_end()).tail(7).lpNorm<Eigen::Infinity>(), 1e-7) << rule;
  }
}

// Plain DOP853 without projection needs 1202 evaluations for 6e-8, 1994 for 4e-10 and 3218 for
// 6e-12.
TEST(Andrews, FewEvaluationsAreEnough) {
  const Journey coarse = run<Andrews>("dop853", 1e-7, 0.03),
                fine = run<Andrews>("dop853", 1e-10, 0.03);
  EXPECT_LE(position_error(coarse.y), 1e-7);
  EXPECT_LE(coarse.evaluations, 1200);
  EXPECT_LE(position_error(fine.y), 1e-10);
  EXPECT_LE(fine.evaluations, 2500);
  // Of the same order, the half-explicit rule is cheaper than the explicit one, 903 against 1227
  // evaluations: it lets no constraint be violated inside a step.
  const Journey explicit_rule = run<Andrews>("dopri5", 1e-6, 0.03),
                half_explicit = run<Andrews>("hem5", 1e-6, 0.03);
  EXPECT_LE(position_error(half_explicit.y), 1e-7);
  EXPECT_LE(position_error(half_explicit.y), position_error(explicit_rule.y));
  EXPECT_LT(half_explicit.evaluations, 0.8 * static_cast<double>(explicit_rule.evaluations));
}

// At 0.1 s, with π = 3.1415927 as in the published code: extrapolation in extended precision, which
// agrees with double precision to 5e-9, and with the published vector to 3e-8 (positions) and 2e-7
// (velocities).
TEST(FlexibleSliderCrank, EightDigitsOfTheRodsVibration) {
  VecX expected(14);
  expected << 15, -3.311734988256447e-01, 1.697373326399585e-01, 1.893192843020042e-04,
      2.375751320488574e-05, -5.323896778192385e-06, -8.363313291666586e-06, 150,
      6.025346755129603e+01, -8.753116326727140e+00, -3.005541170950715e-02, -5.500430645925324e-03,
      4.974111663675705e-04, 1.105559971607595e-03;
  for (const char* rule : {"dop853", "gbs", "hem5", "mexx"}) {
    const VecX y = run<FlexibleSliderCrank>(rule, 5e-10, 0.1).y;
    const VecX relative = (y - expected).cwiseQuotient(expected).cwiseAbs();
    EXPECT_LE(relative.head(7).maxCoeff(), 2e-8) << rule;
    // Velocities of the longitudinal vibration, the fastest there is.
    EXPECT_LE(relative.tail(7).maxCoeff(), 1e-6) << rule;
  }
}

}  // namespace
}  // namespace couplet::verification
