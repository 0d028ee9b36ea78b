// What joints have, on joints that close loops: stops, springs, actuators and friction work there
// as anywhere.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

// A parallelogram of cranks of length 1, which swings as a pendulum; `features` of joint d, and
// whether that is to be cut.
std::shared_ptr<const Mechanism> parallelogram(const std::string& features, bool cut) {
  return mechanism_of(fmt::format(R"(
points: {{right_hinge: [1, 0, 0]}}
bodies:
  left: {{mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {{tip: [0, 0, -1]}}}}
  right: {{mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {{tip: [0, 0, -1]}}}}
  bar: {{mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {{end: [1, 0, 0]}}}}
joints:
  a: {{type: revolute, from: world, to: left, axis: y, q: 0.5}}
  b: {{type: revolute, from: world.right_hinge, to: right, axis: y, q: 0.5}}
  c: {{type: revolute, from: left.tip, to: bar, axis: y, q: -0.5}}
  d: {{type: revolute, from: right.tip, to: bar.end, axis: y, q: -0.5{}{}}}
)",
                                  features, cut ? ", cut: true" : ""));
}

// d = -a: a spring, a damper and a motor at d act on a pendulum with their signs turned.
TEST(LoopFeatures, SpringsDampersAndActuatorsActOnACutJoint) {
  for (const char* features :
       {", stiffness: 20, rest: -0.1", ", damping: 0.7", ", torque: 3*sin(5*t)"}) {
    const results::Recording cut =
        simulate(parallelogram(features, true), with("dop853", 1e-10, 2));
    const results::Recording kept =
        simulate(parallelogram(features, false), with("dop853", 1e-10, 2));
    const results::Recording none = simulate(parallelogram("", false), with("dop853", 1e-10, 2));
    EXPECT_NEAR(last(cut, "a.q"), last(kept, "a.q"), 1e-8) << features;  // a hundred tolerances
    EXPECT_NEAR(last(cut, "a.q"), -last(cut, "d.q"), 1e-13) << features;
    EXPECT_GT(std::abs(last(cut, "a.q") - last(none, "a.q")), 1e-2) << features;
  }
}

TEST(LoopFeatures, ACutJointThatClosesNothingCarriesNothing) {
  const auto mechanism = mechanism_of(R"(
bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {J: {type: free, from: world, to: b}, K: {type: free, from: world, to: b, cut: true}}
)");
  dynamics::System system(mechanism);
  const State state = mechanism->default_state();
  math::VecX tau = math::VecX::Zero(mechanism->nv), vdot = tau;
  system.calc_vdot(state, tau, vdot);
  const std::vector<dynamics::Reaction> reactions =
      system.reactions().calc_joints(state, vdot, system.lambda());
  ASSERT_EQ(reactions.size(), 2u);
  for (const dynamics::Reaction& r : reactions) EXPECT_LT(r.force.norm() + r.torque.norm(), 1e-14);
}

