// Stops of joints: impacts that the whole mechanism feels, rest, release.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "couplet/formats/urdf.hpp"
#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

constexpr double g = 9.81;

std::string ball(double restitution) {
  return fmt::format(R"(
bodies: {{ball: {{mass: 2, particle: true}}}}
joints: {{fall: {{type: prismatic, from: world, to: ball, axis: z, q: 1, limits: {{lower: 0, restitution: {}}}}}}}
)",
                     restitution);
}

// Bounces accumulate at T (1 + e)/(1 - e), T = √(2h/g); then the ball lies still, with every rule.
TEST(Stops, ABallComesToRestAtItsAccumulationPoint) {
  for (const integrate::RuleEntry& entry : integrate::rules()) {
    if (entry.order < 2) continue;
    RunOptions options;
    options.integrator = entry.name;
    if (entry.control == integrate::StepControl::fixed) options.step = 0.01;
    options.tolerance = {1e-9, 1e-9};
    options.t_end = 3;
    Summary summary;
    const results::Recording r = simulate(mechanism_of(ball(0.7)), options, &summary);
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << entry.name << summary.outcome.message;
    ASSERT_EQ(summary.notes.size(), 1u) << entry.name;
    EXPECT_EQ(summary.notes[0].element, "fall, lower limit");
    // The last flights take a nanosecond; CVODE loses those below its tolerance of 1e-9 m.
    const double tolerance = entry.control == integrate::StepControl::own ? 2e-4 : 1e-8;
    EXPECT_NEAR(summary.notes[0].t, std::sqrt(2 / g) * 1.7 / 0.3, tolerance) << entry.name;
    EXPECT_EQ(last(r, "fall.q"), 0) << entry.name;
    EXPECT_EQ(last(r, "fall.v"), 0) << entry.name;
  }
}

// Two pairs of legs meet their stops at the same instant, up to round-off: no impact hides another
// from any rule.
TEST(Stops, LegsHitTheirStopsAtOnce) {
  base::Diagnostics warnings;
  const auto quadruped = std::make_shared<const Mechanism>(model::compile(
      formats::read_urdf(COUPLET_SOURCE_DIR "/models/quadruped.urdf", {}, warnings)));
  State start = quadruped->default_state();
  MechanismProblem problem(quadruped);
  for (const Stop& stop : problem.stops().list())  // knees cannot be straight
    if (stop.inward * (start.q[stop.iq] - stop.bound) < 0) start.q[stop.iq] = stop.bound;
  std::optional<double> reference;
  for (const char* rule : {"dop853", "gbs", "ida", "radau5"}) {
    RunOptions options;
    options.integrator = rule;
    options.t_end = 1;
    options.tolerance = {1e-7, 1e-7};
    Simulation simulation = make_simulation(quadruped, options);
    simulation.start_at(0, make_y(start));
    const Summary summary = simulation.run();
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << rule << ": " << summary.outcome.message;
    if (!reference) reference = summary.energy_end;
    EXPECT_NEAR(summary.energy_end, *reference, 1e-6) << rule;
    EXPECT_LT(summary.counts.steps, 1000)
        << rule;  // knees that begin at their stops are pressed against them, not crept to
  }
}

TEST(Stops, WithoutLossTheBallBouncesForever) {
  RunOptions options;
  options.tolerance = {1e-10, 1e-10};
  options.t_end = 20;
  Summary summary;
  simulate(mechanism_of(ball(1)), options, &summary);
  EXPECT_EQ(summary.counts.events, std::floor((20 / std::sqrt(2 / g) + 1) / 2));
  EXPECT_NEAR(summary.energy_end, summary.energy_start, 1e-9);
}

// A double pendulum whose elbow meets a stop. Without loss the energy is kept through every impact,
// which it is only if the shoulder feels the impulse too; with loss it is not.
TEST(Stops, AllJointsFeelAnImpact) {
  const auto pendulum = [](double e) {
    return mechanism_of(fmt::format(R"(
bodies:
  upper: {{mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {{tip: [0, 0, -1]}}}}
  lower: {{mass: 2, com: [0, 0, -0.4], inertia: [0.2, 0.2, 0.01]}}
joints:
  shoulder: {{type: revolute, from: world, to: upper, axis: y, q: 1.2}}
  elbow: {{type: revolute, from: upper.tip, to: lower, axis: y, q: 0.4, limits: {{lower: -0.3, upper: 0.5, restitution: {}}}}}
)",
                                    e));
  };
  RunOptions options;
  options.integrator = "dop853";
  options.tolerance = {1e-11, 1e-11};
  options.t_end = 2;
  Summary elastic, inelastic;
  const results::Recording r = simulate(pendulum(1), options, &elastic);
  EXPECT_GE(elastic.counts.events, 3);
  EXPECT_NEAR(elastic.energy_end, elastic.energy_start, 1e-9);
  for (size_t i = 0; i < r.rows(); ++i) {
    EXPECT_GE(r.at(i, 2), -0.3 - 1e-12);
    EXPECT_LE(r.at(i, 2), 0.5 + 1e-12);
  }
  simulate(pendulum(0.5), options, &inelastic);
  EXPECT_LT(inelastic.energy_end, inelastic.energy_start - 1e-3);
}

