// Events: where they are, what they change, and what happens when there are too many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "couplet/integrate/driver.hpp"
#include "sample_problems.hpp"

namespace couplet::integrate {
namespace {

constexpr double g = 9.81;

/// A ball above the floor z = 0 that bounces with restitution e.
class Ball final : public Newton {
 public:
  explicit Ball(double e)
      : Newton(1, [](double, const double*, const double*, double* a) { a[0] = -g; }), e_(e) {}
  int root_count() const override { return 1; }
  void calc_roots(double, const VecX& y, VecX& roots) override { roots[0] = y[0]; }
  std::string root_name(int) const override { return "floor"; }
  Verdict handle_event(double t, VecX& y, std::span<const int> fired) override {
    if (fired.empty()) return Verdict::go_on;
    times.push_back(t);
    y[0] = 0;
    y[1] = -e_ * y[1];
    return times.size() == stop_after ? Verdict::stop : Verdict::go_on;
  }
  std::vector<double> times;
  size_t stop_after = 0;

 private:
  double e_;
};

class Silent final : public Observer {
 public:
  void on_step(Rule&) override {}
};

// Bounce k happens at T (1 + 2 Σ e^i), T = √(2 z/g); the orbit is a parabola, which every rule of
// order ≥ 2 follows exactly: times are right to the round-off of z (2e-16 m) over the speed, summed
// over the bounces.
TEST(Events, BouncesAreLocatedToRoundOff) {
  for (const RuleEntry& entry : rules()) {
    if (entry.order < 2) continue;
    Ball ball(0.8);
    ball.stop_after = 20;
    DriverOptions options;
    if (entry.control == StepControl::fixed) options.step = 0.05;
    Driver driver(ball, entry, {1e-9, 1e-9}, options);
    driver.start(0, vec({1, 0}));
    Silent silent;
    ASSERT_EQ(driver.run(20, silent).ending, Ending::terminated) << entry.name;
    double expected = std::sqrt(2 / g), flight = 2 * expected;
    // CVODE's own error control decides how well the parabola is met.
    const double tolerance = entry.control == StepControl::own ? 1e-7 : 4e-13;
    for (size_t k = 0; k < ball.times.size(); ++k) {
      EXPECT_NEAR(ball.times[k], expected, tolerance) << entry.name << " bounce " << k;
      flight *= 0.8;
      expected += flight;
    }
  }
}

TEST(Events, AccumulationIsNamedInsteadOfHanging) {
  for (const char* name : {"dopri5", "rk4", "abm", "gbs", "cvode-adams"}) {
    Ball ball(0.5);
    DriverOptions options;
    if (check_rule(name).control == StepControl::fixed) options.step = 0.01;
    Driver driver(ball, check_rule(name), {1e-9, 1e-9}, options);
    driver.start(0, vec({1, 0}));
    Silent silent;
    const Outcome outcome = driver.run(20, silent);
    ASSERT_EQ(outcome.ending, Ending::failed) << name;
    EXPECT_THAT(outcome.message, testing::HasSubstr("accumulate at t = ")) << name;
    EXPECT_THAT(outcome.message, testing::HasSubstr("'floor'")) << name;
    // T (1 + 2 e/(1 - e)), e = ½; bounces lower than the tolerance of CVODE's states take 2e-5 s.
    const double tolerance = check_rule(name).control == StepControl::own ? 5e-5 : 1e-7;
    EXPECT_NEAR(driver.rule().t(), 3 * std::sqrt(2 / g), tolerance) << name;
  }
}

// A nonlinear root: the oscillator cos ωt crosses ½ at ωt = π/3.
TEST(Events, CurvedPathsAreMetToTheToleranceOfTheStep) {
  class Crossing final : public Newton {
   public:
    Crossing()
        : Newton(1, [](double, const double* q, const double*, double* a) { a[0] = -q[0]; }) {}
    int root_count() const override { return 1; }
    void calc_roots(double, const VecX& y, VecX& roots) override { roots[0] = y[0] - 0.5; }
    Verdict handle_event(double, VecX& y, std::span<const int>) override {
      value = y[0];
      return Verdict::stop;
    }
    double value = 0;
  };
  for (const RuleEntry& entry : rules()) {
    Crossing problem;
    DriverOptions options;
    if (entry.control == StepControl::fixed) options.step = 1e-3;
    Driver driver(problem, entry, {1e-10, 1e-10}, options);
    driver.start(0, vec({1, 0}));
    Silent silent;
    ASSERT_EQ(driver.run(5, silent).ending, Ending::terminated) << entry.name;
    EXPECT_NEAR(problem.value, 0.5, 1e-15) << entry.name;  // the state is on the root, to round-off
    const double tolerance = entry.order == 1 ? 1e-3 : entry.order == 2 ? 1e-6 : 1e-9;
    EXPECT_NEAR(driver.rule().t(), std::acos(0.5), tolerance) << entry.name;
  }
}

// A time event is hit exactly, and a switch there costs no accuracy: q̈ = 0 before, 2 after t = 1/3.
TEST(Events, TimeEventsAreHitExactly) {
  class Switch final : public Newton {
   public:
    Switch()
        : Newton(1,
                 [this](double, const double*, const double*, double* a) { a[0] = on ? 2 : 0; }) {}
    double next_time_event(double t) const override {
      return t < 1.0 / 3 ? 1.0 / 3 : std::numeric_limits<double>::infinity();
    }
    Verdict handle_event(double t, VecX&, std::span<const int> fired) override {
      EXPECT_EQ(t, 1.0 / 3);
      EXPECT_TRUE(fired.empty());
      on = true;
      return Verdict::go_on;
    }
    bool on = false;
  };
  for (const RuleEntry& entry : rules()) {
    if (entry.order < 2) continue;
    Switch problem;
    DriverOptions options;
    if (entry.control == StepControl::fixed) options.step = 0.1;
    Driver driver(problem, entry, {1e-9, 1e-9}, options);
    driver.start(0, vec({0, 1}));
    Silent silent;
    ASSERT_EQ(driver.run(1, silent).ending, Ending::reached);
    const double exact = 1 + 4.0 / 9;
    EXPECT_NEAR(driver.rule().y()[0], exact, entry.control == StepControl::own ? 1e-8 : 1e-14)
        << entry.name;
    EXPECT_EQ(driver.rule().counts().events, 1);
  }
}

/// A ball whose bounces are made by a rule: its place is left where the event was found, a little
/// below the floor.
class RuledBall final : public Newton {
 public:
  explicit RuledBall(double e)
      : Newton(1, [](double, const double*, const double*, double* a) { a[0] = -g; }), e_(e) {}
  int root_count() const override { return 1; }
  void calc_roots(double, const VecX& y, VecX& roots) override { roots[0] = y[0]; }
  std::string root_name(int) const override { return "bounce"; }
  Verdict handle_event(double, VecX& y, std::span<const int>) override {
    y[1] = -e_ * y[1];
    ++bounces;
    return Verdict::go_on;
  }
  int bounces = 0;

