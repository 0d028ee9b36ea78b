// Conditions in expressions are events: located, and never stepped over.
#include <fmt/format.h>
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

// What is smooth has no event. An undamped oscillator at rest, ω = 2, is left with the amplitude
// F σ √π exp(-ω²σ²/4)/ω by the force F exp(-((t - 40)/σ)²), and q = A sin(ω (t - 40)) afterwards.
TEST(Conditions, ASmoothPulseIsNotSteppedOverEither) {
  const auto mechanism = mechanism_of(slider(", force: \"-4*s.q + 50*exp(-((t - 40)/0.1)^2)\""));
  const double amplitude = 50 * 0.1 * std::sqrt(std::numbers::pi) * std::exp(-0.01) / 2;
  for (const char* rule : rules_with_tolerance()) {
    Summary summary;
    RunOptions options = with(rule, 1e-8, 60);
    options.interval = 20;  // what is recorded does not matter
    const results::Recording r = simulate(mechanism, options, &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << rule << summary.outcome.message;
    EXPECT_NEAR(last(r, "s.q"), amplitude * std::sin(2 * 20.0), 1e-5) << rule;
  }
  RunOptions options = with("dopri5", 1e-8, 60);
  options.max_step = 60;  // the user knows better
  EXPECT_EQ(last(simulate(mechanism, options), "s.q"), 0);
}

// However short it is, and whatever else the force depends on: bounds of what the time does say
// where it has to be looked at. A free mass is left with F σ √π.
TEST(Conditions, NoSmoothPulseIsTooShort) {
  for (const double sigma : {1e-2, 1e-4, 1e-7}) {
    for (const char* shape :
         {"exp(-((t - 40)/w)^2)/w", "exp(-((t - 40)/w)^2)*(2 + sin(t))/(2 + sin(t))/w",
          "(1 + s.q)*exp(-((t - 40)/w)^2)/w/(1 + s.q)"}) {
      const auto mechanism = mechanism_of("parameters: {w: " + fmt::format("{}", sigma) + "}\n" +
                                          slider(std::string(", force: \"") + shape + "\""));
      for (const char* rule : {"dopri5", "gbs", "abm", "cvode-adams", "ida", "radau5"}) {
        RunOptions options = with(rule, 1e-8, 60);
        options.interval = 20;
        EXPECT_NEAR(last(simulate(mechanism, options), "s.v"), std::sqrt(std::numbers::pi), 1e-4)
            << rule << " " << sigma << " " << shape;
      }
    }
  }
}

// Conditions of the time that are not linear are found by bounds, too: the force is 1 for 2 w s.
TEST(Conditions, OfTheTimeAreEventsWhateverTheirForm) {
  for (const char* condition : {"(t - 40)^2 < 1e-6", "exp(-((t - 40)/1e-3)^2) > exp(-1)",
                                "1/(1e-9 + (t - 40)^2) > 1/1.001e-6",
                                "cos((t - 40)/10) > cos(1e-4)", "sqrt(abs(t - 40)) < sqrt(1e-3)"}) {
    const auto mechanism =
        mechanism_of(slider(std::string(", force: \"if ") + condition + " then 500 else 0\""));
    for (const char* rule : rules_with_tolerance()) {
      Summary summary;
      EXPECT_NEAR(last(simulate(mechanism, with(rule, 1e-8, 60), &summary), "s.v"), 1, 1e-6)
          << rule << " " << condition;
    }
  }
}

// Nothing of the time is left in the equations: steps are as long as the motion allows.
TEST(Conditions, StepsAreBoundedOnlyWhereTheTimeMatters) {
  const auto count = [](const std::string& text) {
    Summary summary;
    simulate(mechanism_of(text), with("dopri5", 1e-6, 10), &summary);
    return summary.counts.steps;
  };
  EXPECT_LT(count(slider(", v: 1")), 50);
  EXPECT_LT(count(slider(", v: 1, force: \"if t > 5 then 1 else 0\"")), 50);
  EXPECT_LT(count(slider(", motion: \"2*t\"")), 50);
  EXPECT_GE(count(slider(", motion: \"2*t^3\"")), 1000);
  EXPECT_GE(count(slider(", force: t")), 1000);
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

/// Times at which a signal has two rows with different values.
std::vector<double> jumps(const results::Recording& r, const std::string& name) {
  const size_t t = r.find("t").value(), c = r.find(name).value();
  std::vector<double> times;
  for (size_t i = 1; i < r.rows(); ++i)
    if (r.at(i, t) == r.at(i - 1, t) && r.at(i, c) != r.at(i - 1, c)) times.push_back(r.at(i, t));
  return times;
}

// Free flight, q = 1 - t: conditions of what is recorded have rows on both sides where they change,
// and the motion is the same bits as without them.
TEST(Conditions, OfOutputsHaveRowsOnBothSidesAndDoNotChangeTheMotion) {
  const std::string body = slider(", q: 1, v: -1"),
                    outputs =
                        "outputs:\n"
                        "  pulse: \"if t > 0.4201 and t < 0.4202 then 1 else 0\"\n"
                        "  low: \"if s.q < 0.3337 then 2 else 5\"\n"
                        "  stairs: \"floor(4*t + 0.1)\"\n"
                        "  quiet: \"noevent(if s.q < 0.3337 then 2 else 5)\"\n";
  for (const char* rule : rules_with_tolerance()) {
    RunOptions options = with(rule, 1e-9, 0.9);
    options.interval = 0.1;
    Summary plain, watched;
    const results::Recording without = simulate(mechanism_of(body), options, &plain);
    const results::Recording r = simulate(mechanism_of(body + outputs), options, &watched);
    ASSERT_EQ(watched.outcome.ending, integrate::Ending::reached) << watched.outcome.message;
    EXPECT_EQ(jumps(r, "pulse"), (std::vector{0.4201, 0.4202})) << rule;
    EXPECT_EQ(jumps(r, "quiet").size(), 0u) << rule;
    const std::vector<double> low = jumps(r, "low"), stairs = jumps(r, "stairs");
    ASSERT_EQ(low.size(), 1u) << rule;
    EXPECT_NEAR(low[0], 0.6663, 1e-8) << rule;
    ASSERT_EQ(stairs.size(), 3u) << rule;
    for (size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(stairs[k], 0.225 + 0.25 * static_cast<double>(k), 1e-15) << rule;
    EXPECT_EQ(watched.counts.steps, plain.counts.steps) << rule;
    EXPECT_EQ(last(r, "s.q"), last(without, "s.q")) << rule;
  }
}

// An oscillator is beyond 1 - d at the top of each swing, for 2 acos(1 - d), however long steps
// are.
TEST(Conditions, OfShortVisitsInLongStepsAreFound) {
  for (const double d : {1e-3, 1e-5})
    for (const char* rule : rules_with_tolerance()) {
      Summary summary;
      RunOptions options = with(rule, 1e-2 * d, 12);
      options.interval = 5;
      simulate(mechanism_of(slider(
                   fmt::format(", v: 1, force: \"-s.q - (if s.q > {} then 1e-9 else 0)\"", 1 - d))),
               options, &summary);
      EXPECT_EQ(summary.counts.events, 4) << rule << " " << d;
    }
}

// However long steps are: what is recorded comes and goes many times in one.
TEST(Conditions, OfOutputsThatComeAndGoAreFound) {
  const std::string free = slider(", v: 1"), swinging = slider(", v: 1, force: -s.q");
  for (const char* rule : rules_with_tolerance()) {
    const bool is_long = std::string(rule) == "gbs" || integrate::check_rule(rule).order < 4;
    const double tolerance = is_long ? 1e-7 : 1e-11;
    RunOptions options = with(rule, 1e-6, 10);
    options.interval = 2.5;
    results::Recording r = simulate(
        mechanism_of(free + "outputs:\n  teeth: \"if sin(50*s.q) > 0.999 then 1 else 0\"\n"
                            "  visit: \"if (s.q - 3.3)^2 < 1e-10 then 1 else 0\"\n"
                            "  both: \"if abs(s.q - 7) < 1e-5 then max(0, s.q - 7) else -1\"\n"),
        options);
    EXPECT_EQ(jumps(r, "teeth").size(), 2 * 80u) << rule;
    const std::vector<double> visit = jumps(r, "visit"), both = jumps(r, "both");
    ASSERT_EQ(visit.size(), 2u) << rule;
    EXPECT_NEAR(visit[0], 3.3 - 1e-5, 1e-9) << rule;
    EXPECT_NEAR(visit[1], 3.3 + 1e-5, 1e-9) << rule;
    EXPECT_EQ(both.size(), 2u) << rule;
    // Above 1 - δ at the top of each swing, for a time of 2 √(2δ).
    options.tolerance = {tolerance, tolerance};
    const double height = tolerance < 1e-8 ? 1e-8 : 1e-4;
    r = simulate(
        mechanism_of(swinging + fmt::format("outputs: {{top: \"if s.q > 1 - {} then 1 else "
                                            "0\"}}\n",
                                            height)),
        options);
    const std::vector<double> top = jumps(r, "top");
    ASSERT_EQ(top.size(), 4u) << rule;
    for (size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(
          top[k],
          std::numbers::pi * (k < 2 ? 0.5 : 2.5) + (k % 2 == 0 ? -1 : 1) * std::acos(1 - height),
          2e-2 * std::sqrt(height))
          << rule;
  }
}

}  // namespace
}  // namespace couplet::mechanics
