// The verbs as functions: closed forms, and messages that name options as the library does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

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

// The same model, compiled once: no file is read again.
TEST(Load, ParametersOfACompiledModelCanBeChanged) {
  LoadedModel model = load_pendulum();
  model::ParametricMechanism changing(*model.mechanism);
  model.mechanism = changing.mechanism();
  for (const double l : {0.25, 0.5, 2.0}) {
    changing.set("l", l);
    EXPECT_NEAR(evaluate(model).vdot[0], -9.81 / l * std::sin(1), 1e-12);
  }
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

constexpr const char* circuit = COUPLET_SOURCE_DIR "/models/modelica/Circuit.mo:Circuit.Main";

// One way in for every kind of model, and one way to run.
TEST(Load, AModelicaClassRunsLikeAMechanism) {
  RunRequest request;
  request.until = 0.01;
  for (const LoadedModel& model : {load(circuit), load_pendulum()}) {
    simulate::Summary summary;
    const results::Recording recording = record(model, request, &summary);
    EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached) << model.path;
    EXPECT_EQ(recording.at(recording.rows() - 1, 0), 0.01) << model.path;
    EXPECT_GT(list_signals(model).size(), 3u) << model.path;
  }
}

TEST(Load, WhatAsksForBodiesAndJointsRefusesAModelicaClassByName) {
  const LoadedModel model = load(circuit);
  const std::function<void()> all[] = {
      [&] { load_mechanism(circuit); },
      [&] { read_model(circuit); },
      [&] { model.start(); },
      [&] { check(model); },
      [&] { assemble(model, {}); },
      [&] { evaluate(model); },
      [&] { compare(model, {}); },
      [&] { generate_code(model, {}); },
      [&] { measure_precision(model, {}); },
  };
  for (const auto& each : all)
    EXPECT_THAT(message_of(each), HasSubstr("Circuit.Main' names a Modelica"));
  LoadOptions options;
  options.gravity = math::Vec3(0, 0, -1);
  EXPECT_THAT(message_of([&] { load(circuit, options); }), HasSubstr("no option `gravity`"));
  options = {};
  options.floating_base = true;
  EXPECT_THAT(message_of([&] { load(circuit, options); }), HasSubstr("no option `floating_base`"));
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

// A prescribed pose is two joints with a massless body between them, which nobody has written.
TEST(Check, CountsBodiesAndJointsAsTheyAreWritten) {
  const CheckReport report = check(
      load_text("couplet: 1\n"
                "bodies: {table: {mass: 2, shape: {sphere: 1}}, bob: {mass: 1, particle: true}}\n"
                "joints:\n"
                "  pose: {type: free, from: world, to: table, motion: {position: [0, 0, t]}}\n"
                "  slide: {type: prismatic, from: table, to: bob}\n",
                "table.yaml", Format::yaml));
  EXPECT_EQ(report.bodies, 2);
  EXPECT_EQ(report.joints, 2);
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

TEST(Precision, EveryIntegratorThatIsAskedForReachesTheReference) {
  PrecisionOptions options;
  options.integrators = {"dopri5", "rk4"};
  options.until = 0.2;
  options.budget = 0.05;
  const PrecisionReport report = measure_precision(load_pendulum(), options);
  ASSERT_EQ(report.lines.size(), 2u);
  for (const PrecisionLine& line : report.lines) {
    ASSERT_FALSE(line.points.empty()) << line.integrator;
    double best = 1;
    for (const integrate::WorkPoint& point : line.points)
      if (point.counts_as_point()) best = std::min(best, point.errors.position);
    EXPECT_LT(best, 1e-6) << line.integrator;
  }
  EXPECT_THAT(report.csv(), HasSubstr("\nrk4,fixed,"));
  EXPECT_THAT(report.picture(), HasSubstr("dopri5"));
}

TEST(Precision, WhatIsNotPossibleIsNamedWithoutFlags) {
  PrecisionOptions options;
  options.until = 0;
  EXPECT_THAT(message_of([&] { check_precision_options(options); }), HasSubstr("`until` 0 s"));
  options = {};
  options.integrators = {"rk5"};
  EXPECT_THAT(message_of([&] { check_precision_options(options); }), HasSubstr("rk4"));
}

TEST(Doctor, SaysWhatIsThereAndHowToGetTheRest) {
  const DoctorReport report = examine();
  EXPECT_EQ(report.facts.front().name, "version");
  for (const auto& fact : report.facts) EXPECT_FALSE(fact.value.empty()) << fact.name;
  EXPECT_GE(report.parts.size(), 5u);
  for (const auto& part : report.parts) EXPECT_FALSE(part.fix.empty()) << part.name;
}

TEST(Catalogue, EverythingInItIsDescribed) {
  for (const ChoiceList& list : list_choices()) {
    EXPECT_FALSE(list.choices.empty()) << list.name;
    for (const Choice& choice : list.choices) {
      EXPECT_FALSE(choice.doc.empty()) << list.name << " " << choice.name;
      EXPECT_EQ(choice.keys.empty(), choice.example.empty()) << choice.name;
      for (const KeyLine& key : choice.keys) EXPECT_FALSE(key.value.empty()) << key.name;
    }
  }
}

// Documents are written by hand; nothing is missing from them.
TEST(Catalogue, TheManualNamesEverythingInIt) {
  const std::map<std::string, std::string> pages = {
      {"formalisms", "evaluate.md"},  {"integrators", "simulation.md"},
      {"joints", "model-format.md"},  {"constraints", "model-format.md"},
      {"forces", "model-format.md"},  {"code", "generate.md"},
      {"passes", "modelica-notes.md"}};
  for (const ChoiceList& list : list_choices()) {
    std::ifstream file(COUPLET_SOURCE_DIR "/docs/" + pages.at(list.name));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const Choice& choice : list.choices) {
      EXPECT_THAT(text, HasSubstr("`" + choice.name + "`")) << pages.at(list.name);
      if (choice.keys.empty()) continue;
      const size_t at = text.find("| `" + choice.name + "`");
      ASSERT_NE(at, std::string::npos) << "no row of a table for " << choice.name;
      const std::string row = text.substr(at, text.find('\n', at) - at);
      for (const KeyLine& key : choice.keys)
        EXPECT_THAT(row, HasSubstr("`" + key.name + "`")) << choice.name;
    }
  }
}

TEST(Generate, WhatCannotBeGeneratedIsNamed) {
  GenerateOptions options;
  options.what = "inverze";
  EXPECT_THAT(message_of([&] { generate_code(load_pendulum(), options); }),
              HasSubstr("did you mean 'inverse'?"));
}

// Where there is an entry for each pair of joints: known before it is made, within a factor of two.
TEST(Generate, WhatGrowsWithTheSquareOfAChainIsEstimated) {
  std::string bodies, joints, from = "world";
  for (int i = 0; i < 15; ++i) {
    bodies += fmt::format(
        "  b{}: {{mass: 1, inertia: [1, 1.2, 1.3], com: [0.1, 0.2, 0.3], "
        "points: {{tip: [0, 0.1, -1]}}}}\n",
        i);
    joints += fmt::format("  j{}: {{type: revolute, axis: [1, {}, 0.2], from: {}, to: b{}}}\n", i,
                          0.3 + i % 3, from, i);
    from = fmt::format("b{}.tip", i);
  }
  const LoadedModel chain =
      load_text("couplet: 1\nbodies:\n" + bodies + "joints:\n" + joints, "c.yaml", Format::yaml);
  for (const char* what : {"gradients", "mass-matrix", "jacobian"}) {
    GenerateOptions options;
    options.what = what;
    double operations = 0;
    for (const GeneratedFunction& f : generate_code(chain, options).functions)
      operations += static_cast<double>(f.counts.multiplications + f.counts.additions);
    const double estimate = estimate_operations(chain, options);
    EXPECT_GT(estimate, 0.5 * operations) << what;
    EXPECT_LT(estimate, 2 * operations) << what;
  }
  EXPECT_EQ(estimate_operations(chain, {}), 0);
}

// A force that depends on forces, and names that stand for each other.
TEST(Load, ExpressionsThatHaveNoBeginningAreExplained) {
  const auto refusal = [](const std::string& force, const std::string& outputs) {
    return message_of([&] {
      load_text(
          "couplet: 1\n"
          "bodies: {m: {mass: 1, particle: true}}\n"
          "joints: {j: {type: prismatic, from: world, to: m, force: " +
              force + "}}\n" + outputs,
          "late.yaml", Format::yaml);
    });
  };
  for (const char* late : {"j.effort", "j.force.x", "j.vdot", "m.acceleration.x"})
    EXPECT_THAT(refusal(late, ""), HasSubstr("' is known only after the forces"));
  EXPECT_THAT(refusal("j.efort", ""), HasSubstr("unknown name 'j.efort'"));
  EXPECT_THAT(refusal("a", "outputs: {a: {value: b + c}, b: {value: 1 + t}, c: {value: 2*a}}\n"),
              HasSubstr("in a circle: a → c → a"));
}

// A run would stop at the first of these: an equality that has no event, a start beyond a stop.
TEST(Check, SaysAllThatARunRefusesAtOnce) {
  const LoadedModel model = load_text(
      "couplet: 1\n"
      "bodies: {m: {mass: 1, particle: true}}\n"
      "joints: {s: {type: prismatic, axis: x, from: world, to: m, q: 3, limits: [-1, 1],\n"
      "             force: \"if q == 2 then 1 else 0\"}}\n",
      "two.yaml", Format::yaml);
  EXPECT_THAT(check(model).warnings, testing::UnorderedElementsAre(HasSubstr("outside its limits"),
                                                                   HasSubstr("are equal")));
}

// Of two rules, the one whose condition holds at the start will not fire there.
TEST(Check, WarnsOfRulesThatHoldAtTheStart) {
  const LoadedModel model = load_text(
      "couplet: 1\n"
      "bodies: {m: {mass: 1, particle: true}}\n"
      "joints: {s: {type: prismatic, axis: x, from: world, to: m, v: 1}}\n"
      "when: {back: {condition: \"s.v < 0\", stop: true}, on: {condition: \"s.v > 0\", stop: "
      "true}}\n",
      "rules.yaml", Format::yaml);
  EXPECT_THAT(check(model).warnings,
              testing::ElementsAre("'on' waits: its condition holds at the start already; a rule "
                                   "fires when its condition becomes true"));
}

}  // namespace
}  // namespace couplet::workbench
