// Speeds that are given in closed loops, at the start and by rules, and motions that loops do not
// let happen.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

// A slider-crank of lengths 1 and 3 that begins with its crank at 60°.
std::string slider_crank(const std::string& crank, const std::string& rules) {
  return fmt::format(R"(
bodies:
  crank: {{mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {{pin: [1, 0, 0]}}}}
  rod: {{mass: 0.5, com: [1.5, 0, 0], inertia: [0.01, 0.4, 0.4], points: {{end: [3, 0, 0]}}}}
  piston: {{mass: 0.4, inertia: [0.01, 0.01, 0.01]}}
joints:
  main: {{type: revolute, from: world, to: crank, axis: y, q: -60 deg{}}}
  big: {{type: revolute, from: crank.pin, to: rod, axis: y, q: 77 deg}}
  wrist: {{type: revolute, from: rod.end, to: piston, axis: y, cut: true}}
  guide: {{type: prismatic, from: world, to: piston, axis: x, q: 3.4}}
{})",
                     crank, rules);
}

// x = cos φ + √(9 - sin² φ), φ = -q.
double piston_rate(double phi) {
  return -std::sin(phi) -
         std::sin(phi) * std::cos(phi) / std::sqrt(9 - std::sin(phi) * std::sin(phi));
}

TEST(LoopSpeeds, OthersFollowTheSpeedThatIsGiven) {
  const auto mechanism = mechanism_of(slider_crank(", v: 5", ""));
  MechanismProblem problem(mechanism);
  const math::VecX y = problem.make_y(mechanism->default_state());
  const State& state = problem.state(0, y);
  const double phi = -state.q[0];
  EXPECT_EQ(state.v[0], 5);
  EXPECT_NEAR(state.v[2], -5 * piston_rate(phi), 1e-12);
}

// Two that do not fit are changed as little as possible.
TEST(LoopSpeeds, GivenSpeedsThatContradictEachOtherGiveWay) {
  const auto mechanism = mechanism_of(slider_crank(", v: 5", ""));
  MechanismProblem problem(mechanism);
  State start = mechanism->default_state();
  start.v[2] = 100;
  const math::VecX y = problem.make_y(start);
  const State& state = problem.state(0, y);
  EXPECT_GT(std::abs(problem.assembly().speed_change[0]), 1);
  EXPECT_NEAR(state.v[2], -state.v[0] * piston_rate(-state.q[0]), 1e-12 * std::abs(state.v[2]));
}

TEST(LoopSpeeds, ARuleSetsASpeedAndTheLoopFollows) {
  for (const char* integrator : {"dop853", "hem5", "ida", "radau5"}) {
    RunOptions options;
    options.integrator = integrator;
    options.t_end = 0.5;
    Summary summary;
    const results::Recording r =
        simulate(mechanism_of(slider_crank("", "when: {kick: {at: 0.5, reset: {main.v: 7}}}")),
                 options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached) << summary.outcome.message;
    EXPECT_NEAR(last(r, "main.v"), 7, 1e-13) << integrator;
    EXPECT_NEAR(last(r, "guide.v"), -7 * piston_rate(-last(r, "main.q")), 1e-12) << integrator;
  }
}

TEST(LoopSpeeds, ARuleThatAsksForTheImpossibleEndsTheRun) {
  RunOptions options;
  options.t_end = 1;
  Summary summary;
  const results::Recording r = simulate(
      mechanism_of(slider_crank("", "when: {kick: {at: 0.5, reset: {main.v: 7, guide.v: 3}}}")),
      options, &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
  EXPECT_THAT(summary.outcome.message,
              testing::HasSubstr("t = 0.5: rule 'kick' sets main.v to 7, which constraints"));
  EXPECT_EQ(last(r, "t"), 0.5);  // what was computed is kept
}

// The piston reaches 4 = 1 + 3 where crank and rod are in line, after t = (4 - x0)/0.5.
TEST(LoopSpeeds, AMotionOutOfReachIsNamed) {
  std::string text = slider_crank("", "");
  text.replace(text.find("axis: x, q: 3.4"), 15, "axis: x, motion: 3.4 + 0.5*t");
  for (const char* integrator : {"dopri5", "hem5", "mexx", "ida", "radau5"}) {
    RunOptions options;
    options.integrator = integrator;
    options.t_end = 3;
    Summary summary;
    simulate(mechanism_of(text), options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed) << integrator;
    EXPECT_NEAR(summary.t_end, 1.2, 1e-5) << integrator;
    EXPECT_THAT(summary.outcome.message,
                testing::HasSubstr("the prescribed motion of 'guide' may be out of reach"))
        << integrator;
  }
}

}  // namespace
}  // namespace couplet::mechanics
