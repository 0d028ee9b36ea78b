// What implicit rules are for: stiffness, and derivatives that are evaluated seldom and cheaply.
#include "couplet/integrate/implicit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain_problem.hpp"
#include "constrained_problems.hpp"
#include "couplet/integrate/driver.hpp"

namespace couplet::integrate {
namespace {

class Silent final : public Observer {
 public:
  void on_step(Rule&) override {}
};

struct Result {
  VecX y;
  Counts counts;
};

/// A tolerance of 0: fixed steps.
Result run(Problem& problem, const RuleEntry& entry, const VecX& y, double t_end, double tolerance,
           double step = 0) {
  DriverOptions options;
  if (tolerance == 0) options.step = step;
  Driver driver(problem, entry, {tolerance, tolerance}, options);
  driver.start(0, y);
  Silent silent;
  const Outcome outcome = driver.run(t_end, silent);
  EXPECT_EQ(outcome.ending, Ending::reached) << entry.name << ": " << outcome.message;
  return {driver.rule().y(), driver.rule().counts()};
}

/// An entry of the list, made with other options.
template <ImplicitOptions options>
RuleEntry with(RuleEntry entry) {
  const std::string_view name = entry.name;
  if (name == "ida")
    entry.make = [](Problem& p, const Tolerance& t) { return make_ida(p, t, options); };
  if (name == "radau5")
    entry.make = [](Problem& p, const Tolerance& t) { return make_radau5(p, t, options); };
  if (name == "generalised-alpha")
    entry.make = [](Problem& p, const Tolerance& t) {
      return make_generalised_alpha(p, t, options);
    };
  return entry;
}

constexpr const char* names[] = {"ida", "radau5", "generalised-alpha"};
constexpr ImplicitOptions new_derivatives{.keep_derivatives = false},
    single_columns{.coloured = false}, dense{.sparse = false};

TEST(Implicit, DerivativesAreKeptOverChangesOfTheStep) {
  for (const char* name : names) {
    Chain chain(6);
    const Result kept = run(chain, check_rule(name), chain.start(), 1, 1e-6),
                 anew = run(chain, with<new_derivatives>(check_rule(name)), chain.start(), 1, 1e-6);
    EXPECT_LT(2 * kept.counts.jacobians, kept.counts.factorizations) << name;
    EXPECT_LT(kept.counts.jacobians, anew.counts.jacobians) << name;
    EXPECT_LT(kept.counts.residuals, anew.counts.residuals) << name;
    EXPECT_NEAR(chain.energy(kept.y), chain.energy(chain.start()), 1e-4) << name;
  }
}

TEST(Implicit, AFixedStepNeedsHardlyAnyFactorisation) {
  Newton problem = DampedOscillator::problem();
  const Result fixed = run(problem, check_rule("generalised-alpha"), vec({1, 0}), 1, 0, 0.01);
  EXPECT_EQ(fixed.counts.jacobians, 1);
  EXPECT_EQ(fixed.counts.factorizations, 1);
  EXPECT_EQ(fixed.counts.evaluations, 1);  // where it starts
}

// Every switch changes how long it takes, and not what comes out.
TEST(Implicit, SwitchesDoNotChangeTheMotion) {
  for (const char* name : names) {
    Chain chain(6);
    const RuleEntry& entry = check_rule(name);
    const Result all = run(chain, entry, chain.start(), 0.5, 1e-7);
    for (const RuleEntry& other :
         {with<new_derivatives>(entry), with<single_columns>(entry), with<dense>(entry)}) {
      const Result one = run(chain, other, chain.start(), 0.5, 1e-7);
      EXPECT_LT((one.y - all.y).lpNorm<Eigen::Infinity>(), 1e-6) << name;
    }
    const Result single = run(chain, with<single_columns>(entry), chain.start(), 0.5, 1e-7);
    const double of_all = static_cast<double>(all.counts.residuals) /
                          static_cast<double>(all.counts.jacobians),
                 of_single = static_cast<double>(single.counts.residuals) /
                             static_cast<double>(single.counts.jacobians);
    EXPECT_GT(of_single, of_all) << name;
  }
}

// q̈ = -1e6 (q̇ + 1e-3 q): rates -1e6 and -1e-3. An explicit rule would need 5e7 steps.
TEST(Implicit, StiffSystemsTakeFewSteps) {
  for (const char* name : names) {
    Newton problem(1, [](double, const double* q, const double* v, double* a) {
      a[0] = -1e6 * (v[0] + 1e-3 * q[0]);
    });
    const Result stiff = run(problem, check_rule(name), vec({1, -1e-3}), 100, 1e-6);
    EXPECT_NEAR(stiff.y[0], std::exp(-0.1), 1e-5) << name;
    EXPECT_LT(stiff.counts.residuals, 2000) << name;
  }
}

/// A pendulum in honey: q̈ = -d q̇ and gravity. It creeps down from the horizontal with sin φ =
/// -tanh(g t/d), up to (g/d)², and the speeds of the pendulum without honey are gone after 1/d.
class Honey final : public CartesianPendulum {
 public:
  static constexpr double d = 1e4;
  void calc_force(double t, const VecX& y, VecX& f) override {
    CartesianPendulum::calc_force(t, y, f);
    f -= d * y.tail<2>();
  }
};

TEST(Implicit, StiffForcesOnConstraintsTakeFewSteps) {
  struct Choice {
    const char* name;
    double tolerance;
  };
  // Order 2 takes 1600 steps for 1e-6; steps of 5 s are good for 2e-5.
  for (const auto& [name, tolerance] : {Choice{"ida", 1e-6},
                                        {"radau5", 1e-6},
                                        {"generalised-alpha", 1e-5},
                                        {"generalised-alpha", 0}}) {
    Honey problem;
    const double t = 1000, depth = std::tanh(CartesianPendulum::gravity * t / Honey::d);
    const Result creeping =
        run(problem, check_rule(name), vec({1, 0, 0, -CartesianPendulum::gravity / Honey::d}), t,
            tolerance, 5);
    EXPECT_NEAR(creeping.y[1], -depth, 2e-5) << name;
    EXPECT_LT(creeping.counts.residuals, 4000) << name;
  }
}

/// A bead on a rough ring of 1 m, without gravity: friction -μ λ v/|v| slows it down, λ = v². From
/// 1 m/s at φ = 0: v = 1/(1 + μt), φ = ln(1 + μt)/μ.
class RoughRing final : public CartesianPendulum {
 public:
  static constexpr double mu = 0.5;
  void calc_force(double, const VecX&, VecX&) override {}
  void calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda, VecX& s) override {
    DenseSystem::calc_consistent(t, y, ydot, lambda, s);
    ydot.tail<2>() -= mu * lambda[0] * y.tail<2>().normalized();
  }
  void calc_residual(const DescriptorPoint& point, DescriptorResidual& out) override {
    DenseSystem::calc_residual(point, out);
    out.force += mu * point.lambda[0] * point.y.tail<2>().normalized();
  }
  static VecX solution(double t) {
    const double v = 1 / (1 + mu * t), c = std::cos(std::log(1 + mu * t) / mu),
                 s = std::sin(std::log(1 + mu * t) / mu);
    return vec({c, s, -v * s, v * c});
  }
};

// Where forces depend on multipliers, these need the order that q and v have.
TEST(Implicit, FrictionOfMultipliersCostsNoOrder) {
  double error[2];
  for (int i = 0; i < 2; ++i) {
    RoughRing problem;
    const Result slowed = run(problem, check_rule("generalised-alpha"), RoughRing::solution(0), 3,
                              0, 0.02 / (1 << i));
    error[i] = (slowed.y - RoughRing::solution(3)).lpNorm<Eigen::Infinity>();
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1) << error[0];
  for (const char* name : names)
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      RoughRing problem;
      const Result slowed = run(problem, check_rule(name), RoughRing::solution(0), 3, tolerance);
      EXPECT_LE((slowed.y - RoughRing::solution(3)).lpNorm<Eigen::Infinity>(), 10 * tolerance)
          << name;
    }
}

