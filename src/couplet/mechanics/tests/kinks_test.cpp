// Kinks are events that may happen as often as they like: of tables, of lines, of constraints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using testing::HasSubstr;

std::string slider(const std::string& tables, const std::string& more) {
  return "gravity: none\n" + tables +
         "bodies: {mass: {mass: 1, particle: true}}\n"
         "joints: {s: {type: prismatic, from: world, to: mass, axis: x" +
         more + "}}\n";
}

std::vector<const char*> rules_with_tolerance() {
  std::vector<const char*> names;
  for (const integrate::RuleEntry& entry : integrate::rules())
    if (entry.control != integrate::StepControl::fixed && entry.order > 2)
      names.push_back(entry.name);
  return names;
}

// v is the area under the table, straight from point to point: 1 + 1.5 + 3 + 0 + 2.
TEST(Kinks, OfTablesOverTimeAreEndsOfSteps) {
  const std::string table = "tables: {f: {x: [0, 1, 2, 3, 4, 5], y: [0, 2, 1, 5, -5, 9]}}\n";
  for (const char* rule : rules_with_tolerance()) {
    Summary summary;
    const results::Recording r =
        simulate(mechanism_of(slider(table, ", force: f(t)")), with(rule, 1e-9, 5), &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << rule << summary.outcome.message;
    EXPECT_EQ(summary.counts.events, 4) << rule;
    EXPECT_NEAR(last(r, "s.v"), 7.5, 1e-8) << rule;
  }
}

// A spring twice as stiff on one side: half an oscillation of ω = 2, half of ω = √8, three times.
TEST(Kinks, OfTablesOverStatesAreLocated) {
  const std::string table = "tables: {f: {x: [-1, 0, 1], y: [4, 0, -8], outside: linear}}\n";
  const double period = std::numbers::pi / 2 + std::numbers::pi / std::sqrt(8.0);
  for (const char* rule : rules_with_tolerance()) {
    const results::Recording r = simulate(mechanism_of(slider(table, ", q: 0.5, force: f(s.q)")),
                                          with(rule, 1e-9, 3 * period));
    EXPECT_NEAR(last(r, "s.q"), 0.5, 1e-7) << rule;
    EXPECT_NEAR(last(r, "s.v"), 0, 1e-6) << rule;
  }
}

// A map is bilinear: along x at y = ½ it is the mean of its columns.
TEST(Kinks, OfMapsAreLocated) {
  const std::string table =
      "tables: {f: {x: [0, 1, 2], y: [0, 1], z: [[0, 0], [2, 4], [0, 6]], outside: hold}}\n";
  const results::Recording r =
      simulate(mechanism_of(slider(table, ", force: \"f(t, 0.5)\"")), with("dop853", 1e-10, 3));
  EXPECT_NEAR(last(r, "s.v"), 1.5 + 3 + 3, 1e-11);
}

TEST(Kinks, OfPeriodicTablesComeBack) {
  const std::string table = "tables: {f: {x: [0, 1, 2], y: [0, 2, 0], periodic: true}}\n";
  Summary summary;
  const results::Recording r =
      simulate(mechanism_of(slider(table, ", force: f(t)")), with("dop853", 1e-10, 9), &summary);
  EXPECT_NEAR(last(r, "s.v"), 9, 1e-11);
  EXPECT_NEAR(static_cast<double>(summary.counts.events), 8.5, 0.5);  // one may be at the end
}

// What comes to rest at a kink passes it again and again, by round-off; nothing is wrong with that.
TEST(Kinks, MayBePlacesOfRest) {
  const std::string table = "tables: {f: {x: [-1, 0, 1], y: [40, 0, -80], outside: linear}}\n";
  for (const char* force :
       {"f(s.q) - 30*s.v", "-min(40*s.q, 0) - 50*max(s.q, 0) - 4*abs(s.q) - 30*s.v",
        "(if s.q > 0 then -80*s.q else -40*s.q) - 30*s.v"})
    for (const char* rule : rules_with_tolerance()) {
      Summary summary;
      const results::Recording r =
          simulate(mechanism_of(slider(table, ", q: 0.3, force: \"" + std::string(force) + "\"")),
                   with(rule, 1e-6, 50), &summary);
      ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
          << rule << " " << force << ": " << summary.outcome.message;
      EXPECT_NEAR(last(r, "s.q"), 0, 1e-5) << rule;
      EXPECT_LT(summary.counts.steps, 20000) << rule << " " << force;
    }
}

// A ball that settles on the floor of a one-sided spring, which holds it up at z = -g/k.
TEST(Kinks, OneSidedSpringsLetThingsComeToRest) {
  const auto mechanism = mechanism_of(
      "bodies: {ball: {mass: 1, particle: true}}\n"
      "joints: {z: {type: prismatic, from: world, to: ball, axis: z, q: 0.5,\n"
      "             force: \"max(0, -1000*q - 5*v)*(if q < 0 then 1 else 0)\"}}\n");
  for (const char* rule : rules_with_tolerance()) {
    Summary summary;
    const results::Recording r = simulate(mechanism, with(rule, 1e-7, 20), &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << rule << ": " << summary.outcome.message;
    EXPECT_NEAR(last(r, "z.q"), -9.81 / 1000, 1e-6) << rule;
    EXPECT_NEAR(last(r, "z.v"), 0, 1e-5) << rule;
  }
}

// A rope of 1 m: free flight for 1 s, half an oscillation of ω = 7, and back.
TEST(Kinks, OfLinesAreLocated) {
  const auto mechanism = mechanism_of(
      slider("", ", q: 0.5, v: 0.5") +
      "forces: {rope: {spring-damper: {from: world, to: mass, stiffness: 0, length: 1, damping: 0, "
      "force: \"if length > 1 then 49*(length - 1) else 0\"}}}\n");
  const double t = 1 + std::numbers::pi / 7 + 0.6;
  for (const char* rule : rules_with_tolerance()) {
    Summary summary;
    const results::Recording r = simulate(mechanism, with(rule, 1e-9, t), &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached) << summary.outcome.message;
    EXPECT_EQ(summary.counts.events, 2) << rule;
    EXPECT_NEAR(last(r, "s.q"), 0.7, 1e-6) << rule;
  }
}

// A joint that follows another by an expression with two sides, equal in value and slope.
TEST(Conditions, OfConstraintsAreEvents) {
  const auto pair = [](const std::string& value) {
    return mechanism_of(
        "gravity: none\n"
        "bodies: {a: {mass: 1, particle: true}, b: {mass: 1, particle: true}}\n"
        "joints:\n"
        "  a: {type: prismatic, from: world, to: a, axis: x, motion: t - 1}\n"
        "  b: {type: prismatic, from: world, to: b, axis: y, q: 0}\n"
        "constraints: {cam: {type: relation, value: \"b.q - (" +
        value + ")\"}}\n");
  };
  for (const char* rule : {"dopri5", "hem5", "ida", "radau5"}) {
    RunOptions options = with(rule, 1e-8, 2.5);
    options.record = {"b.q", "b.v", "b.vdot"};
    Summary summary;
    const results::Recording r =
        simulate(pair("if a.q > 0 then 3*a.q^2 else 0"), options, &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached) << summary.outcome.message;
    EXPECT_EQ(summary.counts.events, 1) << rule;
    EXPECT_NEAR(last(r, "b.q"), 3 * 1.5 * 1.5, 1e-9) << rule;
    EXPECT_NEAR(last(r, "b.vdot"), 6, 1e-7) << rule;
  }
  Summary summary;
  simulate(pair("max(a.q, 0)"), with("dopri5", 1e-8, 2), &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
  EXPECT_THAT(summary.outcome.message, HasSubstr("constraint 'cam'"));
  EXPECT_THAT(summary.outcome.message, HasSubstr("jumps by 1 in its speed"));
}

TEST(Conditions, OfLengthsAreEvents) {
  const auto rod = [](const std::string& length) {
    return mechanism_of(
        "gravity: none\n"
        "bodies: {a: {mass: 1, particle: true}}\n"
        "joints: {s: {type: prismatic, from: world, to: a, axis: x, q: 1}}\n"
        "constraints: {rod: {type: distance, from: world, to: a, length: \"" +
        length + "\"}}\n");
  };
  Summary summary;
  const results::Recording r =
      simulate(rod("if t > 1 then 1 + 0.1*(t - 1)^2 else 1"), with("dopri5", 1e-8, 3), &summary);
  EXPECT_EQ(summary.counts.events, 1);
  EXPECT_NEAR(last(r, "s.q"), 1.4, 1e-9);
  simulate(rod("if t > 1 then 2 else 1"), with("dopri5", 1e-8, 3), &summary);
  EXPECT_THAT(summary.outcome.message, HasSubstr("constraint 'rod'"));
  EXPECT_THAT(summary.outcome.message, HasSubstr("jumps by 1 in its position"));
}

// Straight lines between points are no motion of a joint: its speed jumps at each.
TEST(Tables, OfMotionsMustNotHaveCorners) {
  Summary summary;
  simulate(mechanism_of(slider("tables: {f: {x: [0, 1, 2], y: [0, 2, 1]}}\n", ", motion: f(t)")),
           with("dopri5", 1e-8, 2), &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
  EXPECT_THAT(summary.outcome.message, HasSubstr("the motion of 's' jumps by -3 in its speed"));
}

}  // namespace
}  // namespace couplet::mechanics
