// Constraints, friction and `cut` as they are written, with units, parameters, anchors and in
// subsystems.
#include <gtest/gtest.h>

#include "couplet/constraints/entry.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::formats {
namespace {

using math::Vec3;
using model::Model;
using symbolic::Expr;

Model read(const std::string& text) {
  base::Diagnostics warnings;
  Model model = read_yaml_text("couplet: 1\n" + text, "model.yaml", {}, warnings);
  for (const base::Diagnostic& d : warnings.list()) ADD_FAILURE() << d.str();
  return model;
}

// Three bodies on a revolute, a prismatic and a cylindrical joint.
const std::string bodies = R"(
bodies:
  wheel: &body {mass: 1, shape: {sphere: 10 cm}, points: {hub: [0, 0, 1]}}
  slide: *body
  tube: *body
joints:
  pin: {type: revolute, from: world, to: wheel}
  rail: {type: prismatic, from: world, to: slide, axis: x}
  bore: {type: cylindrical, from: slide, to: tube}
)";

model::Element only_constraint(const std::string& keys) {
  const Model model = read(bodies + "constraints: {c: " + keys + "}\n");
  EXPECT_EQ(model.constraints.at(0).name, "c");
  return model.constraints.at(0);
}

Expr value_of(const Model& model, size_t i) {
  return constraints::entry_of(model.constraints.at(i)).make_relation(model, model.constraints[i]);
}
Expr relation(const std::string& keys) {
  return value_of(read(bodies + "constraints: {c: " + keys + "}\n"), 0);
}

TEST(YamlConstraints, Points) {
  const auto rod = only_constraint("{type: distance, from: wheel.hub, to: slide, length: 30 cm}");
  EXPECT_EQ(rod.expression("length"), Expr(0.3));
  EXPECT_EQ(rod.point("from"), 2);  // world, wheel, wheel.hub
  EXPECT_EQ(rod.point("to"), 3);
  const auto line = only_constraint("{type: on-line, point: wheel.hub, on: slide, axis: y}");
  EXPECT_LT((line.axes("axis").col(2) - Vec3::UnitY()).norm(), 1e-15);
  const auto plane = only_constraint(
      "{type: on-plane, point: {body: wheel, position: [1, 0, 0]}, on: slide, normal: [0, 3, 4]}");
  EXPECT_LT((plane.axes("normal").col(2) - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
  const auto curve =
      only_constraint("{type: on-curve, point: wheel.hub, on: slide, curve: [s, s^2, 1 mm], s: 2}");
  EXPECT_EQ(curve.expressions("curve")[1], Expr::symbol("s") * Expr::symbol("s"));
  EXPECT_EQ(curve.expressions("curve")[2], Expr(0.001));
  EXPECT_EQ(curve.number("s"), 2);
}

TEST(YamlConstraints, Rolling) {
  const auto wheel =
      only_constraint("{type: rolling, wheel: wheel, radius: 5 cm, on: world, axis: y, normal: z}");
  EXPECT_FALSE(wheel.has("ball"));
  EXPECT_EQ(wheel.number("radius"), 0.05);
  EXPECT_LT((wheel.axes("axis").col(2) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_TRUE(only_constraint("{type: rolling, ball: wheel, radius: 5 cm, on: world}").has("ball"));
}

TEST(YamlConstraints, RelationsOfCoordinates) {
  const Expr pin = Expr::symbol("pin.q"), rail = Expr::symbol("rail.q"),
             turn = Expr::symbol("bore.q1"), slide = Expr::symbol("bore.q2");
  EXPECT_EQ(relation("{type: gear, joints: [pin, bore.q1], ratio: -3}"), pin - (-3) * turn);
  EXPECT_EQ(relation("{type: gear, joints: [pin, bore.q1], ratio: 2, offset: 0.5}"),
            pin - 2 * turn - 0.5);
  EXPECT_EQ(relation("{type: rack-and-pinion, pinion: pin, rack: rail, radius: 20 mm}"),
            rail - 0.02 * pin);
  EXPECT_EQ(relation("{type: rack-and-pinion, pinion: pin, rack: bore.q2, radius: 1}"),
            slide - pin);
  EXPECT_EQ(relation("{type: coupler, joints: {pin: 2, rail: 0.5, bore.q1: -1}, offset: 3}"),
            Expr(-3) + 2 * pin + 0.5 * rail - turn);
  EXPECT_EQ(relation("{type: relation, value: rail.q - 0.1*sin(pin.q) - 0.01*t}"),
            rail - 0.1 * sin(pin) - 0.01 * Expr::symbol("t"));
}

TEST(YamlConstraints, InSubsystemsNamesHaveAPrefixAndTheCurveKeepsItsS) {
  const Model model = read(R"(
parameters: {size: 2}
subsystems:
  left:
    parameters: {length: size}
    model:
      parameters: {length: 1}
      bodies: {arm: {mass: 1, shape: {sphere: 1}, points: {tip: [0, 0, length]}}}
      joints:
        pin: {type: revolute, from: world, to: arm}
      constraints:
        slot: {type: on-curve, point: arm.tip, on: world, curve: [length*cos(s), length*sin(s), 0]}
        law: {type: relation, value: pin.q - length*t}
        stay: {type: distance, from: {body: world, position: [1, 0, 0]}, to: arm.tip, length: length}
constraints:
  outer: {type: relation, value: left.pin.q}
)");
  ASSERT_EQ(model.constraints.size(), 4u);
  EXPECT_EQ(model.constraints[0].name, "left.slot");
  EXPECT_EQ(model.constraints[0].expressions("curve")[0],
            Expr::symbol("left.length") * cos(Expr::symbol("s")));
  EXPECT_EQ(value_of(model, 1),
            Expr::symbol("left.pin.q") - Expr::symbol("left.length") * Expr::symbol("t"));
  EXPECT_TRUE(model.find_point("left.stay.from"));
  EXPECT_EQ(value_of(model, 3), Expr::symbol("left.pin.q"));
}

TEST(YamlJoints, CutAndFriction) {
  const Model model = read(R"(
bodies: {a: &a {mass: 1, shape: {sphere: 1}}, b: *a}
joints:
  j: {type: revolute, from: world, to: a, friction: {coefficient: 0.1, radius: 5 mm, stick-speed: 1 deg/s}}
  k: {type: prismatic, from: a, to: b, cut: false, friction: {coefficient: 0.2, stick-speed: 1 mm/s}}
  l: {type: weld, from: b, to: world, cut: true}
)");
  ASSERT_TRUE(model.joints[0].friction);
  EXPECT_EQ(model.joints[0].friction->coefficient, 0.1);
  EXPECT_EQ(model.joints[0].friction->radius, 0.005);
  EXPECT_NEAR(model.joints[0].friction->stick_speed, 0.017453292519943295, 1e-17);
  EXPECT_EQ(model.joints[1].friction->stick_speed, 0.001);
  EXPECT_FALSE(model.joints[0].cut);
  EXPECT_EQ(model.joints[1].cut, false);
  EXPECT_EQ(model.joints[2].cut, true);
  EXPECT_EQ(model::compile(model).cuts.size(), 1u);
}

}  // namespace
}  // namespace couplet::formats