 private:
  double e_;
};

// Bounces end at T (1 + e)/(1 - e), T = √(2 z/g). No bounce is stepped over however long the step
// that flies over it, and where they are too short to be told apart the run ends with a message,
// not below the floor.
TEST(Events, BouncesOfARuleAreAllFound) {
  for (const RuleEntry& entry : rules()) {
    if (entry.order < 2) continue;
    RuledBall ball(0.8);
    DriverOptions options;
    if (entry.control == StepControl::fixed) options.step = 0.05;
    Driver driver(ball, entry, {1e-6, 1e-6}, options);
    driver.start(0, vec({1, 0}));
    Silent silent;
    const Outcome outcome = driver.run(10, silent);
    ASSERT_EQ(outcome.ending, Ending::failed) << entry.name;
    EXPECT_THAT(outcome.message, testing::HasSubstr("'bounce' fires again and again"))
        << entry.name;
    EXPECT_GT(ball.bounces, 20) << entry.name;
    EXPECT_GT(driver.rule().y()[0], -1e-5) << entry.name;  // ten tolerances
    // Bounces that are lower than the tolerance of a rule with its own control cannot be seen:
    // the last ones take 2 √(8 tolerance/g).
    const double tolerance = entry.control == StepControl::own ? 1e-2 : 1e-6;
    EXPECT_NEAR(driver.rule().t(), std::sqrt(2 / g) * 1.8 / 0.2, tolerance) << entry.name;
  }
}

// cos ωt is below -0.999 for 1.4 % of a period: steps of a sixth of a period and more fly over it.
TEST(Events, ShortExcursionsAreFound) {
  class Visit final : public Newton {
   public:
    Visit() : Newton(1, [](double, const double* q, const double*, double* a) { a[0] = -q[0]; }) {}
    int root_count() const override { return 1; }
    void calc_roots(double, const VecX& y, VecX& roots) override { roots[0] = y[0] + 0.999; }
    Verdict handle_event(double t, VecX&, std::span<const int>) override {
      times.push_back(t);
      return Verdict::go_on;
    }
    std::vector<double> times;
  };
  for (const char* name : {"dopri5", "dop853", "gbs", "abm", "radau5", "cvode-bdf", "ida"}) {
    Visit problem;
    Driver driver(problem, check_rule(name), {1e-6, 1e-6}, {});
    driver.start(0, vec({1, 0}));
    Silent silent;
    ASSERT_EQ(driver.run(18, silent).ending, Ending::reached) << name;
    EXPECT_EQ(problem.times.size(), 3u) << name;
  }
}

// v̇ = 1 while v < 0 was seen last, -1 while v > 0 was: nothing but sliding along v = 0 is left.
TEST(Events, RulesThatFightAreNamed) {
  class Fight final : public Newton {
   public:
    Fight()
        : Newton(1, [this](double, const double*, const double*, double* a) { a[0] = force; }) {}
    int root_count() const override { return 2; }
    void calc_roots(double, const VecX& y, VecX& roots) override {
      roots[0] = y[1];
      roots[1] = -y[1];
    }
    std::string root_name(int root) const override { return root == 0 ? "below" : "above"; }
    Verdict handle_event(double, VecX&, std::span<const int> fired) override {
      for (const int root : fired) force = root == 0 ? 5 : -5;
      return Verdict::go_on;
    }
    double force = -5;
  };
  for (const RuleEntry& entry : rules()) {
    Fight problem;
    DriverOptions options;
    if (entry.control == StepControl::fixed) options.step = 0.1;
    Driver driver(problem, entry, {1e-6, 1e-6}, options);
    driver.start(0, vec({0, 1}));
    Silent silent;
    const Outcome outcome = driver.run(10, silent);
    ASSERT_EQ(outcome.ending, Ending::failed) << entry.name;
    EXPECT_THAT(outcome.message, testing::HasSubstr("'above', 'below' fire in turn")) << entry.name;
    EXPECT_LT(std::abs(driver.rule().y()[1]), 1e-4) << entry.name;
  }
}

}  // namespace
}  // namespace couplet::integrate
