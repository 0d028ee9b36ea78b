// What happens between the points of a step that are looked at: conditions of the motion that hold
// for a moment, bumps that a step would pass, and both after a run was interrupted.
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
         "joints: {s: {type: prismatic, from: world, to: mass, axis: x, v: 1, " +
         more + "}}\n";
}

/// Those with a tolerance, and one that they keep.
std::vector<const integrate::RuleEntry*> rules_with_tolerance() {
  std::vector<const integrate::RuleEntry*> found;
  for (const integrate::RuleEntry& entry : integrate::rules())
    if (entry.control != integrate::StepControl::fixed && entry.order > 1) found.push_back(&entry);
  return found;
}

double end_of(const std::string& text, const char* rule, const char* signal, double t_end,
              double tolerance = 1e-8) {
  RunOptions options = with(rule, tolerance, t_end);
  options.interval = t_end / 2;  // what is recorded does not matter
  Summary summary;
  const results::Recording r = simulate(mechanism_of(text), options, &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached) << rule << summary.outcome.message;
  return last(r, signal);
}

// A force F exp(-((q - 4)/w)²) that a mass passes at 1 m/s does the work F w √π, and so does what
// depends on the speed or the time besides: v²/2 grows by it.
TEST(Hidden, NoBumpIsTooNarrow) {
  const double exact = std::sqrt(1 + 2 * std::sqrt(std::numbers::pi));
  for (const double w : {1e-1, 1e-2, 1e-4, 1e-6})
    for (const char* shape : {"exp(-((s.q - 4)/w)^2)", "(2 + s.v)*exp(-((s.q - 4)/w)^2)/(2 + s.v)",
                              "sqrt(pi)/2/cosh((s.q - 4)/w)^2"})
      for (const integrate::RuleEntry* rule : rules_with_tolerance()) {
        const std::string model = fmt::format("parameters: {{w: {}}}\n", w) +
                                  slider(fmt::format("force: \"{}/w\"", shape));
        EXPECT_NEAR(end_of(model, rule->name, "s.v", 10, 1e-6), exact, 1e-4)  // 100 tolerances
            << rule->name << " " << shape << " " << w;
      }
}

// Where a bump has been passed, forces are as stiff as at its flank no more: Newton's method with
// derivatives from there makes small changes, which are no sign of convergence. [The speed behind
// the bump had been anything from -4 to 35]
TEST(Hidden, WhatWasStiffAndIsNoMoreDoesNotHideErrors) {
  for (const double work : {1.0, 0.3, -0.3})
    for (const double w : {1e-3, 1e-5, 1e-6})
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
        for (const char* rule : {"radau5", "auto", "ida", "cvode-bdf"}) {
          const std::string model =
              slider(fmt::format("force: \"{}*exp(-((s.q - 4)/{})^2)/{}/sqrt(pi)\"", work, w, w));
          EXPECT_NEAR(end_of(model, rule, "s.v", 10, tolerance), std::sqrt(1 + 2 * work),
                      300 * tolerance)
              << rule << " " << work << " " << w << " " << tolerance;
        }
}

// Bumps in the rate of a state, in what two bodies make of their places, and in a constraint: the
// follower of a cam with one bump stands where the cam says.
TEST(Hidden, BumpsAreSeenWhereverTheyAre) {
  const std::string state =
      "states: {x: {start: 0, rate: \"1000*exp(-((s.q - 4)/1e-3)^2)\"}}\n" + slider("q: 0");
  const std::string two =
      "bodies: {a: {mass: 1, particle: true}, b: {mass: 1, particle: true}}\n"
      "joints:\n"
      "  p: {type: prismatic, from: world, to: a, axis: x, v: 1}\n"
      "  r: {type: prismatic, from: world, to: b, axis: x, q: 4, v: -1, force: "
      "\"1000*exp(-((p.q - r.q)/1e-3)^2)\"}\n";
  for (const integrate::RuleEntry* rule : rules_with_tolerance()) {
    EXPECT_NEAR(end_of(state, rule->name, "x", 10, 1e-6), std::sqrt(std::numbers::pi), 1e-4)
        << rule->name;
    // Only b feels it: with the relative speed u, u²/2 = 2 - ∫ a dx, or b goes faster by Δ.
    const double u = std::sqrt(4 - 2 * std::sqrt(std::numbers::pi));
    EXPECT_NEAR(end_of(two, rule->name, "r.v", 10, 1e-6), 1 - u, 1e-4) << rule->name;
  }
}