/// Euler's free top, J = diag(1, 2, 3), about its middle axis: the instability that turns it over.
/// q is the quaternion from the body to the world, v the angular velocity in the body.
class FreeTop final : public Problem {
 public:
  FreeTop() {
    layout_ = {4, 3, 0, {}, {{0, 4, 0, 3}}};
    for (const char* name : {"w", "x", "y", "z", "wx", "wy", "wz"})
      layout_.components.push_back({name, "", 1});
  }
  const Layout& layout() const override { return layout_; }
  void calc_qdot(double, const VecX& y, VecX& ydot) override {
    const Eigen::Quaterniond rate =
        orientation(y) * Eigen::Quaterniond(0, y[4] / 2, y[5] / 2, y[6] / 2);
    ydot.head<4>() << rate.w(), rate.x(), rate.y(), rate.z();
  }
  void calc_rates(double, const VecX& y, VecX& ydot) override {
    ydot.tail<3>() << -y[5] * y[6], y[4] * y[6], -y[4] * y[5] / 3;
  }
  void move(const VecX& dq, VecX& y) override {
    const double angle = dq.norm(), sinc = angle > 1e-9 ? std::sin(angle / 2) / angle : 0.5;
    const Eigen::Quaterniond turn(std::cos(angle / 2), sinc * dq[0], sinc * dq[1], sinc * dq[2]);
    const Eigen::Quaterniond q =
        (orientation(y) * turn).normalized();  // as mechanisms do; IDA's are not quite
    y.head<4>() << q.w(), q.x(), q.y(), q.z();
  }
  void project(double, VecX& y) override { y.head<4>().normalize(); }
  static VecX start() { return vec({1, 0, 0, 0, 0.01, 1, 0.01}); }

