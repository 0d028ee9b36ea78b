// Rules fire when their conditions become true, whatever makes them so: time, motion, or what else
// happens at an event. A mass that nothing moves feels F = 1 from an event on: v = T - t.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using testing::HasSubstr;

constexpr double end = 60;

results::Recording run(const std::string& rules, const char* rule, Summary* summary = nullptr,
                       double t_end = end, const std::string& joint = "") {
  return simulate(
      mechanism_of("parameters: {F: 0, k: 2}\n"
                   "bodies: {mass: {mass: 1, particle: true}}\n"
                   "joints: {s: {type: prismatic, from: world, to: mass, axis: x, force: F" +
                   joint + "}}\nstates: {x: {rate: 1}, y: {rate: 0}}\nwhen: {" + rules + "}\n"),
      with(rule, 1e-8, t_end), summary);
}

constexpr const char* one_of_each_kind[] = {"dopri5", "gbs", "abm", "cvode-bdf", "ida", "radau5"};

// Each holds for a millisecond or less near t = 40; nothing else would make a step end there.
TEST(Rules, OfShortMomentsFire) {
  for (const char* condition :
       {"t > 40 and t < 40.001", "x > 40 and x < 40.001", "abs(t - 40.0001) < 1e-4",
        "abs(x - 40.0001) < 1e-4", "not (t <= 40 or x >= 40.001)", "mod(t, 40) < 1e-4 and t > 1",
        "(if t > 40 and t < 40.001 then 1 else -1) > 0", "floor(x) >= 40 and x < 40.000001",
        "max(40 - t, x - 40.001) < 0"})
    for (const char* rule : one_of_each_kind)
      EXPECT_NEAR(
          last(run(std::string("a: {condition: \"") + condition + "\", set: {F: 1}}", rule), "s.v"),
          20, 1e-6)
          << condition << " " << rule;
}

TEST(Rules, FireAtTheStartAndAtTheEnd) {
  for (const char* rule : one_of_each_kind) {
    EXPECT_NEAR(last(run("a: {at: 0, set: {F: 1}}", rule), "s.v"), end, 1e-9) << rule;
    EXPECT_NEAR(last(run("a: {condition: t > 0, set: {F: 1}}", rule), "s.v"), end, 1e-9) << rule;
    EXPECT_EQ(last(run("a: {at: 60, reset: {s.v: 7}}", rule), "s.v"), 7) << rule;
    EXPECT_EQ(last(run("a: {condition: t >= 60, reset: {s.v: 7}}", rule), "s.v"), 7) << rule;
    EXPECT_EQ(last(run("a: {condition: t >= 0, set: {F: 1}}", rule), "s.v"), 0) << rule;  // waits
  }
}

// Values are those before the event, in whatever order the rules are written.
TEST(Rules, ThatFireTogetherDoNotSeeEachOther) {
  for (const char* rules :
       {"a: {at: 1, set: {F: k}}, b: {at: 1, set: {k: 5}}",
        "b: {at: 1, set: {k: 5}}, a: {at: 1, set: {F: k}}",
        "b: {at: 1, set: {k: 5}}, a: {condition: t > 1, set: {F: k}}",
        "b: {condition: x > 1, set: {k: 5}}, a: {condition: x > 1, set: {F: k}}"})
    for (const char* rule : one_of_each_kind)
      EXPECT_NEAR(last(run(rules, rule, nullptr, 2), "s.v"), 2, 1e-6) << rules << " " << rule;
}

// What another rule makes true has become true, too.
TEST(Rules, FollowEachOther) {
  for (const char* rule : one_of_each_kind) {
    const results::Recording r =
        run("c: {condition: s.v > 0.5, set: {F: 1}}, b: {condition: y > 3, reset: {y: 0, s.v: 1}}, "
            "a: {at: 1, reset: {y: 5}}",
            rule, nullptr, 2);
    EXPECT_NEAR(last(r, "s.v"), 2, 1e-9) << rule;
    EXPECT_EQ(last(r, "y"), 0) << rule;
  }
  Summary summary;
  run("a: {at: 1, reset: {y: 5}}, b: {condition: y > 3, reset: {y: 0}}, "
      "c: {condition: y < 1 and t > 1, reset: {y: 4}}",
      "dopri5", &summary, 2);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
  EXPECT_THAT(summary.outcome.message, HasSubstr("rules set each other off without end"));
}

// An impact turns the speed round: rules that ask for its sign see it. 4 m/s there, 2 back.
TEST(Rules, SeeWhatAnImpactDoes) {
  for (const char* rule : one_of_each_kind) {
    const results::Recording r = run("a: {condition: s.v < 0, set: {F: 1}}", rule, nullptr, 3,
                                     ", v: 4, limits: {upper: 4, restitution: 0.5}");
    EXPECT_NEAR(last(r, "s.v"), -2 + 2, 1e-6) << rule;
  }
}

// 0.1·3 > 0.3 by one rounding: no rule of integration can step from one to the other.
TEST(Rules, AtTimesThatDifferByRoundingBothFire) {
  for (const char* rule : one_of_each_kind)
    EXPECT_NEAR(last(run("a: {at: [0.3, 1, 1.0000000000000002], reset: {y: \"y + 1\"}}, "
                         "b: {condition: t > 0.1*3, set: {F: y}}",
                         rule, nullptr, 2),
                     "s.v"),
                1.7, 1e-9)
        << rule;
}

// v̇ = 5 where v < 0 was seen last, -5 where v > 0 was: nothing but sliding is left.
TEST(Rules, ThatFightAreNamed) {
  for (const char* also : {"", " and t > 0.1", " and x > 0.1"}) {
    for (const char* rule : one_of_each_kind) {
      Summary summary;
      const std::string more(also);
      run("a: {condition: \"s.v < 0" + more + "\", set: {F: 5}}, b: {condition: \"s.v > 0" + more +
              "\", set: {F: -5}}, c: {at: 0, set: {F: -5}}",
          rule, &summary, 3, ", v: 1");
      EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed) << rule << also;
      EXPECT_THAT(summary.outcome.message, HasSubstr("events accumulate at t = 0.2")) << rule;
    }
  }
}

}  // namespace
}  // namespace couplet::mechanics
