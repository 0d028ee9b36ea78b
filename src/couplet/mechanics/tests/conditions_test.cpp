// Conditions in expressions are events: located, and never stepped over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using testing::HasSubstr;

std::string slider(const std::string& more) {
  return "bodies: {mass: {mass: 1, particle: true}}\n"
         "joints: {s: {type: prismatic, from: world, to: mass, axis: x" +
         more + "}}\n";
}

/// Those that follow conditions to a tolerance.
std::vector<const char*> rules_with_tolerance() {
  std::vector<const char*> names;
  for (const integrate::RuleEntry& entry : integrate::rules())
    if (entry.control != integrate::StepControl::fixed && entry.order > 1)
      names.push_back(entry.name);
  return names;
}

// An oscillator at rest, ω = 2, feels nothing but a pulse of 50 N for 0.2 s at t = 40 s.
TEST(Conditions, APulseIsNotSteppedOver) {
  const auto mechanism =
      mechanism_of(slider(", force: \"-4*s.q + (if t > 40 and t < 40.2 then 50 else 0)\""));
  const double exact = 50.0 / 4 * (std::cos(2 * (60 - 40.2)) - std::cos(2 * (60 - 40.0)));
  for (const char* rule : rules_with_tolerance()) {
    Summary summary;
    const results::Recording r = simulate(mechanism, with(rule, 1e-8, 60), &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << rule << summary.outcome.message;
    EXPECT_EQ(summary.counts.events, 2) << rule;
    EXPECT_NEAR(last(r, "s.q"), exact, 2e-5) << rule;  // 12.5 m, some 50 radians after the pulse
  }
}

// A spring that only pushes: free flight to q = 0 at t = 1, half an oscillation of ω = 3, and back.
TEST(Conditions, AStateThatChangesSidesIsLocated) {
  const auto mechanism =
      mechanism_of(slider(", q: 1, v: -1, force: \"if s.q < 0 then -9*s.q else 0\""));
  const double t = 1 + std::numbers::pi / 3 + 0.5;
  for (const char* rule : rules_with_tolerance()) {
    Summary summary;
    const results::Recording r = simulate(mechanism, with(rule, 1e-9, t), &summary);
    EXPECT_EQ(summary.counts.events, 2) << rule;
    EXPECT_NEAR(last(r, "s.q"), 0.5, 1e-6) << rule;
  }
}

// v grows by 1 in every half second in which the force is on; max and min bound it.
TEST(Conditions, SquareWavesAndStairsAreExact) {
  RunOptions options = with("dopri5", 1e-10, 3.25);
  results::Recording r =
      simulate(mechanism_of(slider(", force: \"if mod(t, 1) < 0.5 then 2 else 0\"")), options);
  EXPECT_NEAR(last(r, "s.v"), 3.5, 1e-12);
  r = simulate(mechanism_of(slider(", force: floor(t)")), options);
  EXPECT_NEAR(last(r, "s.v"), 0 + 1 + 2 + 3 * 0.25, 1e-12);
  r = simulate(mechanism_of(slider(", force: \"max(0, min(1, t - 1))\"")), options);
  EXPECT_NEAR(last(r, "s.v"), 0.5 + 1.25, 1e-12);
  r = simulate(mechanism_of(slider(", force: abs(t - 1)")), options);
  EXPECT_NEAR(last(r, "s.v"), 0.5 + 0.5 * 2.25 * 2.25, 1e-12);
  r = simulate(mechanism_of(slider(", force: \"if t > 0 then 1 else 0\"")), options);
  EXPECT_NEAR(last(r, "s.v"), 3.25, 1e-12);  // right after the start
}

TEST(Conditions, FrictionBySignIsNamedInsteadOfChattering) {
  Summary summary;
  simulate(mechanism_of(slider(", v: 1, force: -10*sign(s.v)")), with("dopri5", 1e-6, 5), &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
  EXPECT_THAT(summary.outcome.message, HasSubstr("events accumulate at t = 0.1 s"));
  EXPECT_THAT(summary.outcome.message, HasSubstr("force 's'"));
  EXPECT_LT(summary.counts.steps, 10000);
}

TEST(Conditions, CanBeLeftOutOfEvents) {
  for (const char* word : {"noevent", "smooth"}) {
    Summary summary;
    simulate(
        mechanism_of(slider(", q: 1, force: \"-4*s.q - " + std::string(word) + "(abs(s.v)*s.v)\"")),
        with("dopri5", 1e-8, 5), &summary);
    EXPECT_EQ(summary.counts.events, 0) << word;
  }
}

TEST(Conditions, WithoutAnEventAreRefused) {
  try {
    simulate(mechanism_of(slider(", force: \"if s.q == 0 then 1 else 0\"")),
             with("dopri5", 1e-6, 1));
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("equal"));
  }
}

// A road that rises in one smooth wave: the wheel follows it, a jump is refused by name.
TEST(Conditions, MotionsAreSeenAndMustNotJump) {
  const auto on_road = [](const std::string& motion) {
    return mechanism_of(
        "bodies: {hub: {mass: 1, particle: true}, car: {mass: 1, particle: true}}\n"
        "joints:\n"
        "  road: {type: prismatic, from: world, to: hub, axis: x, motion: \"" +
        motion +
        "\"}\n"
        "  strut: {type: prismatic, from: hub, to: car, axis: x, stiffness: 100, damping: 2}\n");
  };
  const std::string text = "if t > 5 and t < 6 then 0.05*sin(3.141592653589793*(t - 5))^2 else 0";
  RunOptions options = with("dopri5", 1e-9, 6.5);
  const double seen = last(simulate(on_road(text), options), "strut.q");
  RunOptions fine = options;
  fine.integrator = "rk4";
  fine.step = 1e-4;
  EXPECT_NEAR(seen, last(simulate(on_road(text), fine), "strut.q"), 1e-8);
  EXPECT_GT(std::abs(seen), 1e-4);
  Summary summary;
  simulate(on_road("if t > 1 then 0.1 else 0"), options, &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
  EXPECT_THAT(summary.outcome.message,
              HasSubstr("the motion of 'road' jumps by 0.1 in its position"));
}

}  // namespace
}  // namespace couplet::mechanics