// A table whose slope is continuous has no events: bounds of its pieces say what it does. The bump
// of height 1/w from 4 - w to 4 + w has the area 1, and is above half of that height over a length
// of w.
TEST(Hidden, TablesAreSeenWhereverTheyAre) {
  for (const double w : {1e-1, 1e-2, 1e-5}) {
    const auto table = [&](const char* interpolation, double at, double width, double height) {
      return fmt::format(
          "tables: {{bump: {{x: [-90, {}, {}, {}, {}, {}, 500], y: [0, 0, 0, {}, 0, 0, 0], "
          "interpolation: {}, outside: hold}}}}\n",
          at - 2 * width, at - width, at, at + width, at + 2 * width, height, interpolation);
    };
    const std::string map = fmt::format(
        "tables: {{bump: {{x: [0, {}, 4, {}, 20], y: [-10, 1.2, 10], z: [[0, 0, 0], [0, 0, 0], "
        "[{}, {}, {}], [0, 0, 0], [0, 0, 0]], outside: hold}}}}\n",
        4 - w, 4 + w, 1 / w, 1 / w, 1 / w);
    const std::pair<std::string, double> cases[] = {
        {table("monotone", 4, w, 1 / w) + slider("force: \"bump(s.q)\""), std::sqrt(3)},
        {table("linear", 4, w, 1 / w) + slider("force: \"bump(s.q)\""), std::sqrt(3)},
        {table("monotone", 16, w, 2 / w) + slider("force: \"s.q*bump(s.q^2)\""), std::sqrt(3)},
        {table("monotone", 4, w, 1 / w) + slider("force: \"bump(t)\""), 2},
        {table("monotone", 4, w, 1 / w) +
             slider(fmt::format("force: \"if bump(s.q) > 0.5/{0} then 1/{0} else 0\"", w)),
         std::sqrt(3)},
        {table("monotone", 4, w, 1 / w) +
             slider(fmt::format("force: \"if bump(t) > 0.5/{0} then 1/{0} else 0\"", w)),
         2},
        {slider(fmt::format("force: \"noevent(max(0, 1 - abs(s.q - 4)/{0}))/{0}\"", w)),
         std::sqrt(3)},
        {slider(fmt::format("force: \"s.q*exp(-((s.q - 4)/{0})^2)/{0}/sqrt(pi)\"", w)), 3},
        {slider(fmt::format("force: \"t*exp(-((t - 4)/{0})^2)/{0}/sqrt(pi)\"", w)), 5},
        {map + slider("force: \"bump(s.q, s.v)\""), std::sqrt(3)},
        {map + slider("force: \"bump(s.q, 0.3)\""), std::sqrt(3)}};
    for (const auto& [text, exact] : cases)
      for (const integrate::RuleEntry* rule : rules_with_tolerance()) {
        if (rule->order < 4 && w < 1e-2) continue;  // many steps
        if (w < 1e-2 && (text.find("bump(t)") != std::string::npos ||
                         text.find("noevent") != std::string::npos))
          continue;                                      // not all see them
        if (std::string(rule->name) == "ida") continue;  // may give up, and says so
        EXPECT_NEAR(end_of(text, rule->name, "s.v", 10, 1e-6), exact, 3e-4) << rule->name << "\n"
                                                                            << text;
      }
  }
}

// The user has said how long steps are; then a note tells what they pass over.
TEST(Hidden, StepsThatTheUserChoseSaySo) {
  for (const bool fixed : {true, false}) {
    Summary summary;
    RunOptions options = with(fixed ? "rk4" : "dopri5", 1e-8, 10);
    (fixed ? options.step : options.max_step) = 0.01;
    simulate(mechanism_of(slider("force: \"1000*exp(-((s.q - 4)/1e-4)^2)\"")), options, &summary);
    ASSERT_EQ(summary.notes.size(), 1u);
    EXPECT_EQ(summary.notes[0].what, "not seen");
    EXPECT_THAT(summary.notes[0].element, HasSubstr("'s'"));
    EXPECT_NEAR(summary.notes[0].t, 4, 0.011);
  }
}

// 10 N on the share of the way where sin(500 q) > 0.999, 2 acos(0.999)/500 of it in each period:
// 795 of them in 10 m, which are two events each.
TEST(Hidden, ConditionsOfTheMotionThatComeAndGoAreFound) {
  const std::string model = slider("force: \"if sin(500*s.q) > 0.999 then 10 else 0\"");
  const std::string stop = "when: {end: {condition: \"s.q > 10\", stop: true}}\n";
  const double exact = std::sqrt(1 + 2 * 10 * 796 * 2 * std::acos(0.999) / 500);
  for (const integrate::RuleEntry* rule : rules_with_tolerance()) {
    RunOptions options = with(rule->name, 1e-8, 20);
    Summary summary;
    const results::Recording r = simulate(mechanism_of(model + stop), options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::terminated) << rule->name;
    EXPECT_EQ(summary.counts.events, 2 * 796 + 1) << rule->name;
    EXPECT_NEAR(last(r, "s.v"), exact, 1e-5) << rule->name;
  }
}

