// What engineers write in expressions, against what the mechanism does: points, named intermediate
// results, prescribed poses, robots as subsystems and as YAML, friction that is always there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "couplet/couplet.hpp"
#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/formats/yaml_writer.hpp"
#include "couplet/model/state_rates.hpp"

namespace couplet::verification {
namespace {

using math::Vec3;
using math::VecX;
using testing::HasSubstr;
using workbench::LoadedModel;

const std::string models = COUPLET_SOURCE_DIR "/models/";

LoadedModel from_text(const std::string& text) {
  return workbench::load_text("couplet: 1\n" + text, models + "text.yaml", workbench::Format::yaml);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

model::State random_state(const model::Mechanism& mechanism, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  model::State state = mechanism.default_state();
  for (VecX* part : {&state.q, &state.v})
    for (double& x : *part) x = normal(random);
  mechanism.make_consistent(state);
  return state;
}

VecX accelerations(const model::Mechanism& mechanism, const model::State& state) {
  dynamics::System system(std::make_shared<const model::Mechanism>(mechanism));
  VecX tau = VecX::Zero(mechanism.nv), vdot = tau;
  system.calc_vdot(state, tau, vdot);
  return vdot;
}

// The recursion of expressions and the kinematics of numbers share nothing but joints' entries.
TEST(PointExpressions, AreThePositionsAndVelocitiesOfEveryPointBehindEveryJointType) {
  model::Model model = workbench::read_model(models + "every_joint.yaml");
  model.states.clear();
  const std::vector<model::Point> points = model.points;
  for (const model::Point& point : points)
    for (const char* of : {".position", ".velocity", ".angular_velocity"})
      for (const char* axis : {".x", ".y", ".z"}) {
        model::StateVariable state;
        state.name = fmt::format("x{}", model.states.size());
        state.rate = symbolic::Expr::symbol(point.name + of + axis);
        model.states.push_back(state);
      }
  const model::Mechanism mechanism = model::compile(model);
  model::StateRates rates(mechanism);
  model::ExpressionInputs inputs(mechanism);
  dynamics::System system(std::make_shared<const model::Mechanism>(mechanism));
  std::mt19937_64 random(3);
  std::vector<double> values(model.states.size());
  for (int n = 0; n < 20; ++n) {
    model::State state = random_state(mechanism, random);
    system.set_ties(state);
    inputs.set(state);
    rates.calc(inputs, values.data());
    const dynamics::Kinematics& all = system.calc_motions(state);
    for (size_t p = 0; p < points.size(); ++p) {
      const model::BodyMotion& body = all.bodies[static_cast<size_t>(points[p].body)];
      const Vec3 at = body.X_WB * points[p].X_BP.p;
      const Vec3 expected[] = {at, body.velocity_at(at), body.w};
      for (size_t k = 0; k < 9; ++k) {
        const double x = expected[k / 3][static_cast<Eigen::Index>(k % 3)];
        EXPECT_NEAR(values[9 * p + k], x, 1e-12 * (10 + std::abs(x))) << points[p].name << " " << k;
      }
    }
  }
}

const char* const two_bodies = R"(
parameters: {k: 300 N/m, L: 0.5 m}
bodies:
  arm: {mass: 2 kg, com: [L/2, 0, 0], inertia: [0.1, 0.1, 0.1], points: {tip: [L, 0, 0]}}
  ball: {mass: 1 kg, shape: {sphere: 10 cm}, points: {hook: [0.1, 0, 0]}}
joints:
  shoulder: {type: revolute, axis: y, from: world, to: arm}
  fly: {type: free, from: world, to: ball}
)";

// A spring written by hand, from outputs that use each other and points, against the element.
TEST(NamedQuantities, MakeASpringThatIsTheElement) {
  const LoadedModel element = from_text(two_bodies + std::string(R"(
forces: {pull: {spring: {from: arm.tip, to: ball.hook, stiffness: k, length: 0.3 m}}}
)"));
  const std::string along =
      "[tension*(arm.tip.position.x - ball.hook.position.x)/gap, tension*(arm.tip.position.y - "
      "ball.hook.position.y)/gap, tension*(arm.tip.position.z - ball.hook.position.z)/gap]";
  const LoadedModel by_hand = from_text(two_bodies + fmt::format(R"(
forces:
  pull: {{applied: {{point: ball.hook, force: {0}}}}}
  back: {{applied: {{point: arm.tip, force: [-wx, -wy, -wz]}}}}
outputs:
  wx: tension*(arm.tip.position.x - ball.hook.position.x)/gap
  wy: tension*(arm.tip.position.y - ball.hook.position.y)/gap
  wz: tension*(arm.tip.position.z - ball.hook.position.z)/gap
  tension: {{value: k*(gap - 0.3 m), unit: N}}
  gap: distance(arm.tip, ball.hook)
)",
                                                                 along));
  std::mt19937_64 random(5);
  for (int n = 0; n < 20; ++n) {
    const model::State state = random_state(*element.mechanism, random);
    const VecX a = accelerations(*element.mechanism, state),
               b = accelerations(*by_hand.mechanism, state);
    EXPECT_LT((a - b).norm(), 1e-12 * a.norm());
  }
}

TEST(NamedQuantities, SayWhatTheyCannotBe) {
  EXPECT_THAT(
      message_of([] {
        from_text(two_bodies + std::string("outputs: {a: b, b: a}\nstates: {x: {rate: a}}\n"));
      }),
      HasSubstr("outputs use each other in a circle"));
  EXPECT_THAT(message_of([] {
                from_text(two_bodies + std::string("states: {x: {rate: arm.tap.position.x}}\n"));
              }),
              HasSubstr("did you mean 'arm.tip.position.x'"));
  EXPECT_THAT(
      message_of([] {
        from_text(two_bodies + std::string("when:\n  a: {at: 1, set: {L: 0.6}}\nstates: {x: "
                                           "{rate: arm.tip.position.x}}\n"));
      }),
      HasSubstr("parameter 'L' cannot change while the model moves"));
  EXPECT_THAT(message_of([] {
                from_text(two_bodies + std::string("constraints: {c: {type: relation, value: "
                                                   "arm.tip.velocity.x}}\n"));
              }),
              HasSubstr("cannot depend on velocities"));
  EXPECT_THAT(message_of([] {
                from_text(two_bodies + std::string("constraints: {c: {type: relation, value: "
                                                   "fast}}\noutputs: {fast: shoulder.v}\n"));
              }),
              HasSubstr("depends on the speed 'shoulder.v'"));
}

// A point is held on a plane by a relation of its position: the same as the constraint element.
TEST(PointExpressions, HoldAPointLikeAConstraint) {
  const char* const text = R"(
bodies:
  a: {mass: 1 kg, com: [0.3, 0, 0], inertia: [0.01, 0.05, 0.05], points: {tip: [0.6, 0, 0]}}
  b: {mass: 1 kg, com: [0.3, 0, 0], inertia: [0.01, 0.05, 0.05], points: {tip: [0.6, 0, 0]}}
joints:
  j: {type: revolute, axis: y, from: world, to: a, q: -30 deg}
  k: {type: revolute, axis: y, from: a.tip, to: b, q: 60 deg}
constraints:
)";
  const LoadedModel by_relation =
      from_text(text + std::string("  c: {type: relation, value: b.tip.position.z}\n"));
  const LoadedModel by_element =
      from_text(text + std::string("  c: {type: on-plane, point: b.tip, on: world}\n"));
  const VecX a = workbench::evaluate(by_relation).vdot, b = workbench::evaluate(by_element).vdot;
  EXPECT_LT((a - b).norm(), 1e-12 * b.norm());
}

// position(t) and rpy(t) of a free joint, against the same functions written here.
TEST(PrescribedPose, OfAFreeJointIsTheOneThatIsWritten) {
  const LoadedModel model = from_text(R"(
bodies:
  table: {mass: 5 kg, shape: {box: [1, 1, 0.1]}, points: {edge: [0.5, 0.2, 0]}}
joints:
  pose: {type: free, from: world, to: table, motion: {position: [0.1*t, 0.2*sin(t), 1 - t^2], orientation: {rpy: [0.3*t, 0.2*t, sin(2*t)]}}}
)");
  dynamics::System system(model.mechanism);
  model::State state = model.mechanism->default_state();
  for (const double t : {0.0, 0.4, 1.3}) {
    state.t = t;
    system.set_ties(state);
    const model::BodyMotion& table = system.calc_motions(state).bodies[1];
    const math::Mat3 R = math::rotation(Vec3::UnitZ(), std::sin(2 * t)) *
                         math::rotation(Vec3::UnitY(), 0.2 * t) *
                         math::rotation(Vec3::UnitX(), 0.3 * t);
    EXPECT_LT((table.X_WB.p - Vec3(0.1 * t, 0.2 * std::sin(t), 1 - t * t)).norm(), 1e-14);
    EXPECT_LT((table.X_WB.R - R).norm(), 1e-14);
    EXPECT_LT((table.v - Vec3(0.1, 0.2 * std::cos(t), -2 * t)).norm(), 1e-14);
  }
}

// ---- robots

LoadedModel arm7() { return workbench::load(models + "arm7.urdf"); }

TEST(Robots, MoveAsSubsystemsAsTheyDoAlone) {
  const LoadedModel alone = arm7();
  const LoadedModel inside = from_text(
      "bodies: {base: {mass: 3 kg, shape: {sphere: 1}, points: {top: {position: [0, 1, 2], "
      "orientation: {axis: z, angle: 1}}}}}\n"
      "joints: {hold: {type: weld, from: {body: world, position: [5, 0, 0]}, to: base}}\n"
      "subsystems: {robot: {file: arm7.urdf, mount: base.top}}\n");
  std::mt19937_64 random(1);
  for (int n = 0; n < 10; ++n) {
    const model::State state = random_state(*alone.mechanism, random);
    const VecX a = accelerations(*alone.mechanism, state),
               b = accelerations(*inside.mechanism, state);
    EXPECT_LT((a - b).norm(), 1e-11 * a.norm());
  }
}

TEST(Robots, AreTheSameInYaml) {
  for (const char* name : {"arm7.urdf", "gripper.urdf"}) {
    const LoadedModel urdf = workbench::load(models + name);
    const std::string text = formats::write_yaml(workbench::read_model(models + name));
    const LoadedModel yaml = workbench::load_text(text, "robot.yaml", workbench::Format::yaml);
    EXPECT_EQ(urdf.mechanism->dof_names, yaml.mechanism->dof_names);
    std::mt19937_64 random(2);
    for (int n = 0; n < 10; ++n) {
      const model::State state = random_state(*urdf.mechanism, random);
      const VecX a = accelerations(*urdf.mechanism, state),
                 b = accelerations(*yaml.mechanism, state);
      EXPECT_LT((a - b).norm(), 1e-11 * a.norm()) << name;
    }
  }
}

std::string slider(const std::string& dynamics) {
  return "<robot name='r'><link name='base'/><link name='block'><inertial><mass "
         "value='2'/><inertia "
         "ixx='1' iyy='1' izz='1'/></inertial></link><joint name='slide' type='prismatic'><parent "
         "link='base'/><child link='block'/><axis xyz='1 0 0'/><limit lower='-9' upper='9'/>" +
         dynamics + "</joint></robot>";
}

workbench::LoadedModel robot(const std::string& dynamics,
                             std::vector<std::pair<std::string, std::string>> set = {}) {
  workbench::LoadOptions options;
  options.set = std::move(set);
  options.gravity = Vec3(0, 0, -9.81);
  return workbench::load_text(slider(dynamics), "r.urdf", workbench::Format::urdf, options);
}

// x(t) of a block that a constant force F brakes: v0 t - F t²/2m, until it stops at m v0/F.
TEST(Robots, AreBrakedByTheirFriction) {
  const LoadedModel model = robot("<dynamics friction='3'/>", {{"slide.v", "1.5"}});
  workbench::RunRequest request;
  request.until = 2;
  request.interval = 0.25;
  request.tolerance = 1e-9;
  request.record = {"slide.q", "slide.v"};
  const results::Recording run = workbench::record(model, request);
  for (size_t row = 0; row < run.rows(); ++row) {
    const double t = std::min(run.at(row, 0), 1.0);  // it stops at 1 s
    EXPECT_NEAR(run.at(row, 1), 1.5 * t - 0.75 * t * t, 1e-9);
  }
}

TEST(Robots, QuantitiesCanBeSet) {
  const LoadedModel model =
      robot("", {{"block.mass", "500 g"}, {"slide.friction", "1 N"}, {"slide.q", "20 cm"}});
  EXPECT_EQ(model.mechanism->model->bodies[2].mass.mass, 0.5);
  EXPECT_EQ(model.mechanism->model->joints[1].friction->force, 1);
  EXPECT_EQ(model.start().q[0], 0.2);
  EXPECT_THAT(message_of([] {
                robot("", {{"blok.mass", "1"}});
              }),
              HasSubstr("did you mean 'block.mass'?"));
  EXPECT_THAT(message_of([] {
                robot("", {{"block.mass", "1 m"}});
              }),
              HasSubstr("expected a mass (kg)"));
}

// On an incline that is less steep than tan⁻¹(F/(m g cos α)) it stays, and slides down beyond with
// g sin α - (F + μ m g cos α)/m.
TEST(ConstantFriction, AddsToTheOneThatIsPressed) {
  const auto slide = [](double alpha) {
    return from_text(fmt::format(R"(
bodies: {{block: {{mass: 2 kg, shape: {{sphere: 0.1}}}}}}
joints:
  ramp: {{type: prismatic, axis: x, from: {{body: world, orientation: {{axis: y, angle: {}}}}}, to: block, friction: {{coefficient: 0.2, force: 4 N}}}}
)",
                                 alpha));
  };
  const auto expected = [](double a) { return 9.81 * std::sin(a) - 2 - 0.2 * 9.81 * std::cos(a); };
  EXPECT_LT(expected(0.3), 0);
  EXPECT_NEAR(workbench::evaluate(slide(0.3)).vdot[0], 0, 1e-12);
  EXPECT_NEAR(workbench::evaluate(slide(0.7)).vdot[0], expected(0.7), 1e-12);
}

}  // namespace
}  // namespace couplet::verification
