// Steps by the tolerance can be bounded, and every rule keeps to that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "conformance.hpp"
#include "couplet/base/diagnostics.hpp"
#include "sample_problems.hpp"

namespace couplet::integrate {
namespace {

std::vector<RuleEntry> rules_with_tolerance() {
  std::vector<RuleEntry> found;
  for (const RuleEntry& entry : rules())
    if (entry.control != StepControl::fixed) found.push_back(entry);
  return found;
}

class Lengths final : public Observer {
 public:
  void on_step(Rule& rule) override {
    const double h = rule.t_to() - rule.t_from();
    if (longest == 0) first = h;
    longest = std::max(longest, h);
  }
  double first = 0, longest = 0;
};

TEST(Steps, AreNoLongerThanTheLongest) {
  for (const RuleEntry& entry : rules_with_tolerance()) {
    Lengths lengths;
    Newton problem = DampedOscillator::problem();
    Driver driver(problem, entry, {1e-3, 1e-3}, {.longest = 0.01});
    driver.start(0, DampedOscillator::solution(0));
    ASSERT_EQ(driver.run(3.0001, lengths).ending, Ending::reached) << entry.name;
    EXPECT_LE(lengths.longest, 0.01 * (1 + 1e-12)) << entry.name;
    EXPECT_GE(lengths.longest, 0.005) << entry.name;  // they are used
    EXPECT_EQ(driver.rule().t(), 3.0001) << entry.name;
  }
}

// A mass at rest, pushed from 5 s to 5.2 s by a force without a corner, 50 (1 - cos 10πt): it then
// has the speed 50 · 0.2. Nothing tells an integrator of it before.
TEST(Steps, ThatAreShortEnoughSeeWhatIsShort) {
  Newton problem(1, [](double t, const double*, const double*, double* a) {
    a[0] = t > 5 && t < 5.2 ? 50 * (1 - std::cos(10 * std::numbers::pi * t)) : 0;
  });
  for (const RuleEntry& entry : rules_with_tolerance()) {
    Driver blind(problem, entry, {1e-6, 1e-6}, {}),
        bounded(problem, entry, {1e-6, 1e-6}, {.longest = 0.05});
    Silent silent;
    for (Driver* driver : {&blind, &bounded}) {
      driver->start(0, vec({0, 0}));
      ASSERT_EQ(driver->run(100, silent).ending, Ending::reached) << entry.name;
    }
    EXPECT_EQ(blind.rule().y()[1], 0) << entry.name;  // what the option is for
    EXPECT_NEAR(bounded.rule().y()[1], 10, 1e-4) << entry.name;
  }
}

// At rest where q is large, rates say nothing about how long a step may be.
TEST(Steps, BeginNoLongerThanTheFirst) {
  Newton problem(1, [](double, const double* q, const double*, double* a) { a[0] = 1 - q[0]; });
  for (const RuleEntry& entry : rules_with_tolerance()) {
    Lengths lengths;
    Driver driver(problem, entry, {1e-6, 1e-6}, {.first = 0.02});
    driver.start(0, vec({1, 0}));
    ASSERT_EQ(driver.run(100, lengths).ending, Ending::reached) << entry.name;
    EXPECT_LE(lengths.first, 0.02 * (1 + 1e-12)) << entry.name;
    EXPECT_GT(lengths.longest, 0.2) << entry.name;
  }
}

TEST(Steps, BoundedOnesGoOnFromAnArchiveBitForBit) {
  Newton problem = Kepler::problem();
  for (const RuleEntry& entry : rules_with_tolerance())
    expect_same_bits_from_archive(entry, problem, {Kepler::solution(0), VecX::Zero(4), 5, 7},
                                  DriverOptions{.longest = 0.02, .first = 0.001});
}

TEST(Steps, BoundsThatAreNotPossibleAreRefused) {
  Newton problem = DampedOscillator::problem();
  const auto refusal = [&](const char* rule, const DriverOptions& options) -> std::string {
    try {
      Driver(problem, check_rule(rule), {}, options);
    } catch (const base::UserError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(refusal("rk4", {.step = 0.1, .longest = 0.2}), testing::HasSubstr("leave out"));
  EXPECT_THAT(refusal("dopri5", {.step = 0.1, .longest = 0.2}), testing::HasSubstr("leave out"));
  EXPECT_THAT(refusal("rk4", {.longest = 0.2}), testing::HasSubstr("no error estimate"));
  EXPECT_THAT(refusal("dopri5", {.longest = 0}), testing::HasSubstr("at most 0 s"));
  EXPECT_THAT(refusal("ida", {.longest = std::nan("")}), testing::HasSubstr("not possible"));
}

}  // namespace
}  // namespace couplet::integrate