// Past a disc of radius r at a distance d from its centre: inside for the time 2 √(r² - d²)/v.
TEST(Hidden, ADiscThatIsPassedInAnInstantIsMet) {
  for (const double r : {1e-1, 1e-3, 1e-6}) {
    const std::string model = fmt::format(
        "bodies: {{a: {{mass: 1, particle: true}}}}\n"
        "joints: {{j: {{type: xyz, from: world, to: a, q: [-3, {0}, 0], v: [2, 0, 0]}}}}\n"
        "gravity: [0, 0, 0]\n"
        "states:\n"
        "  inside: {{start: 0, rate: \"if j.x^2 + j.y^2 < {1} then 1 else 0\"}}\n"
        "  met: {{start: 0, rate: \"0\"}}\n"
        "when: {{meet: {{condition: \"j.x*j.x + j.y*j.y < {1}\", reset: {{met: met + 1}}}}}}\n",
        0.6 * r, r * r);
    for (const integrate::RuleEntry* rule : rules_with_tolerance()) {
      EXPECT_NEAR(end_of(model, rule->name, "inside", 3) / (0.8 * r), 1, 1e-6) << rule->name << r;
      EXPECT_EQ(end_of(model, rule->name, "met", 3), 1) << rule->name << r;
    }
  }
}

// Wherever a run is interrupted, it goes on to the same bits: what it knows of times to come is
// saved, too. Conditions that are as they were at the start had been taken for that.
TEST(Hidden, ConditionsOfTheTimeGoOnFromAnArchiveBitForBit) {
  struct Run : integrate::Observer {
    Run(MechanismProblem& problem_, integrate::Driver& driver_)
        : problem(problem_), driver(driver_) {}
    void on_step(integrate::Rule&) override {}
    bool go_on() override {
      if (driver.rule().t() < next) return true;
      next += 0.37;
      integrate::Archive archive;
      problem.archive(archive);
      driver.archive(archive);
      saved.push_back(archive.numbers());
      return true;
    }
    MechanismProblem& problem;
    integrate::Driver& driver;
    double next = 0.37;
    std::vector<std::vector<double>> saved;
  };
  for (const char* condition :
       {"sin(t^1.5) > 0.9", "sin(3*t) > 0.2 and s.q > 0", "mod(t, 0.7) < 0.3",
        "sin(t^2)*exp(-t/20) > 0.1", "cos(t*s.q) > 0.5", "t > 7 and sin(40*s.q) > 0.3"})
    for (const char* rule : {"dopri5", "gbs", "abm"}) {
      const auto mechanism =
          mechanism_of(slider(fmt::format("force: \"-4*s.q + (if {} then 1 else 0)\"", condition)));
      const integrate::RuleEntry& entry = integrate::check_rule(rule);
      MechanismProblem problem(mechanism);
      integrate::Driver driver(problem, entry, {1e-6, 1e-6}, {.foresees = true});
      Run run(problem, driver);
      driver.start(0, problem.make_y(mechanism->default_state()));
      ASSERT_EQ(driver.run(20, run).ending, integrate::Ending::reached) << condition;
      ASSERT_GT(run.saved.size(), 20u);
      for (const std::vector<double>& numbers : run.saved) {
        MechanismProblem again(mechanism);
        integrate::Driver second(again, entry, {1e-6, 1e-6}, {.foresees = true});
        second.start(0, again.make_y(mechanism->default_state()));
        integrate::Archive loading(numbers);
        again.archive(loading);
        second.archive(loading);
        EXPECT_TRUE(loading.exhausted());
        Run rest(again, second);
        rest.next = 1e9;
        ASSERT_EQ(second.run(20, rest).ending, integrate::Ending::reached) << condition;
        EXPECT_EQ(second.rule().counts().events, driver.rule().counts().events)
            << condition << " " << rule;
        EXPECT_EQ(second.rule().y(), driver.rule().y()) << condition << " " << rule;
      }
    }
}

// A ball that bounces by a rule cannot come to rest by it: whatever the integrator, the run ends
// where the bounces do, and says what comes to rest.
TEST(Hidden, BouncesOfARuleThatAccumulateEndTheRun) {
  const std::string ball =
      "bodies: {m: {mass: 1, particle: true}}\n"
      "joints: {z: {type: prismatic, from: world, to: m, axis: z, q: 1}}\n"
      "when: {k: {condition: \"z.q < 0\", reset: {z.v: \"-0.8*z.v\"}}}\n";
  const double fall = std::sqrt(2 / 9.81), t_rest = fall * (1 + 2 * 0.8 / (1 - 0.8));
  for (const integrate::RuleEntry& entry : integrate::rules()) {
    RunOptions options = with(entry.name, 1e-6, 10);
    if (entry.control == integrate::StepControl::fixed) options.step = 0.01;
    Summary summary;
    simulate(mechanism_of(ball), options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed) << entry.name;
    EXPECT_THAT(summary.outcome.message, HasSubstr("'k'")) << entry.name;
    EXPECT_THAT(summary.outcome.message, HasSubstr("`limits`")) << entry.name;
    if (entry.order > 1) {
      EXPECT_NEAR(summary.t_end, t_rest, 1e-3) << entry.name;
    }
  }
}

}  // namespace
}  // namespace couplet::mechanics