 private:
  static Eigen::Quaterniond orientation(const VecX& y) { return {y[0], y[1], y[2], y[3]}; }
  Layout layout_;
};

// Angular velocity at t = 10 by Jacobi's functions (free_rigid_body of the references).
TEST(Implicit, OrientationsAreIntegratedOnQuaternions) {
  const VecX omega = vec({-0.874573437891094, 0.484996187341048, 0.505001220547913});
  FreeTop top;
  const VecX exact = run(top, check_rule("dop853"), FreeTop::start(), 10, 1e-12).y;
  EXPECT_LT((exact.tail<3>() - omega).lpNorm<Eigen::Infinity>(), 1e-11);
  for (const char* name : names) {
    const Result turned = run(top, check_rule(name), FreeTop::start(), 10, 1e-8);
    EXPECT_LT((turned.y - exact).lpNorm<Eigen::Infinity>(), 1e-7) << name;
    EXPECT_LT((run(top, check_rule(name), FreeTop::start(), 10, 1e-4).y - exact)
                  .lpNorm<Eigen::Infinity>(),
              1e-3)
        << name;
    // Newton's method knows how rotations add: few iterations, derivatives kept.
    EXPECT_LT(turned.counts.jacobians, turned.counts.steps / 2) << name;
  }
  double error[2];
  for (int i = 0; i < 2; ++i)
    error[i] =
        (run(top, check_rule("generalised-alpha"), FreeTop::start(), 10, 0, 0.01 / (1 << i)).y -
         exact)
            .lpNorm<Eigen::Infinity>();
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1) << error[0];
}

// Steps of h, 2h, h/2, h, … in every order: the a of the method belongs to the step that made it,
// and has to be moved. (As it is it would cost an order.)
TEST(GeneralisedAlpha, ChangesOfTheStepCostNoOrder) {
  const auto error_with = [](double h) {
    CartesianPendulum problem;
    const std::unique_ptr<Rule> rule = make_rule(check_rule("generalised-alpha"), problem, {0, 0});
    rule->start(0, CartesianPendulum::start(), h);
    for (int k = 0; rule->t() < CartesianPendulum::t_end; ++k) {
      const double step = h * (k % 3 == 0   ? 1
                               : k % 3 == 1 ? 2
                                            : 0.5),
                   left = CartesianPendulum::t_end - rule->t();
      EXPECT_TRUE(rule->attempt(step > 0.999 * left ? left : step).finite);
      rule->accept();
    }
    return (rule->y() - CartesianPendulum::end()).lpNorm<Eigen::Infinity>();
  };
  const double coarse = error_with(1.0 / 7000), fine = error_with(1.0 / 14000);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << coarse << " " << fine;
}

