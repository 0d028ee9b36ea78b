// Positions where rows of the constraints depend on each other, passed by a rule that solves for multipliers.
#include <gtest/gtest.h>

#include "model_text.hpp"

namespace couplet::simulate {
namespace {

// models/benchmarks/four_bars.yaml: flat, and singular, some ten times in ten seconds; the energy is constant.
constexpr const char* four_bars = R"(
gravity: [0, -9.81, 0]
points: {A0: [0, 0, 0], A1: [1, 0, 0], A2: [2, 0, 0]}
bodies:
  up0: &upright {mass: 1, com: [0, 0.5, 0], shape: {rod: {length: 1, axis: y}}, points: {top: [0, 1, 0]}}
  up1: *upright
  up2: *upright
  over0: &coupler {mass: 1, com: [0.5, 0, 0], shape: {rod: {length: 1, axis: x}}, points: {end: [1, 0, 0]}}
  over1: *coupler
joints:
  foot0: {type: revolute, from: world.A0, to: up0, v: -1}
  foot1: {type: revolute, from: world.A1, to: up1, v: -1}
  foot2: {type: revolute, from: world.A2, to: up2, v: -1}
  left0: {type: revolute, from: up0.top, to: over0, v: 1}
  left1: {type: revolute, from: up1.top, to: over1, v: 1}
  right0: {type: revolute, from: over0.end, to: up1.top}
  right1: {type: revolute, from: over1.end, to: up2.top}
)";

// Newton's method fails before them; an explicit step crosses (rules/crossing.hpp).
TEST(SingularPositions, ImplicitRulesPassThem) {
  struct Choice {
    const char* integrator;
    double tolerance;
  };
  for (const auto& [integrator, tolerance] : {Choice{"radau5", 1e-4}, {"radau5", 1e-5}, {"radau5", 1e-6}, {"radau5", 1e-7},
                                              {"radau5", 1e-8}, {"radau5", 1e-9}, {"ida", 1e-6}, {"ida", 1e-7}, {"ida", 1e-8},
                                              {"generalised-alpha", 1e-4}, {"generalised-alpha", 1e-5}}) {
    RunOptions options;
    options.integrator = integrator;
    options.tolerance = {tolerance, tolerance};
    options.t_end = 10;
    Summary summary;
    const results::Recording r = simulate(mechanism_of(four_bars), options, &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached) << integrator << ": " << summary.outcome.message;
    const double start = r.at(0, r.find("energy.total").value());
    EXPECT_NEAR(last(r, "energy.total"), start, 10 * tolerance * start) << integrator << " " << tolerance;
  }
}

}  // namespace
}  // namespace couplet::simulate