// Two balls that hit the floor at the same instant both bounce: neither event hides the other.
TEST(Stops, SimultaneousImpactsAllCount) {
  RunOptions options;
  options.t_end = 6;
  options.tolerance = {1e-9, 1e-9};
  Summary summary;
  const results::Recording r = simulate(mechanism_of(R"(
bodies: {a: {mass: 2, particle: true}, b: {mass: 1, particle: true}}
joints:
  left: {type: prismatic, from: world, to: a, axis: z, q: 1, limits: {lower: 0, restitution: 0.6}}
  right: {type: prismatic, from: world, to: b, axis: z, q: 1, limits: {lower: 0, restitution: 0.6}}
)"),
                                        options, &summary);
  for (size_t i = 0; i < r.rows(); ++i) {
    EXPECT_NEAR(r.at(i, 1), r.at(i, 2), 1e-9);
    EXPECT_GE(r.at(i, 1), -1e-12);
    EXPECT_GE(r.at(i, 2), -1e-12);
  }
  EXPECT_EQ(summary.notes.size(), 2u);
}

// A force that grows with time lifts a mass off its stop when it exceeds the weight: at t = 1, and
// from then on q = (t - 1)³/6.
TEST(Stops, AStopLetsGoWhenItWouldHaveToPull) {
  for (const char* integrator :
       {"dopri5", "gbs", "abm", "cvode-adams", "rk4", "hem5", "mexx", "ida", "radau5"}) {
    RunOptions options;
    options.integrator = integrator;
    options.tolerance = {1e-9, 1e-9};
    if (std::string(integrator) == "rk4") options.step = 0.01;
    options.t_end = 3;
    Summary summary;
    const results::Recording r = simulate(mechanism_of(R"(
gravity: [0, 0, -1]
bodies: {mass: {mass: 1, particle: true}}
joints: {lift: {type: prismatic, from: world, to: mass, axis: z, q: 0, limits: {lower: 0}, force: t}}
)"),
                                          options, &summary);
    ASSERT_EQ(summary.notes.size(), 1u) << integrator;
    EXPECT_NEAR(last(r, "lift.q"), 8.0 / 6, 2e-8) << integrator;
  }
}

// A parallelogram falls on a stop and stays there, while a bob on its bar goes on swinging:
// implicit and half-explicit rules have the holding force among the constraint forces, the others
// solve for it.
TEST(Stops, HoldClosedLoopsWithEveryKindOfRule) {
  const auto mechanism = mechanism_of(R"(
points: {right_hinge: [1, 0, 0]}
bodies:
  left: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {tip: [0, 0, -1]}}
  right: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {tip: [0, 0, -1]}}
  bar: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {middle: [0.5, 0, 0], end: [1, 0, 0]}}
  bob: {mass: 0.5, com: [0, 0, -0.3], inertia: [0.01, 0.01, 0.01]}
joints:
  a: {type: revolute, from: world, to: left, axis: y, q: 0.5, limits: {lower: 0.2, restitution: 0}}
  b: {type: revolute, from: world.right_hinge, to: right, axis: y, q: 0.5}
  c: {type: revolute, from: left.tip, to: bar, axis: y, q: -0.5}
  d: {type: revolute, from: right.tip, to: bar.end, axis: y}
  swing: {type: revolute, from: bar.middle, to: bob, axis: y}
)");
  const auto run = [&](const char* integrator, double tolerance) {
    RunOptions options;
    options.integrator = integrator;
    options.tolerance = {tolerance, tolerance};
    if (tolerance == 0) options.step = 1e-3;
    options.t_end = 1;
    Summary summary;
    const results::Recording r = simulate(mechanism, options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << integrator << ": " << summary.outcome.message;
    EXPECT_EQ(summary.notes.size(), 1u) << integrator;
    EXPECT_NEAR(last(r, "a.q"), 0.2, 1e-14)
        << integrator;  // the loop is closed to 1e-15, which moves it
    return last(r, "swing.q");
  };
  const double exact = run("dop853", 1e-11);
  for (const char* integrator : {"hem5", "mexx", "ida", "radau5"})
    EXPECT_NEAR(run(integrator, 1e-8), exact, 1e-6) << integrator;
  EXPECT_NEAR(run("generalised-alpha", 0), exact, 1e-4);
  EXPECT_NEAR(run("generalised-alpha", 1e-6), exact, 1e-5);
}