// The first step is the trapezoidal rule: an error of O(h³), not the O(h²) of a = v̇.
TEST(GeneralisedAlpha, TheFirstStepHasTheOrderOfTheOthers) {
  const auto error_of_step = [](double h) {
    BeadOnTurningRod problem;
    const std::unique_ptr<Rule> rule = make_rule(check_rule("generalised-alpha"), problem, {0, 0});
    rule->start(0, BeadOnTurningRod::start(), h);
    rule->attempt(h);
    return (rule->y_to() - BeadOnTurningRod::solution(h)).lpNorm<Eigen::Infinity>();
  };
  EXPECT_NEAR(std::log2(error_of_step(0.02) / error_of_step(0.01)), 3, 0.1);
}

// Between the ends the error is that of the ends, of order 2, and no acceleration is evaluated for
// it.
TEST(GeneralisedAlpha, InterpolationIsOfItsOrderAndFree) {
  class Inner final : public Observer {
   public:
    void on_step(Rule& rule) override {
      VecX y = rule.y();
      for (double s : {0.25, 0.5, 0.75}) {
        const double t = rule.t_from() + s * (rule.t_to() - rule.t_from());
        rule.interpolate(t, y);
        largest = std::max(largest, (y - BeadOnTurningRod::solution(t)).lpNorm<Eigen::Infinity>());
      }
    }
    double largest = 0;
  };
  double error[2];
  for (int i = 0; i < 2; ++i) {
    BeadOnTurningRod problem;
    Driver driver(problem, check_rule("generalised-alpha"), {}, {.step = 0.02 / (1 << i)});
    driver.start(0, BeadOnTurningRod::start());
    Inner inner;
    ASSERT_EQ(driver.run(BeadOnTurningRod::t_end, inner).ending, Ending::reached);
    EXPECT_EQ(driver.rule().counts().evaluations, 1);  // where it starts
    error[i] = inner.largest;
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1) << error[0];
}

// Index 3: nobody projects the chain. At fixed steps its rods keep their lengths by the method
// itself, and velocities miss their constraints by what order 2 leaves.
TEST(GeneralisedAlpha, FixedStepsKeepPositionsOnTheirConstraints) {
  double velocity[2];
  for (int i = 0; i < 2; ++i) {
    Chain chain(4);
    const VecX y =
        run(chain, check_rule("generalised-alpha"), chain.start(), 0.5, 0, 2e-3 / (1 << i)).y;
    DescriptorResidual residual;
    chain.calc_residual({0.5, y, VecX::Zero(8), VecX::Zero(4), {}, {}}, residual);
    EXPECT_LE(residual.position.lpNorm<Eigen::Infinity>(), 1e-13);
    velocity[i] = residual.velocity.lpNorm<Eigen::Infinity>();
  }
  EXPECT_NEAR(std::log2(velocity[0] / velocity[1]), 2, 0.2) << velocity[0];
}

// A step that is cut for a stop says nothing of the next one, which may be a million times as long.
TEST(GeneralisedAlpha, GoesOnAfterATinyStep) {
  CartesianPendulum problem;
  Driver driver(problem, check_rule("generalised-alpha"), {1e-6, 1e-6}, {});
  driver.start(0, CartesianPendulum::start());
  Silent silent;
  for (const double t : {0.3, 0.3 + 1e-9, 0.7, 0.7 + 1e-12, CartesianPendulum::t_end})
    ASSERT_EQ(driver.run(t, silent).ending, Ending::reached);
  EXPECT_LE((driver.rule().y() - CartesianPendulum::end()).lpNorm<Eigen::Infinity>(), 1e-5);
  EXPECT_LE(driver.rule().counts().rejections,
            5);  // 10 if differences over the tiny steps were used
}

}  // namespace
}  // namespace couplet::integrate
