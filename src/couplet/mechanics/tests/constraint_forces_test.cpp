// What constraints exert, as it is recorded: statics and simple motions in closed form, with every
// formalism.
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

constexpr double g = 9.81;

/// The recording of a short run with each formalism for closed loops.
template <class Check>
void with_every_formalism(const std::string& text, const std::vector<std::string>& record,
                          const Check& check) {
  const auto mechanism = mechanism_of(text);
  for (const char* formalism : {"schur", "augmented", "partitioned", "dca"}) {
    SCOPED_TRACE(formalism);
    RunOptions options;
    options.formalism = formalism;
    options.tolerance = {1e-10, 1e-10};
    options.t_end = 0.5;
    options.record = record;
    check(simulate(mechanism, options));
  }
}

double at(const results::Recording& recording, size_t row, const std::string& name) {
  return recording.at(row, recording.find(name).value());
}

// m v²/l = T + m g·e with e from the pivot to the bob, here at 1.2 rad and 3 rad/s to begin with.
TEST(ConstraintForces, ARodPullsWithTheWeightAndTheCentrifugalForceOfItsBob) {
  const char* text = R"(
bodies: {bob: {mass: 2, particle: true}}
joints: {place: {type: xyz, from: world, to: bob, q: [0.5*sin(1.2), 0, -0.5*cos(1.2)], v: [1.5*cos(1.2), 0, 1.5*sin(1.2)]}}
constraints: {rod: {type: distance, from: world, to: bob, length: 0.5}}
)";
  with_every_formalism(
      text, {"rod.force", "*.position.z", "bob.velocity.*"}, [](const results::Recording& r) {
        ASSERT_EQ(r.rows(), 51u);
        for (size_t k = 0; k < r.rows(); ++k) {
          const double v2 =
              std::pow(at(r, k, "bob.velocity.x"), 2) + std::pow(at(r, k, "bob.velocity.z"), 2);
          EXPECT_NEAR(at(r, k, "rod.force"), 2 * (v2 / 0.5 - g * at(r, k, "bob.position.z") / 0.5),
                      1e-10);
        }
      });
}

// A bob that stands on its rod is pushed; two equal rods share the load.
TEST(ConstraintForces, RodsThatPushAreNegativeAndEqualOnesShare) {
  const char* text = R"(
bodies: {bob: {mass: 2, particle: true}}
joints: {place: {type: xyz, from: world, to: bob, q: [0, 0, 0.5]}}
constraints: {rod: {type: distance, from: world, to: bob, length: 0.5}, twin: {type: distance, from: bob, to: world, length: 0.5}}
)";
  with_every_formalism(text, {"rod.force", "twin.force"}, [](const results::Recording& r) {
    for (const char* name : {"rod.force", "twin.force"})
      EXPECT_NEAR(at(r, 0, name), -g, 1e-12) << name;
  });
}