// A rod lies on its stop until a rule turns the torque round: v̇ = (m g l/2 sin q + T)/(m l²/3)
// lifts it at once.
TEST(Stops, ARuleThatTurnsAForceRoundReleasesAJoint) {
  const auto rod = [](const char* joint, const char* rule) {
    return mechanism_of(fmt::format(R"(
parameters: {{T: 0 N*m}}
bodies: {{l: {{mass: 1, com: [0, 0, 0.25], shape: {{rod: {{length: 0.5}}}}}}}}
joints: {{A: {{type: revolute, from: world, to: l, axis: y, q: 0.3, limits: {{upper: 1, restitution: 0}}, torque: T{}}}}}
when: {{go: {}}}
)",
                                    joint, rule));
  };
  const auto run = [](const std::shared_ptr<const Mechanism>& mechanism) {
    RunOptions options;
    options.t_end = 1.001;
    Summary summary;
    const results::Recording r = simulate(mechanism, options, &summary);
    EXPECT_EQ(summary.notes.size(), 1u);
    return last(r, "A.q");
  };
  const double inertia = 1.0 / 12, vdot = (g * 0.25 * std::sin(1.0) - 30) / inertia;
  EXPECT_NEAR(run(rod("", "{at: 1, set: {T: -30}}")), 1 + vdot * 1e-6 / 2, 1e-8);
  EXPECT_NEAR(run(rod(", friction: {coefficient: 0.1, radius: 0.01}", "{at: 1, set: {T: -30}}")),
              1 + vdot * 1e-6 / 2, 1e-6);
  EXPECT_NEAR(run(rod("", "{at: 1, reset: {A.v: -2}}")), 1 - 2e-3, 1e-4);
}

std::string box(const char* joint) {
  return fmt::format(R"(
points: {{P: {{position: [0.1, 0.2, 0.3], orientation: {{rpy: [0.2, 0.1, 0.3]}}}}}}
bodies: {{b: {{mass: 2, com: [0.1, 0.05, -0.2], inertia: [0.02, 0.03, 0.04],
             points: {{J: {{position: [0.1, 0.2, 0.3], orientation: {{rpy: [0.2, 0.1, 0.3]}}}}}}}}}}
joints:
  {}
)",
                     joint);
}

