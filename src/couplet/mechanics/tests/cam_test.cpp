// A pin in the slot of a cam (models/cam.yaml): a constraint whose normals turn with the curve, in
// a plane mechanism, where one of the two says nothing.
#include <gtest/gtest.h>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

constexpr const char* cam = R"(
parameters: {base: 5 cm, lift: 5 mm, lever: 12 cm}
points: {pivot: [base + lift, -lever, 0]}
bodies:
  cam: {mass: 1 kg, shape: {cylinder: {radius: 6 cm, length: 1 cm, axis: z}}}
  lever: {mass: 200 g, com: [0, lever/2, 0], shape: {rod: {length: lever, axis: y}}, points: {pin: [0, lever, 0]}}
joints:
  axle: {type: revolute, from: world, to: cam, torque: 0.05*(20 - v)}
  pivot: {type: revolute, from: world.pivot, to: lever, stiffness: 2 N*m/rad}
constraints:
  slot:
    type: on-curve
    point: lever.pin
    on: cam
    curve: [(base + lift*cos(2*s))*cos(s), (base + lift*cos(2*s))*sin(s), 0]
)";

struct End {
  double q, v;
  integrate::Counts counts;
};

End run(const char* integrator, double tolerance) {
  RunOptions options;
  options.integrator = integrator;
  options.tolerance = {tolerance, tolerance};
  options.t_end = 1;
  Summary summary;
  const results::Recording r = simulate(mechanism_of(cam), options, &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
      << integrator << ": " << summary.outcome.message;
  return {last(r, "axle.q"), last(r, "axle.v"), summary.counts};
}

// Three turns of the cam, by rules that share nothing but the equations: explicit, half-explicit,
// BDF, Radau, generalised-α.
TEST(Cam, EveryKindOfRuleTurnsIt) {
  const End exact = run("dop853", 1e-11);
  struct Choice {
    const char* integrator;
    double tolerance;
  };
  for (const auto& [integrator, tolerance] : {Choice{"hem5", 1e-6},
                                              {"hem5", 1e-10},
                                              {"radau5", 1e-4},
                                              {"radau5", 1e-6},
                                              {"radau5", 1e-8},
                                              {"radau5", 1e-10},
                                              {"ida", 1e-4},
                                              {"ida", 1e-6},
                                              {"ida", 1e-8},
                                              {"generalised-alpha", 1e-4},
                                              {"generalised-alpha", 1e-6}}) {
    const End end = run(integrator, tolerance);
    // Ten tolerances, relative to 19 rad and 20 rad/s.
    EXPECT_NEAR(end.q, exact.q, 200 * tolerance) << integrator << " " << tolerance;
    EXPECT_NEAR(end.v, exact.v, 200 * tolerance) << integrator << " " << tolerance;
    EXPECT_LT(end.counts.rejections, end.counts.steps / 4) << integrator << " " << tolerance;
  }
}

// The row that counts is the same one all the time: nothing begins anew while the cam turns.
TEST(Cam, NormalsDoNotTurnAboutTheSlot) {
  EXPECT_LE(run("generalised-alpha", 1e-4).counts.evaluations,
            4);  // two for the first step, two for its first derivatives
}

// A bead slides down a helix (cos s, sin s, s/5) from rest: s̈ = -(g/5)/(1 + 1/25). Three turns, in
// steps of up to one: stages and steps that are rejected are turns away from where the bead is.
TEST(OnCurve, ABeadStaysOnItsTurnOfAHelix) {
  const auto mechanism = mechanism_of(R"(
bodies: {bead: {mass: 0.3, particle: true}}
joints: {flight: {type: xyz, from: world, to: bead, q: [1, 0, 0]}}
constraints: {wire: {type: on-curve, point: bead, on: world, curve: [cos(s), sin(s), s/5]}}
)");
  constexpr double t_end = 4.5, s = -9.81 / 5 / 1.04 * t_end * t_end / 2;
  for (const char* integrator :
       {"dopri5", "dop853", "gbs", "abm", "mexx", "hem5", "ida", "radau5", "cvode-adams"})
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      RunOptions options;
      options.integrator = integrator;
      options.tolerance = {tolerance, tolerance};
      options.t_end = t_end;
      const results::Recording r = simulate(mechanism, options);
      // A hundred tolerances of the way, 20 m.
      EXPECT_NEAR(last(r, "flight.z"), s / 5, 100 * tolerance * 20)
          << integrator << " " << tolerance;
      EXPECT_NEAR(last(r, "energy.total"), 0, 100 * tolerance * 11.5)
          << integrator << " " << tolerance;
    }
}

}  // namespace
}  // namespace couplet::mechanics