// Residuals are those of the point that is given, whatever a formalism would find from its
// independent coordinates.
TEST(LoopFeatures, ImplicitRulesSolveThePartitionedEquations) {
  base::Diagnostics warnings;
  const auto mechanism = std::make_shared<const Mechanism>(model::compile(
      formats::read_yaml(COUPLET_SOURCE_DIR "/models/slider_crank.yaml", {}, warnings)));
  const auto run = [&](const char* formalism, const char* integrator, const char* equations) {
    RunOptions options;
    options.formalism = formalism;
    options.integrator = integrator;
    options.equations = equations;
    options.tolerance = {1e-8, 1e-8};
    options.t_end = 0.1;
    Summary summary;
    const results::Recording r = simulate(mechanism, options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << integrator << ": " << summary.outcome.message;
    return last(r, "main.q");
  };
  const double reference = run("schur", "dop853", "");
  for (const char* integrator : {"ida", "radau5"}) {
    EXPECT_NEAR(run("partitioned", integrator, "residual"), reference, 1e-5) << integrator;
    EXPECT_THROW(run("partitioned", integrator, "explicit"), base::UserError) << integrator;
  }
}

/// The Schur complement, which counts what it is asked for.
struct Spy final : dynamics::Formalism {
  inline static int stages = 0, loads = 0;
  std::unique_ptr<dynamics::Formalism> schur;

  explicit Spy(const Mechanism& mechanism)
      : schur(dynamics::find_formalism("schur")->make(mechanism)) {}
  void prepare(const dynamics::Stage& stage) override { ++stages, schur->prepare(stage); }
  void solve(VecX& tau, VecX& vdot) override { schur->solve(tau, vdot); }
  void calc_load(const dynamics::Stage& stage, const VecX& vdot, VecX& load) override {
    ++loads, schur->calc_load(stage, vdot, load);
  }
  const VecX* lambda() const override { return schur->lambda(); }
  void set_constraints(dynamics::ConstraintSolver& constraints) override {
    schur->set_constraints(constraints);
  }
};

// Every rule works with the formalism that was asked for, and with no other, or refuses it by name.
TEST(LoopFeatures, RulesUseTheFormalismThatWasAskedFor) {
  const auto add = [](const char* name, dynamics::Answers answers) {
    dynamics::add_formalism({name, "for this test", answers,
                             [](const Mechanism& m) { return m.constrained(); },
                             [](const Mechanism& m) -> std::unique_ptr<dynamics::Formalism> {
                               return std::make_unique<Spy>(m);
                             }});
  };
  add("spy", {.residuals = true, .free_motion = false});
  add("accelerations-only", {.residuals = false, .free_motion = false});
  for (const integrate::RuleEntry& rule : integrate::rules()) {
    RunOptions options = with(rule.name, 1e-6, 0.1);
    if (rule.control == integrate::StepControl::fixed) options.step = 1e-3;
    options.formalism = "spy";
    Spy::stages = Spy::loads = 0;
    Summary summary;
    simulate(parallelogram("", true), options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached) << rule.name;
    const bool residuals = rule.asks == integrate::Asks::residuals;
    EXPECT_GE(residuals ? Spy::loads : Spy::stages,
              residuals ? summary.counts.residuals / 2 : summary.counts.evaluations)
        << rule.name;
    options.formalism = "accelerations-only";
    if (!residuals) continue;
    EXPECT_THROW(simulate(parallelogram("", true), options), base::UserError) << rule.name;
  }
}

// The force of the stop jumps from push to pull within a step: no secant through the jump leaves
// that step.
TEST(LoopFeatures, AForceThatJumpsReleasesAJoint) {
  const auto mechanism = mechanism_of(R"(
bodies:
  l: {mass: 1, com: [0, 0, 0.25], shape: {rod: {length: 0.5}}, points: {e: [0, 0, 0.5]}}
  r: {mass: 1, com: [0, 0, 0.25], shape: {rod: {length: 0.5}}, points: {e: [0, 0, 0.5]}}
  c: {mass: 2, com: [0.5, 0, 0], shape: {rod: {length: 1, axis: x}}, points: {e: [1, 0, 0]}}
points: {R: [1, 0, 0]}
joints:
  A: {type: revolute, from: world, to: l, axis: y, q: 0.3, limits: {upper: 1, restitution: 0}}
  B: {type: revolute, from: l.e, to: c, axis: y, q: -0.3}
  E: {type: revolute, from: world.R, to: r, axis: y, q: 0.3, torque: "if t > 1 then -30 else 0"}
  F: {type: revolute, from: r.e, to: c.e, axis: y}
)");
  for (const char* integrator : {"dopri5", "rkf45", "mexx"}) {
    RunOptions options;
    options.integrator = integrator;
    options.t_end = 1.1;
    Summary summary;
    const results::Recording r = simulate(mechanism, options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
        << integrator << ": " << summary.outcome.message;
    EXPECT_EQ(summary.t_end, 1.1) << integrator;
    EXPECT_LT(last(r, "A.q"), 0.9) << integrator;
  }
}

// Bounces at a stop of a joint in a loop come to their end, and never lead through it: closing the
// loop moves the joint off its stop by round-off, to either side. m g l sin 1.2 = 18.3 N m: the
// motor presses the joint on its stop in the end.
TEST(LoopFeatures, BouncesAtAStopComeToRest) {
  for (const bool cut : {true, false})
    for (const char* rule : {"dopri5", "hem5", "mexx", "ida", "radau5"}) {
      Summary summary;
      const results::Recording r = simulate(
          parallelogram(", torque: -30, limits: {lower: -1.2, upper: -0.3, restitution: 0.5}", cut),
          with(rule, 1e-7, 4), &summary);
      ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
          << rule << summary.outcome.message;
      ASSERT_EQ(summary.notes.size(), 1u) << rule;
      // A joint between others is held by its acceleration, to a share of the tolerance.
      EXPECT_NEAR(last(r, "d.q"), -1.2, 1e-8) << rule;
      for (size_t i = 0; i < r.rows(); ++i)
        ASSERT_GE(r.at(i, r.find("d.q").value()), -1.2 - 1e-8) << rule;
      // Each bounce halves the speed: from 1 rad/s to 1e-9 rad/s in 30 of them.
      EXPECT_LE(summary.counts.events, 60) << rule;
    }
}

// The same without loss: the bounces go on, the energy stays, and no stop is ever passed.
TEST(LoopFeatures, ElasticStopsAreNeverPassed) {
  for (const bool cut : {true, false})
    for (const char* rule : {"dopri5", "hem5", "mexx"}) {
      Summary summary;
      const results::Recording r =
          simulate(parallelogram(", limits: {lower: -0.6, upper: 0.2, restitution: 1}", cut),
                   with(rule, 1e-9, 10), &summary);
      ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
          << rule << summary.outcome.message;
      EXPECT_GE(summary.counts.events, 8) << rule;
      EXPECT_NEAR(summary.energy_end, summary.energy_start, 1e-6) << rule;
      for (size_t i = 0; i < r.rows(); ++i) {
        ASSERT_GE(r.at(i, r.find("d.q").value()), -0.6 - 1e-13) << rule;
        ASSERT_LE(r.at(i, r.find("d.q").value()), 0.2 + 1e-13) << rule;
      }
    }
}

// Three parallel cranks carry one bar: how they share its weight is not determined. Friction takes
// the smallest reactions, in every formalism, and the energy that is lost is the same.
TEST(LoopFeatures, FrictionInARedundantLoopFollowsTheSmallestReactions) {
  for (const double stick_speed : {0.0, 0.05}) {
    const std::string rub =
        fmt::format(", friction: {{coefficient: 0.3, radius: 0.05, stick-speed: {}}}", stick_speed);
    const auto mechanism = mechanism_of(fmt::format(R"(
points: {{p1: [1, 0, 0], p2: [2, 0, 0]}}
bodies:
  c0: {{mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {{tip: [0, 0, -1]}}}}
  c1: {{mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {{tip: [0, 0, -1]}}}}
  c2: {{mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {{tip: [0, 0, -1]}}}}
  bar: {{mass: 3, com: [1, 0, 0], inertia: [0.01, 1, 1], points: {{m: [1, 0, 0], e: [2, 0, 0]}}}}
joints:
  a0: {{type: revolute, from: world, to: c0, axis: y, q: 0.8{0}}}
  a1: {{type: revolute, from: world.p1, to: c1, axis: y, q: 0.8{0}}}
  a2: {{type: revolute, from: world.p2, to: c2, axis: y, q: 0.8{0}}}
  b0: {{type: revolute, from: c0.tip, to: bar, axis: y, q: -0.8{0}}}
  b1: {{type: revolute, from: c1.tip, to: bar.m, axis: y, q: -0.8}}
  b2: {{type: revolute, from: c2.tip, to: bar.e, axis: y, q: -0.8}}
)",
                                                    rub));
    double first = NAN;
    for (const char* formalism : {"schur", "augmented", "partitioned", "dca"}) {
      RunOptions options = with("dopri5", 1e-8, 1.2);
      options.formalism = formalism;
      Summary summary;
      const results::Recording r = simulate(mechanism, options, &summary);
      ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
          << formalism << summary.outcome.message;
      EXPECT_LT(summary.energy_end, summary.energy_start - 0.1) << formalism;
      if (std::isnan(first)) first = last(r, "a0.q");
      EXPECT_NEAR(last(r, "a0.q"), first, 1e-5)
          << formalism;  // reversals are events: some tolerances each
    }
  }
}

// Where no choice of sticking and slipping is found, the run does not go on with a wrong one.
TEST(LoopFeatures, FrictionThatCannotBeDecidedIsReported) {
  const auto mechanism = mechanism_of(R"(
bodies: {block: {mass: 2, particle: true}}
joints: {slide: {type: prismatic, from: world, to: block, axis: x, friction: {coefficient: 0.1}, force: 30}}
)");
  dynamics::System system(mechanism);
  model::State state = mechanism->default_state();
  state.t = 0.25;
  system.friction()->limit_changes(0);  // it has to slip: one change
  try {
    system.decide_friction(state, {});
    FAIL();
  } catch (const base::ComputationError& error) {
    EXPECT_THAT(
        error.what(),
        testing::HasSubstr("t = 0.25: it cannot be decided whether joint 'slide' sticks or slips"));
  }
  system.friction()->limit_changes(1);
  EXPECT_NO_THROW(system.decide_friction(state, {}));
}

// τ of the inverse dynamics moves the joints as asked, through their friction.
TEST(LoopFeatures, InverseDynamicsOvercomesFriction) {
  const auto mechanism = mechanism_of(R"(
bodies:
  a: {mass: 3, com: [0.1, 0.2, 0], inertia: [0.3, 0.2, 0.25], points: {tip: [0.4, 0.1, 0.2]}}
  b: {mass: 2, com: [0, 0.1, 0.2], inertia: [0.1, 0.12, 0.15], points: {tip: [0, 0.3, 0.2]}}
  c: {mass: 1, com: [0.1, 0, 0.1], inertia: [0.05, 0.04, 0.06]}
joints:
  j1: {type: revolute, from: world, to: a, axis: [1, 2, 1], q: 0.3, v: 0.8, friction: {coefficient: 0.2, radius: 0.05, stick-speed: 0.2}}
  j2: {type: cylindrical, from: a.tip, to: b, axis: [0, 1, 1], q: [0.2, 0.1], v: [-0.4, 0.7], friction: {coefficient: 0.3, radius: 0.1}}
  j3: {type: spherical, from: b.tip, to: c, v: [0.3, -0.2, 0.5], friction: {coefficient: 0.1, radius: 0.04, stick-speed: 0.1}}
)");
  dynamics::System system(mechanism);
  const model::State state = mechanism->default_state();
  VecX wanted(mechanism->nv), tau(mechanism->nv), without(mechanism->nv), vdot(mechanism->nv);
  for (int i = 0; i < mechanism->nv; ++i) wanted[i] = std::sin(1.0 + i);
  system.inverse().calc_tau(state, wanted, tau);
  system.inverse().calc_frictionless_tau(state, wanted, without);
  EXPECT_GT((tau - without).norm(), 0.1);
  EXPECT_GT((tau - without).dot(state.v), 0.1);
  system.calc_vdot(state, tau, vdot);
  EXPECT_LT((vdot - wanted).norm(), 1e-10 * (1 + wanted.norm()));
}

// A half-explicit stage closes speeds that are not closed yet: it must not take them for those of
// the minimal coordinates.
TEST(LoopFeatures, HalfExplicitRulesWorkWithEveryFormalism) {
  const results::Recording expected = simulate(parallelogram("", true), with("dop853", 1e-11, 1));
  for (const char* formalism : {"schur", "augmented", "partitioned", "dca"}) {
    for (const char* rule : {"hem5", "mexx"}) {
      RunOptions options = with(rule, 1e-8, 1);
      options.formalism = formalism;
      Summary summary;
      const results::Recording r = simulate(parallelogram("", true), options, &summary);
      EXPECT_NEAR(last(r, "a.q"), last(expected, "a.q"), 1e-7) << rule << ", " << formalism;
      EXPECT_LT(summary.counts.steps, 500) << rule << ", " << formalism;
    }
    RunOptions options = with("half-explicit-euler", 1e-6, 1);
    options.formalism = formalism;
    options.step = 1e-4;
    EXPECT_NEAR(last(simulate(parallelogram("", true), options), "a.q"), last(expected, "a.q"),
                1e-3)
        << formalism;
  }
}

// Two drivers of one joint agree at the start only. One of them is dependent, and must not be
// forgotten.
TEST(LoopFeatures, ConstraintsThatContradictEachOtherEndTheRun) {
  const auto mechanism = mechanism_of(R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: prismatic, from: world, to: a, axis: x}}
constraints:
  slow: {type: relation, value: A.q - t^3}
  quick: {type: relation, value: A.q - 2*t^3}
)");
  for (const char* integrator : {"dopri5", "gbs", "hem5", "mexx", "radau5", "generalised-alpha"}) {
    RunOptions options;
    options.integrator = integrator;
    options.t_end = 1;
    Summary summary;
    simulate(mechanism, options, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed) << integrator;
    EXPECT_NE(summary.outcome.message.find("'quick' stays open by 1e-06"), std::string::npos)
        << integrator << ": " << summary.outcome.message;
  }
}

}  // namespace
}  // namespace couplet::mechanics
