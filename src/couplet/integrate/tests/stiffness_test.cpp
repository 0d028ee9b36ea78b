// Stiffness is noticed by every explicit rule, named, and not seen where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "conformance.hpp"
#include "sample_problems.hpp"

namespace couplet::integrate {
namespace {

/// q0 follows cos t by a stiff and well damped spring, λ = -1 and -1000; q1 swings.
struct Follower {
  static Newton problem() {
    return {2, [](double t, const double* q, const double* v, double* a) {
              a[0] = -1000 * (q[0] - std::cos(t)) - 1001 * (v[0] + std::sin(t)) - std::cos(t);
              a[1] = -q[1];
            }};
  }
  static VecX solution(double t) {
    return vec({std::cos(t), std::sin(t), -std::sin(t), std::cos(t)});
  }
};

std::vector<RuleEntry> explicit_rules() {
  std::vector<RuleEntry> found;
  for (const RuleEntry& entry : rules())
    if (entry.control != StepControl::fixed && entry.reach > 0) found.push_back(entry);
  return found;
}

TEST(Stiffness, IsNotedByEveryExplicitRuleAndNamed) {
  for (const RuleEntry& entry : explicit_rules())
    for (const double tolerance : {1e-3, 1e-6}) {
      Newton problem = Follower::problem();
      Driver driver(problem, entry, {tolerance, tolerance}, {});
      driver.start(0, Follower::solution(0));
      Silent silent;
      ASSERT_EQ(driver.run(5, silent).ending, Ending::reached) << entry.name;
      ASSERT_EQ(driver.notes().size(), 1u)
          << entry.name << " " << tolerance
          << ": h λ = " << 5000.0 / static_cast<double>(driver.rule().counts().steps);
      EXPECT_EQ(driver.notes()[0].what, "stiff");
      EXPECT_EQ(driver.notes()[0].element, "v0") << entry.name;
      EXPECT_THAT(driver.notes()[0].advice, testing::HasSubstr(entry.name));
      EXPECT_LT((driver.rule().y() - Follower::solution(5)).lpNorm<Eigen::Infinity>(),
                10 * tolerance)
          << entry.name;
    }
}

// q̈ = cos t - 10 sign v slides at v = 0, and no event says so.
TEST(Steps, ThatBecomeTinyAreNoted) {
  Newton problem(1, [](double t, const double*, const double* v, double* a) {
    a[0] = std::cos(t) - (v[0] > 0 ? 10 : v[0] < 0 ? -10 : 0);
  });
  class Impatient final : public Observer {
   public:
    void on_step(Rule&) override { ++steps; }
    bool go_on() override { return steps < 201'000; }
    long steps = 0;
  };
  for (const char* name : {"dopri5", "abm", "radau5", "ida"}) {
    Impatient observer;
    Driver driver(problem, check_rule(name), {1e-8, 1e-8}, {});
    driver.start(0, vec({0, 1}));
    ASSERT_EQ(driver.run(10, observer).ending, Ending::interrupted) << name;
    ASSERT_EQ(driver.notes().size(), 1u) << name;
    EXPECT_THAT(driver.notes()[0].what, testing::AnyOf("slow", "stiff")) << name;
    EXPECT_NEAR(driver.notes()[0].t, 0.1, 0.1) << name;
  }
}

// A root function that fires every 50 µs of a run of 10 s.
TEST(Steps, BetweenEventsWithoutEndAreNoted) {
  class Ticking final : public Newton {
   public:
    using Newton::Newton;
    int root_count() const override { return 1; }
    void calc_roots(double t, const VecX&, VecX& roots) override {
      roots[0] = std::sin(2 * std::numbers::pi * t / 50e-6);
    }
    std::string root_name(int) const override { return "clock"; }
  } problem(1, [](double, const double*, const double*, double* a) { a[0] = 0; });
  class Impatient final : public Observer {
   public:
    void on_step(Rule&) override {}
    void on_event(double, const VecX&, const std::vector<std::string>&) override { ++events; }
    bool go_on() override { return events < 150; }
    int events = 0;
  } observer;
  Driver driver(problem, check_rule("dopri5"), {1e-6, 1e-6}, {.longest = 10e-6});
  driver.start(0, vec({0, 1}));
  ASSERT_EQ(driver.run(10, observer).ending, Ending::interrupted);
  ASSERT_EQ(driver.notes().size(), 1u);
  EXPECT_EQ(driver.notes()[0].what, "chattering");
  EXPECT_EQ(driver.notes()[0].element, "clock");
}

// An orbit, a fast oscillation with little damping, and a decay: all have to be followed.
TEST(Stiffness, IsNotSeenWhereAccuracyDecides) {
  const auto run = [](Problem& problem, const RuleEntry& entry, const VecX& y, double t_end,
                      double tolerance) {
    Driver driver(problem, entry, {tolerance, tolerance}, {});
    driver.start(0, y);
    Silent silent;
    ASSERT_EQ(driver.run(t_end, silent).ending, Ending::reached) << entry.name;
    EXPECT_TRUE(driver.notes().empty()) << entry.name << " " << tolerance;
  };
  Newton orbit = Kepler::problem();
  Newton fast(1, [](double, const double* q, const double* v, double* a) {
    a[0] = -1e6 * q[0] - 2 * v[0];
  });
  Newton decay(1, [](double, const double* q, const double* v, double* a) {
    a[0] = -100 * q[0] - 20 * v[0];
  });
  for (const RuleEntry& entry : explicit_rules())
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      run(orbit, entry, Kepler::solution(0), 20, tolerance);
      run(fast, entry, vec({1, 0}), 0.5, tolerance);
      run(decay, entry, vec({1, -10}), -std::log(tolerance) / 10, tolerance);
    }
}

TEST(Stiffness, IsNotSaidOfRulesForStiffProblems) {
  for (const char* name : {"ida", "radau5", "generalised-alpha", "cvode-bdf"}) {
    Newton problem = Follower::problem();
    Driver driver(problem, check_rule(name), {1e-4, 1e-4}, {});
    driver.start(0, Follower::solution(0));
    Silent silent;
    ASSERT_EQ(driver.run(5, silent).ending, Ending::reached) << name;
    EXPECT_TRUE(driver.notes().empty()) << name;
  }
}

}  // namespace
}  // namespace couplet::integrate