// Bounces that have become lower than the rounding of q, and joints in a corner that send each
// other off in turn, come to rest: tens of events, not 100,000.
TEST(Stops, BouncesInACornerEnd) {
  const std::string range = "{lower: -0.5, upper: 0.3, restitution: 0.4}";
  const std::string cylindrical =
      "J: {type: cylindrical, from: world.P, to: b.J, axis: [0, 1, 1], limits: [" + range + ", " +
      range + "]";
  const std::string planar = "J: {type: planar, from: world.P, to: b.J, axis: y, limits: [" +
                             range + ", " + range + ", " + range + "]";
  for (const std::string& joint :
       {cylindrical + "}", planar + "}",
        "base: {type: free, from: world, to: b}\n  " + planar + ", cut: true}"}) {
    RunOptions options;
    options.t_end = 1.2;
    Summary summary;
    simulate(mechanism_of(box(joint.c_str())), options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << joint << summary.outcome.message;
    EXPECT_LT(summary.counts.events, 200) << joint;
    EXPECT_GE(summary.notes.size(), 1u) << joint;
  }
}

double largest_overrun(const results::Recording& r, const char* name, double lower, double upper) {
  double most = 0;
  for (size_t i = 0; i < r.rows(); ++i) {
    const double q = r.at(i, r.find(name).value());
    most = std::max({most, lower - q, q - upper});
  }
  return most;
}

results::Recording run_in_corner(const std::string& text, const char* integrator, double tolerance,
                                 double t_end) {
  Summary summary;
  const results::Recording r =
      simulate(mechanism_of(text), with(integrator, tolerance, t_end), &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
      << integrator << ": " << summary.outcome.message;
  EXPECT_LT(summary.counts.events, 200) << integrator;
  for (const char* name : {"X.x", "X.y", "X.angle"})
    EXPECT_LT(largest_overrun(r, name, -0.2, 0.25), tolerance)
        << name << ", " << integrator << " " << tolerance;
  return r;
}

// Two bodies in a corner of three stops, whose second one has coordinates of its own that a loop
// ties to the first, move as the tree does. Each stop throws them off the others until all three
// hold: none is ever passed, with any kind of rule.
TEST(Stops, ThreeStopsAreNeverPassedInALoop) {
  const std::string range = "{lower: -0.2, upper: 0.25, restitution: 0}";
  const std::string tree = R"(
bodies:
  a: {mass: 1.5, com: [0.1, 0.05, -0.2], inertia: [0.03, 0.04, 0.05]}
  b: {mass: 0.7, com: [0.1, -0.1, -0.1], inertia: [0.01, 0.02, 0.015]}
joints:
  X: {type: planar, from: {body: world, orientation: {rpy: [0.4, 0.3, 0.1]}}, to: a, limits: [)" +
                           range + ", " + range + ", " + range + R"(]}
  E: {type: revolute, axis: [0.3, 1, 0.2], from: {body: a, position: [0.2, 0, -0.4]}, to: b, damping: 0.05}
)";
  const std::string loop = tree + R"(
  L: {type: free, from: world, to: b, cut: false, q: {position: [0.06622904838741632, 0.163194501864092, -0.41107331184477075],
      orientation: {rpy: [0.4, 0.3, 0.1]}}}
)";
  const results::Recording expected = run_in_corner(tree, "dop853", 1e-8, 1.5);
  for (const char* integrator : {"dopri5", "mexx", "hem5", "ida", "radau5", "cvode-bdf"})
    for (const double tolerance : {1e-6, 1e-8}) {
      const results::Recording closed = run_in_corner(loop, integrator, tolerance, 1.5);
      for (const char* name : {"X.x", "X.y", "X.angle"})
        EXPECT_NEAR(last(closed, name), last(expected, name), tolerance)
            << name << ", " << integrator;
    }
}

// A body in the corner pulls at a rod. All three stops hold from 0.72 s on, and let go one after
// the other from 0.96 s on: a flight begins with no speed and no acceleration, and is at first
// below the errors that closing the loop carries into it.
TEST(Stops, LetGoOfALoop) {
  for (const char* restitution : {"0", "0.5"}) {
    const std::string range =
        fmt::format("{{lower: -0.2, upper: 0.25, restitution: {}}}", restitution);
    const std::string rod = R"(
gravity: [3, -9.81, 0]
bodies:
  a: {mass: 1, com: [0.1, -0.05, 0], inertia: [0.02, 0.02, 0.02]}
  bob: {mass: 1, particle: true}
joints:
  X: {type: planar, from: world, to: a, limits: [)" +
                            range + ", " + range + ", " + range + R"(]}
  f: {type: xyz, from: world, to: bob, q: [2, 0, 0]}
constraints: {rod: {type: distance, from: a, to: bob, length: 2}}
)";
    const results::Recording expected = run_in_corner(rod, "dop853", 1e-10, 2);
    for (const char* integrator :
         {"dopri5", "mexx", "hem5", "ida", "radau5", "cvode-bdf", "cvode-adams"})
      for (const double tolerance : {1e-6, 1e-8}) {
        const results::Recording r = run_in_corner(rod, integrator, tolerance, 2);
        for (const char* name : {"X.x", "X.y", "X.angle", "f.x", "f.y"})
          EXPECT_NEAR(last(r, name), last(expected, name), tolerance)
              << name << ", " << integrator << " " << tolerance;
      }
  }
}

// A motor that turns round at t = 1/4 lifts a mass off its stop: q(1) = 4 (3/4)³/6. The first step
// of a rule of low order does not move it at all, though its speed grows.
TEST(Stops, RulesOfLowOrderLeaveAStop) {
  for (const char* other_way : {"", "X: {type: xyz, from: world, to: m, cut: true}"})
    for (const char* integrator :
         {"euler", "half-explicit-euler", "verlet", "velocity-verlet", "lobatto2"}) {
      RunOptions options;
      options.integrator = integrator;
      options.step = 1e-3;
      options.t_end = 1;
      Summary summary;
      const results::Recording r = simulate(mechanism_of(fmt::format(R"(
gravity: none
bodies: {{m: {{mass: 1, particle: true}}}}
joints:
  P: {{type: prismatic, from: world, to: m, axis: x, limits: [0, 1], force: 4*t - 1}}
  {}
)",
                                                                     other_way)),
                                            options, &summary);
      EXPECT_LT(summary.counts.events, 5) << integrator;
      EXPECT_NEAR(last(r, "P.q"), 0.28125, 2e-3) << integrator;  // a few steps of the first order
    }
}

TEST(Stops, AStartBeyondAStopIsRefused) {
  const auto mechanism = mechanism_of(R"(
bodies: {mass: {mass: 1, particle: true}}
joints: {lift: {type: prismatic, from: world, to: mass, axis: z, q: 2, limits: [0, 1]}}
)");
  try {
    simulate(mechanism, {});
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("begins beyond a stop: 'lift, upper limit' at 1, q = 2"));
  }
}

}  // namespace
}  // namespace couplet::mechanics