// A winch is held, its drum carries a load of 3 N m by a gear of ratio -4 on the first shaft: the
// second feels 12 N m. The drum's rack lifts 5 kg at a radius of 0.1 m, a relation holds a slide
// that is pushed with 7 N.
TEST(ConstraintForces, GearsRacksCouplersAndRelationsExertTorquesByTheirRatios) {
  const char* text = R"(
bodies:
  first: &shaft {mass: 1, inertia: [1, 1, 1]}
  second: *shaft
  third: *shaft
  load: &load {mass: 5, particle: true}
  slide: *load
joints:
  a: {type: revolute, from: world, to: first, torque: 3}
  b: {type: revolute, from: world, to: second, motion: 0.5}
  c: {type: revolute, from: world, to: third}
  lift: {type: prismatic, from: world, to: load}
  push: {type: prismatic, from: world, to: slide, axis: x, force: 7, q: 0.5}
constraints:
  mesh: {type: gear, joints: [a, b], ratio: -4}
  belt: {type: coupler, joints: {c: 2, b: 3}, offset: 1.5}
  teeth: {type: rack-and-pinion, pinion: c, rack: lift, radius: 0.1}
  cam: {type: relation, value: push.q^2 - b.q^2}
)";
  with_every_formalism(text, {"*.tau"}, [](const results::Recording& r) {
    EXPECT_NEAR(at(r, 0, "mesh.a.tau"), -3, 1e-12);
    EXPECT_NEAR(at(r, 0, "mesh.b.tau"), -4 * 3,
                1e-12);  // both wheels of an outer mesh are pushed the same way
    EXPECT_NEAR(at(r, 0, "teeth.lift.tau"), 5 * g, 1e-12);
    EXPECT_NEAR(at(r, 0, "teeth.c.tau"), -0.1 * 5 * g, 1e-12);
    EXPECT_NEAR(at(r, 0, "belt.c.tau"), 0.1 * 5 * g, 1e-12);
    EXPECT_NEAR(at(r, 0, "belt.b.tau"), 1.5 * 0.1 * 5 * g, 1e-12);
    EXPECT_NEAR(at(r, 0, "cam.push.tau"), -7, 1e-12);
    EXPECT_NEAR(at(r, 0, "cam.b.tau"), 7, 1e-12);  // push.q = b.q
    // What holds the winch balances all that acts on its shaft.
    EXPECT_NEAR(at(r, 0, "b.tau"),
                -(at(r, 0, "mesh.b.tau") + at(r, 0, "belt.b.tau") + at(r, 0, "cam.b.tau")), 1e-12);
    EXPECT_EQ(r.signals[r.find("teeth.lift.tau").value()].unit, "N");
    EXPECT_EQ(r.signals[r.find("teeth.c.tau").value()].unit, "N m");
  });
}

// On a slope of 0.4 rad a plane and a wire press with m g cos 0.4; in the lowest point of a hoop of
// radius 0.5 a bead of speed 2 weighs m (g + v²/r). A ball that rolls is held back by 2/7 of the
// downhill force.
TEST(ConstraintForces, PlanesWiresHoopsAndGroundPressOnWhatTheyCarry) {
  const char* text = R"(
points:
  slope: {position: [0, 0, 0], orientation: {axis: y, angle: 0.4}}   # x points downhill
bodies:
  block: &p {mass: 2, particle: true}
  bead: *p
  runner: *p
  ball: {mass: 2, shape: {sphere: 0.1}}
joints:
  place: {type: xyz, from: world.slope, to: block}
  thread: {type: xyz, from: world.slope, to: bead}
  round: {type: xyz, from: world, to: runner, q: [0, 0, -0.5], v: [2, 0, 0]}
  flight: {type: free, from: world.slope, to: ball, q: {position: [0, 0, 0.1]}}
constraints:
  plane: {type: on-plane, point: block, on: world.slope}
  wire: {type: on-line, point: bead, on: world.slope, axis: x}
  hoop: {type: on-curve, point: runner, on: world, curve: [0.5*sin(s), 0, -0.5*cos(s)]}
  ground: {type: rolling, ball: ball, radius: 0.1, on: world.slope}
)";
  with_every_formalism(text, {"*.force.*"}, [](const results::Recording& r) {
    const auto force = [&](const std::string& name) {
      return math::Vec3(at(r, 0, name + ".force.x"), at(r, 0, name + ".force.y"),
                        at(r, 0, name + ".force.z"));
    };
    const math::Vec3 up(std::sin(0.4), 0, std::cos(0.4)),
        downhill(std::cos(0.4), 0, -std::sin(0.4));
    EXPECT_LT((force("plane") - 2 * g * std::cos(0.4) * up).norm(), 1e-12);
    EXPECT_LT((force("wire") - 2 * g * std::cos(0.4) * up).norm(), 1e-12);
    EXPECT_LT((force("hoop") - 2 * (g + 4 / 0.5) * math::Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_LT((force("ground") - 2 * g * (std::cos(0.4) * up - 2.0 / 7 * std::sin(0.4) * downhill))
                  .norm(),
              1e-12);
  });
}

}  // namespace
}  // namespace couplet::mechanics
