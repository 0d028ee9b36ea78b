// The verbs as functions: closed forms, and messages that name options as the library does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "couplet/couplet.hpp"

namespace couplet::workbench {
namespace {

using base::UserError;
using testing::HasSubstr;
using testing::Not;

constexpr const char* pendulum =
    "couplet: 1\n"
    "parameters: {l: 0.5}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {bob: {mass: 2, com: [0, 0, -l], particle: true}}\n"
    "joints: {pivot: {type: revolute, from: world, to: bob, axis: y, q: 1}}\n";

LoadedModel load_pendulum(const LoadOptions& options = {}) {
  return load_text(pendulum, "pendulum.yaml", Format::yaml, options);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Load, OptionsReachTheModel) {
  // θ̈ = -(g/l) sin θ
  LoadOptions options;
  options.set = {{"l", "25 cm"}};
  options.gravity = math::Vec3(0, 0, -1.62);
  EXPECT_NEAR(evaluate(load_pendulum(options)).vdot[0], -1.62 / 0.25 * std::sin(1), 1e-13);
  EXPECT_NEAR(evaluate(load_pendulum()).vdot[0], -9.81 / 0.5 * std::sin(1), 1e-13);
}

TEST(Load, OptionsThatDoNotFitAreNamedWithoutFlags) {
  LoadOptions floating;
  floating.floating_base = true;
  const std::string message = message_of([&] { load_pendulum(floating); });
  EXPECT_THAT(message, HasSubstr("`floating_base` is for URDF robots"));
  EXPECT_THAT(message, Not(HasSubstr("--")));
}

TEST(Load, ARobotBeginsInsideItsLimits) {
  const LoadedModel robot = load_text(
      R"(<robot name="r"><link name="w"/><link name="a"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="revolute"><parent link="w"/><child link="a"/>
      <limit lower="0.2" upper="0.7" effort="1" velocity="1"/></joint></robot>)",
      "r.urdf", Format::urdf);
  EXPECT_EQ(robot.start().q[0], 0.2);
  EXPECT_EQ(robot.mechanism->default_state().q[0], 0);
}

TEST(StateFile, IsReadAsItWasWritten) {
  const LoadedModel model = load_pendulum();
  model::State state = model.mechanism->default_state();
  state.q[0] = 1.0 / 3;
  state.v[0] = -1e-17;
  const std::string path = (std::filesystem::path(testing::TempDir()) / "state.json").string();
  write_state_file(*model.mechanism, state, base::Output{path, "the state", true});
  const StateInput back = read_state(path, *model.mechanism);
  EXPECT_EQ(back.state.q, state.q);
  EXPECT_EQ(back.state.v, state.v);
  EXPECT_FALSE(back.inverse);
}

TEST(Evaluate, TheRodPullsWithWeightAndCentrifugalForce) {
  // At the lowest point with speed ω: F = m (g + l ω²) upwards.
  const LoadedModel model = load_pendulum();
  StateInput input = make_input(model.mechanism->default_state(), *model.mechanism);
  input.state.q[0] = 0;
  input.state.v[0] = 3;
  EvaluateOptions options;
  options.state = input;
  options.reactions = true;
  const EvaluationReport report = evaluate(model, options);
  ASSERT_EQ(report.reactions.size(), 1u);
  EXPECT_EQ(report.reactions[0].body, "bob");
  EXPECT_NEAR(report.reactions[0].force[2], 2 * (9.81 + 0.5 * 9), 1e-12);
  EXPECT_NEAR(report.kinetic_energy, 0.5 * 2 * 0.5 * 0.5 * 9, 1e-13);
}

TEST(Evaluate, AFrameWithoutReactionsIsRefused) {
  EvaluateOptions options;
  options.frame = "joint";
  EXPECT_THAT(message_of([&] { evaluate(load_pendulum(), options); }),
              HasSubstr("add `reactions`, or leave out `frame`"));
}

TEST(Check, CountsWhatThePendulumIs) {
  const CheckReport report = check(load_pendulum());
  EXPECT_EQ(report.bodies, 1);
  EXPECT_EQ(report.analysis.freedoms, 1);
  EXPECT_EQ(report.mass, 2);
  EXPECT_TRUE(report.closed());
  EXPECT_TRUE(report.warnings.empty());
}

TEST(Compare, FormalismsAgreeOnThePendulum) {
  CompareOptions options;
  options.states = 5;
  const ComparisonReport report = compare(load_pendulum(), options);
  EXPECT_GE(report.formalisms.size(), 4u);
  EXPECT_LT(report.largest_difference, 1e-13);
  options.states = 0;
  EXPECT_THAT(message_of([&] { compare(load_pendulum(), options); }), HasSubstr("`states` ≥ 1"));
}

TEST(Generate, WhatCannotBeGeneratedIsNamed) {
  GenerateOptions options;
  options.what = "inverze";
  EXPECT_THAT(message_of([&] { generate_code(load_pendulum(), options); }),
              HasSubstr("did you mean 'inverse'?"));
}

}  // namespace
}  // namespace couplet::workbench
