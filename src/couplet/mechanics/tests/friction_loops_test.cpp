// Joints that stick and slip while loops are closed, with every kind of rule; friction in a plane
// whose slip turns.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

std::shared_ptr<const Mechanism> five_bar(double coefficient) {
  return mechanism_of(fmt::format(R"(
points: {{G: [1, 0, 0.4]}}
bodies:
  a: {{mass: 1, com: [0.3, 0, 0], inertia: [0.02, 0.03, 0.035], points: {{end: [0.6, 0, 0]}}}}
  b: {{mass: 1, com: [0.3, 0, 0.05], inertia: [0.02, 0.03, 0.035], points: {{end: [0.6, 0, 0]}}}}
  c: {{mass: 1, com: [0.3, 0, 0], inertia: [0.02, 0.03, 0.035], points: {{end: [0.6, 0, 0]}}}}
joints:
  X: {{type: revolute, from: world, to: a, axis: y, friction: {{coefficient: {}, radius: 0.2}}}}
  E: {{type: revolute, from: a.end, to: b, axis: y}}
  F: {{type: revolute, from: b.end, to: c, axis: y}}
constraints: {{rod: {{type: distance, from: world.G, to: c.end, length: 0.5}}}}
)",
                                  coefficient));
}

// A hinge that never slips does no work, and stands still to rounding however short the steps are.
TEST(FrictionInLoops, WhatSticksStays) {
  std::vector<RunOptions> runs;
  for (const char* rule : {"rk4", "abm"}) {
    runs.push_back(with(rule, 1e-6, 0.2));
    runs.back().step = 1e-5;
  }
  for (const char* rule : {"dopri5", "abm", "hem5", "mexx", "radau5"})
    runs.push_back(with(rule, 1e-11, 0.5));
  for (const char* rule : {"ida", "generalised-alpha"}) runs.push_back(with(rule, 1e-7, 0.5));
  for (const RunOptions& options : runs) {
    Summary summary;
    const results::Recording r = simulate(five_bar(5), options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << options.integrator << summary.outcome.message;
    // The error of a run, in J of some 5 J.
    const double most = options.step ? 1e-11 : 100 * options.tolerance.relative;
    EXPECT_NEAR(summary.energy_end, summary.energy_start, most) << options.integrator;
    double fastest = 0;
    for (size_t i = 0; i < r.rows(); ++i)
      fastest = std::max(fastest, std::abs(r.at(i, r.find("X.v").value())));
    EXPECT_LT(fastest, 1e-13) << options.integrator;
  }
}

// It sticks and slips again. Friction depends on v̇ and λ nonlinearly, and Newton's method needs to
// know how: with secants over the size of v̇ instead of tangents ida took 375,000 steps.
TEST(FrictionInLoops, AllRulesAgreeOnStickAndSlip) {
  const results::Recording expected = simulate(five_bar(0.5), with("dop853", 1e-11, 1));
  for (const char* rule : {"dopri5", "hem5", "mexx", "cvode-bdf", "ida", "radau5"}) {
    Summary summary;
    const results::Recording r = simulate(five_bar(0.5), with(rule, 1e-7, 1), &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << rule << summary.outcome.message;
    EXPECT_LT(summary.counts.steps, 10'000) << rule;
    for (const char* name : {"X.q", "E.q", "F.q"})
      EXPECT_NEAR(last(r, name), last(expected, name), 1e-6) << rule << name;
  }
}

// v̇ = g_t - μ g v/|v| wherever a puck slides, and its direction may turn as far as it likes.
TEST(FrictionInLoops, SlipThatTurnsIsAlwaysOpposed) {
  RunOptions options = with("dopri5", 1e-9, 1);
  options.record = {"X.vx", "X.vy", "X.vxdot", "X.vydot"};
  Summary summary;
  const results::Recording r = simulate(mechanism_of(R"(
gravity: [0, -2, -9.81]
bodies: {p: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {X: {type: planar, from: world, to: p, axis: z, v: [0.5, 1, 0], friction: {coefficient: 0.05, radius: 0.1}}}
)"),
                                        options, &summary);
  EXPECT_EQ(summary.counts.events, 0);
  for (size_t i = 0; i < r.rows(); ++i) {
    const auto at = [&](const char* name) { return r.at(i, r.find(name).value()); };
    const double size = std::hypot(at("X.vx"), at("X.vy")), most = 0.05 * 9.81;
    EXPECT_NEAR(at("X.vxdot"), -most * at("X.vx") / size, 1e-12) << at("t");
    EXPECT_NEAR(at("X.vydot"), -2 - most * at("X.vy") / size, 1e-12) << at("t");
  }
}

}  // namespace
}  // namespace couplet::mechanics
