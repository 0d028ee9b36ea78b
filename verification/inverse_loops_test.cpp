// Inverse dynamics of closed loops against forward dynamics and closed forms; and whatever knows
// trees only refuses loops by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "couplet/constraints/entry.hpp"
#include "couplet/couplet.hpp"
#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/dynamics/minimal/constraints/analysis.hpp"
#include "couplet/dynamics/minimal/constraints/motor_forces.hpp"
#include "couplet/dynamics/minimal/gradients.hpp"
#include "couplet/generate/batch.hpp"
#include "support/example_mechanism.hpp"

namespace couplet::verification {
namespace {

using math::MatX;
using math::VecX;
using model::Mechanism;
using model::State;
using testing::HasSubstr;
using workbench::EvaluateOptions;
using workbench::EvaluationReport;
using workbench::LoadedModel;
using workbench::StateInput;

LoadedModel from_text(const std::string& text) {
  return workbench::load_text("couplet: 1\n" + text, "loop.yaml", workbench::Format::yaml);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// A mechanism that is more than a tree, and what makes it so.
struct Loop {
  std::string name, blamed;
  LoadedModel model;
};

// Every constraint by its example, every model of the collection with a loop.
std::vector<Loop> all_loops() {
  std::vector<Loop> loops;
  for (const constraints::Entry* entry : constraints::entries())
    loops.push_back(
        {entry->name, "constraint 'c'",
         workbench::load_text(example_mechanism + "constraints:\n  c: " + entry->example + "\n",
                              "example.yaml", workbench::Format::yaml)});
  for (const char* folder : {"models", "models/benchmarks"})
    for (const auto& file :
         std::filesystem::directory_iterator(std::filesystem::path(COUPLET_SOURCE_DIR) / folder)) {
      if (file.path().extension() != ".yaml") continue;
      LoadedModel model = workbench::load(file.path().string());
      const Mechanism& m = *model.mechanism;
      if (!m.constrained()) continue;
      loops.push_back(
          {file.path().stem().string(),
           m.cuts.empty() ? "constraint '" + m.model->constraints[0].name + "'" : "the loop '",
           model});
    }
  return loops;
}

State assembled(dynamics::System& system, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  State state = system.mechanism().default_state();
  for (double& v : state.v) v += 0.3 * uniform(random);
  system.make_consistent(state);
  EXPECT_TRUE(dynamics::assemble(system, state).closed());
  return state;
}

TEST(OnlyTrees, EveryPathThatKnowsNoLoopsNamesThem) {
  const std::vector<Loop> loops = all_loops();
  EXPECT_GT(loops.size(), 15u);
  for (const Loop& loop : loops) {
    SCOPED_TRACE(loop.name);
    const Mechanism& m = *loop.model.mechanism;
    EXPECT_THAT(message_of([&] { dynamics::BatchDynamics batch(m); }), HasSubstr(loop.blamed));
    EXPECT_THAT(message_of([&] { dynamics::GradientWorkspace gradients(m); }),
                HasSubstr(loop.blamed));
    if (!m.has_prescribed()) {
      EXPECT_THAT(message_of([&] { generate::GeneratedBatch batch(m); }), HasSubstr(loop.blamed));
    }
    for (const generate::WhatEntry& what : generate::whats()) {
      const bool geometry =
          what.what == generate::What::kinematics || what.what == generate::What::jacobian;
      workbench::GenerateOptions options;
      options.what = what.name;
      if (geometry)
        EXPECT_THAT(workbench::generate_code(loop.model, options).notes,
                    testing::Contains(HasSubstr(loop.blamed)));
      else
        EXPECT_THAT(message_of([&] { workbench::generate_code(loop.model, options); }),
                    HasSubstr(loop.blamed))
            << what.name;
    }
    for (const dynamics::FormalismEntry& entry : dynamics::formalisms()) {
      const std::string_view name = entry.name;
      EXPECT_EQ(entry.applies(m),
                name == "schur" || name == "augmented" || name == "partitioned" || name == "dca")
          << name;
    }
  }
}

TEST(OnlyTrees, GradientsOfAccelerationsRefuseMotions) {
  const LoadedModel model = from_text(
      "bodies: {a: {mass: 1, particle: true, com: [1, 0, 0]}}\n"
      "joints: {A: {type: revolute, from: world, to: a, motion: t^2}}\n");
  workbench::GenerateOptions options;
  options.what = "gradients";
  EXPECT_THAT(message_of([&] { workbench::generate_code(model, options); }),
              HasSubstr("would leave out the prescribed motion of 'A'"));
}

// As many motors as degrees of freedom, at random: their forces come back from the accelerations
// that they give. More motors: the smallest forces that give the same.
TEST(InverseLoops, ForcesComeBackFromTheMotionThatTheyGive) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-5, 5);
  int unique = 0;
  for (const Loop& loop : all_loops()) {
    SCOPED_TRACE(loop.name);
    const Mechanism& m = *loop.model.mechanism;
    dynamics::System system(loop.model.mechanism);
    const State state = assembled(system, 5);
    std::vector<int> freedoms;
    for (int j = 0; j < m.nv; ++j) freedoms.push_back(j);
    for (const model::Link& link : m.links)
      if (link.prescribed) std::erase(freedoms, link.iv);
    std::shuffle(freedoms.begin(), freedoms.end(), random);
    const auto count = static_cast<size_t>(dynamics::count_freedoms(system));
    for (const bool all : {false, true}) {
      std::vector<int> motors(freedoms.begin(),
                              all ? freedoms.end() : freedoms.begin() + static_cast<long>(count));
      VecX tau = VecX::Zero(m.nv), vdot = tau;
      for (const int j : motors) tau[j] = uniform(random);
      VecX given = tau;
      system.calc_vdot(state, given, vdot);
      const dynamics::MotorForces found = dynamics::calc_motor_forces(system, state, vdot, motors);
      VecX again = found.tau, reached = vdot;
      system.calc_vdot(state, again, reached);
      EXPECT_LT((reached - vdot).norm(), 1e-8 * (1 + vdot.norm()));
      if (found.unique && !system.friction()) {
        EXPECT_LT((found.tau - given).norm(), 1e-7 * (1 + given.norm()));
        ++unique;
      }
      if (!system.friction() && !m.has_prescribed()) {
        EXPECT_LT(found.tau.norm(), (1 + 1e-9) * given.norm() + 1e-12);
      }
    }
  }
  EXPECT_GT(unique, 8);
}

// Accelerations of which some are left out come back; a wrong one is refused with the constraint.
TEST(InverseLoops, AccelerationsFollowOrAreRefused) {
  for (const Loop& loop : all_loops()) {
    SCOPED_TRACE(loop.name);
    const Mechanism& m = *loop.model.mechanism;
    dynamics::System system(loop.model.mechanism);
    const State state = assembled(system, 7);
    VecX tau = VecX::Zero(m.nv), vdot = tau;
    system.calc_vdot(state, tau, vdot);
    const dynamics::ConstraintSet& set = system.constraints()->set();
    for (int j = 0; j < m.nv; ++j) {
      double column = 0;
      for (int e = 0; e < static_cast<int>(set.G().column.size()); ++e)
        if (set.G().column[static_cast<size_t>(e)] == j)
          column = std::max(column, std::abs(set.G().value[static_cast<size_t>(e)]));
      std::vector<char> given(static_cast<size_t>(m.nv), 1);
      if (column < 1e-3) continue;  // constraints do not know this freedom
      given[static_cast<size_t>(j)] = 0;
      VecX completed = vdot;
      completed[j] = 0;
      EXPECT_NO_THROW(dynamics::complete_vdot(system, state, given, completed));
      EXPECT_NEAR(completed[j], vdot[j], 1e-7 * (1 + vdot.norm())) << m.dof_names[size_t(j)];
      given[static_cast<size_t>(j)] = 1;
      VecX wrong = vdot;
      wrong[j] += 1 + vdot.norm();
      EXPECT_THAT(message_of([&] { dynamics::complete_vdot(system, state, given, wrong); }),
                  testing::AnyOf(HasSubstr("does not allow these accelerations"),
                                 HasSubstr("its prescribed motion has")))
          << m.dof_names[size_t(j)];
    }
  }
}

// A parallelogram of cranks of length l and inertia J about their pivots carries a coupler of mass
// m, which never turns: τ = (2 J + m l²) θ̈ + m g l cos θ, wherever the motor is; two share.
TEST(InverseLoops, AParallelogramLiftsItsCoupler) {
  const double J = 0.3, mass = 2, l = 0.5, g = 9.81, angle = 0.4, wanted = 3;
  const LoadedModel model = from_text(
      "gravity: [0, 0, -9.81]\n"
      "points: {D: [1, 0, 0]}\n"
      "bodies:\n"
      "  left: {mass: 1, inertia: [0.3, 0.3, 0.3], points: {e: [0.5, 0, 0]}}\n"
      "  right: {mass: 1, inertia: [0.3, 0.3, 0.3], points: {e: [0.5, 0, 0]}}\n"
      "  coupler: {mass: 2, com: [0.5, 0, 0], inertia: [1, 1, 1], points: {e: [1, 0, 0]}}\n"
      "joints:\n"
      "  A: {type: revolute, axis: -y, from: world, to: left, q: 0.4}\n"
      "  B: {type: revolute, axis: -y, from: left.e, to: coupler, q: -0.4}\n"
      "  C: {type: revolute, axis: -y, from: coupler.e, to: right.e, cut: true}\n"
      "  D: {type: revolute, axis: -y, from: world.D, to: right, q: 0.4}\n");
  const double expected = (2 * J + mass * l * l) * wanted + mass * g * l * std::cos(angle);
  const auto evaluate = [&](const std::string& actuators) {
    EvaluateOptions options;
    options.state = workbench::read_state_text(
        R"({"q": {"A": 0.4, "B": -0.4, "D": 0.4}, "v": {"A": 1.5, "B": -1.5, "D": 1.5}, )"
        R"("vdot": {"A": 3})" +
            actuators + "}",
        "state", *model.mechanism);
    return workbench::evaluate(model, options);
  };
  ASSERT_EQ(model.mechanism->dof_names, (std::vector<std::string>{"A", "B", "D"}));
  EXPECT_NEAR(evaluate("").tau[0], expected, 1e-9);
  const EvaluationReport other = evaluate(R"(, "actuators": ["D"])");
  EXPECT_EQ(other.tau[0], 0);
  EXPECT_NEAR(other.tau[2], expected, 1e-9);
  EXPECT_NEAR(other.vdot[1], -wanted, 1e-9);
  EXPECT_TRUE(other.notes.empty());
  const EvaluationReport both = evaluate(R"(, "actuators": ["A", "D"])");
  EXPECT_NEAR(both.tau[0], expected / 2, 1e-9);
  EXPECT_NEAR(both.tau[2], expected / 2, 1e-9);
  EXPECT_THAT(both.notes, testing::Contains(HasSubstr("tau is not unique")));
  EXPECT_THAT(message_of([&] { evaluate(R"(, "actuators": [])"); }),
              HasSubstr("no joint has a motor"));

  // The whole equations: M v̇ + Gᵀλ + h = τ, G v̇ + γ = 0.
  ASSERT_TRUE(other.constraints);
  EXPECT_LT((other.mass_matrix * other.vdot +
             other.constraints->G.transpose() * other.constraints->lambda + other.bias - other.tau)
                .norm(),
            1e-9);
  EXPECT_LT((other.constraints->G * other.vdot + other.constraints->bias).norm(), 1e-9);
}

// A loop that turns through its friction: τ gives the acceleration that was asked for.
TEST(InverseLoops, MotorsOvercomeFriction) {
  const LoadedModel model =
      workbench::load(std::string(COUPLET_SOURCE_DIR) + "/models/slider_crank.yaml");
  const StateInput input = workbench::read_state_text(
      R"({"q": {"main": 0.7, "big end": -1}, "v": {"main": 8}, "vdot": {"main": 20}})", "state",
      *model.mechanism);
  EvaluateOptions options;
  options.state = input;
  const EvaluationReport inverse = workbench::evaluate(model, options);
  options.state->inverse = false;
  options.state->tau = inverse.tau;
  const EvaluationReport forward = workbench::evaluate(model, options);
  EXPECT_LT((forward.vdot - inverse.vdot).norm(), 1e-9 * (1 + inverse.vdot.norm()));
  EXPECT_NEAR(inverse.vdot[0], 20, 1e-12);
}

// Where a motion is prescribed, its acceleration is that of the motion, in trees as well: a cart is
// shaken, and the pendulum on it held: τ = m l ẍ cos q.
TEST(InverseTrees, PrescribedMotionsKeepTheirAccelerations) {
  const LoadedModel model = from_text(
      "gravity: none\n"
      "bodies: {cart: {mass: 1, particle: true},\n"
      "         bob: {mass: 2, particle: true, com: [0, 0, -0.5]}}\n"
      "joints: {x: {type: prismatic, axis: x, from: world, to: cart, motion: 1.5*t^2},\n"
      "         p: {type: revolute, axis: y, from: cart, to: bob}}\n");
  const auto evaluate = [&](const char* text) {
    EvaluateOptions options;
    options.state = workbench::read_state_text(text, "state", *model.mechanism);
    return workbench::evaluate(model, options);
  };
  const EvaluationReport held = evaluate(R"({"q": {"p": 0.3}, "vdot": {"p": 0}})");
  EXPECT_NEAR(std::abs(held.tau[1]), 2 * 0.5 * 3 * std::cos(0.3), 1e-12);
  EXPECT_NEAR(held.tau[0], 3 * 3, 1e-12);
  EXPECT_THAT(message_of([&] { evaluate(R"({"vdot": {"x": 1, "p": 0}})"); }),
              HasSubstr("the acceleration of 'x' is given as 1, but its prescribed motion has 3"));
  EXPECT_THAT(message_of([&] { evaluate(R"({"vdot": {"p": 1}, "actuators": []})"); }),
              HasSubstr("motors at 'x' cannot give this motion"));
}

}  // namespace
}  // namespace couplet::verification
