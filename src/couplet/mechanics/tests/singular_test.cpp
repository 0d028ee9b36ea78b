// Positions where rows of the constraints depend on each other, passed by a rule that solves for
// multipliers.
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

// models/benchmarks/four_bars.yaml: flat, and singular, some ten times in ten seconds; the energy
// is constant.
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
  for (const auto& [integrator, tolerance] : {Choice{"radau5", 1e-4},
                                              {"radau5", 1e-5},
                                              {"radau5", 1e-6},
                                              {"radau5", 1e-7},
                                              {"radau5", 1e-8},
                                              {"radau5", 1e-9},
                                              {"ida", 1e-6},
                                              {"ida", 1e-7},
                                              {"ida", 1e-8},
                                              {"ida", 1e-9},
                                              {"generalised-alpha", 1e-4},
                                              {"generalised-alpha", 1e-5}}) {
    RunOptions options;
    options.integrator = integrator;
    options.tolerance = {tolerance, tolerance};
    options.t_end = 10;
    Summary summary;
    const results::Recording r = simulate(mechanism_of(four_bars), options, &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << integrator << ": " << summary.outcome.message;
    const double start = r.at(0, r.find("energy.total").value());
    EXPECT_NEAR(last(r, "energy.total"), start, 10 * tolerance * start)
        << integrator << " " << tolerance;
  }
}

// A thin disc without spin turns about the line through its lowest point: 5/8 m r² φ̇² = m g r (cos
// φ₀ - cos φ), and lies flat at φ = 90° after ∫ dφ/φ̇. There every point of the rim touches, and no
// rule may go on.
TEST(SingularPositions, DiscThatFallsFlatEndsTheRun) {
  constexpr double r = 0.5, lean = 0.2, g = 9.81;
  const auto mechanism = mechanism_of(R"(
bodies:
  disc: {mass: 1, inertia: [0.0625, 0.0625, 0.125]}
joints:
  flight: {type: free, from: world, to: disc, q: {position: [0, 0, 0.5*cos(0.2)], orientation: {axis: y, angle: pi/2 - 0.2}}}
constraints:
  contact: {type: rolling, wheel: disc, radius: 0.5, on: world}
)");
  constexpr int n =
      10000;  // the midpoint rule in u = √(cos φ₀ - cos φ), which makes the integrand smooth
  const double h = std::sqrt(std::cos(lean)) / n;
  double fall = 0;
  for (int i = 0; i < n; ++i) {
    const double u = h * (i + 0.5), cosine = std::cos(lean) - u * u;
    fall += h * 2 / std::sqrt((1 - cosine * cosine) * 8 * g / (5 * r));
  }
  for (const char* integrator : {"dopri5", "dop853", "gbs", "abm", "hem5", "mexx", "cvode-adams",
                                 "cvode-bdf", "ida", "radau5", "generalised-alpha"}) {
    RunOptions options;
    options.integrator = integrator;
    options.t_end = 2;
    Summary summary;
    const results::Recording recording = simulate(mechanism, options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed) << integrator;
    EXPECT_NE(summary.outcome.message.find("the wheel of 'contact' lies flat"), std::string::npos)
        << integrator << ": " << summary.outcome.message;
    EXPECT_NEAR(last(recording, "t"), fall, 1e-5) << integrator;  // ten times the tolerance
    EXPECT_NEAR(last(recording, "energy.total"), g * r * std::cos(lean), 1e-5) << integrator;
  }
}

}  // namespace
}  // namespace couplet::mechanics
