// What is said about constraints and friction that cannot be.
#include <gtest/gtest.h>

#include "couplet/model/model.hpp"

namespace couplet::model {
namespace {

// Two bodies on revolute joints; point 0 is the world, 1 on `a`, 2 on `b`, 3 on `b` too.
Model two_bodies() {
  Model model;
  const MassProperties mass{1, Vec3::Zero(), math::Mat3::Identity()};
  model.add_body("a", mass);
  const int b = model.add_body("b", mass);
  model.add_point("b.tip", b, Pose{});
  model.add_joint("j", JointType::revolute, 0, 1);
  model.add_joint("k", JointType::revolute, 1, 2);
  return model;
}

std::string said_about(const Model& model) {
  base::Diagnostics diagnostics;
  check(model, Strictness::strict, diagnostics);
  return diagnostics.list().empty()
             ? ""
             : diagnostics.list()[0].what + " / " + diagnostics.list()[0].fix;
}

std::string said_about(const decltype(Constraint::kind)& kind) {
  Model model = two_bodies();
  model.constraints.push_back({"c", kind, {}});
  return said_about(model);
}

TEST(CheckConstraints, GoodOnesPass) {
  EXPECT_EQ(said_about(Distance{0, 2, 0.5}), "");
  EXPECT_EQ(said_about(PointOnLine{1, 2}), "");
  EXPECT_EQ(said_about(Relation{Expr::symbol("j.q") - 2 * Expr::symbol("k.q")}), "");
  EXPECT_EQ(said_about(PointOnCurve{2, 0, {Expr::symbol("s"), 0, 0}, 0}), "");
}

TEST(CheckConstraints, AreNotNamedLikeAJoint) {
  Model model = two_bodies();
  model.constraints.push_back({"k", PointOnLine{1, 2}, {}});
  EXPECT_EQ(said_about(model), "there is a joint named 'k', too / rename the constraint");
}

TEST(CheckConstraints, LengthsArePositiveAtTheStart) {
  const Expr t = Expr::symbol("t");
  EXPECT_EQ(said_about(Distance{0, 2, symbolic::sin(t) - 2}),
            "constraint 'c' has a length of -2 m at t = 0 / give a length > 0; a spherical joint "
            "holds points together");
  EXPECT_EQ(said_about(Distance{0, 2, 2 - t}), "");
  Model model = two_bodies();
  model.parameters.push_back({"size", -0.5, {}});
  model.constraints.push_back({"c", Distance{0, 2, Expr::symbol("size")}, {}});
  EXPECT_EQ(said_about(model),
            "constraint 'c' has a length of -0.5 m / give a length > 0; a spherical joint holds "
            "points together");
}

TEST(CheckConstraints, NeedTwoBodies) {
  const std::string said =
      "constraint 'c' connects body 'b' with itself / choose points on two bodies";
  EXPECT_EQ(said_about(Distance{2, 3, 0.5}), said);
  EXPECT_EQ(said_about(PointOnLine{2, 3}), said);
  EXPECT_EQ(said_about(PointOnPlane{2, 3}), said);
  EXPECT_EQ(said_about(PointOnCurve{2, 3, {Expr::symbol("s"), 0, 0}, 0}), said);
  EXPECT_EQ(said_about(Rolling{2, 3, 0.5, true}), said);
}

TEST(CheckConstraints, NeedPossibleNumbers) {
  EXPECT_EQ(said_about(Distance{0, 2, 0}),
            "constraint 'c' has a length of 0 m / give a length > 0; a spherical joint holds "
            "points together");
  EXPECT_EQ(said_about(Rolling{2, 0, -1, true}),
            "constraint 'c' has a radius of -1 m / give a radius > 0");
  EXPECT_EQ(
      said_about(PointOnCurve{2, 0, {1, 2, 3}, 0}),
      "constraint 'c' has a curve that does not depend on s / give [x, y, z] as functions of s");
}

TEST(CheckConstraints, RelationsAreBetweenPositions) {
  EXPECT_EQ(said_about(Relation{Expr::symbol("t")}),
            "constraint 'c' relates no coordinates / name at least one coordinate of a joint");
  EXPECT_EQ(said_about(Relation{Expr::symbol("j.q") + Expr::symbol("k.v")}),
            "constraint 'c' depends on the speed 'k.v' / relate positions; of constraints on "
            "speeds there is rolling");
}

TEST(CheckConstraints, NamesAreUnique) {
  Model model = two_bodies();
  model.constraints.push_back({"c", Distance{0, 2, 1}, {}});
  model.constraints.push_back({"c", Distance{0, 2, 2}, {}});
  EXPECT_EQ(said_about(model), "there are two constraints named 'c' / give each its own name");
}

TEST(CheckFriction, NeedsPossibleNumbers) {
  const auto said_about_friction = [](const Friction& friction, JointType type) {
    Model model = two_bodies();
    model.joints[1].type = type;
    model.joints[1].friction = friction;
    return said_about(model);
  };
  EXPECT_EQ(said_about_friction({0.1, 0.01, 0}, JointType::revolute), "");
  EXPECT_EQ(said_about_friction({0.1, 0, 0}, JointType::prismatic), "");
  EXPECT_EQ(said_about_friction({-0.1, 0.01, 0}, JointType::revolute),
            "the friction of joint 'k' has a coefficient of -0.1 / give a coefficient >= 0");
  EXPECT_EQ(said_about_friction({0.1, 0, 0}, JointType::revolute),
            "the friction of joint 'k' has a radius of 0 m / give the radius > 0 at which the "
            "joint rubs");
  EXPECT_EQ(said_about_friction({0.1, 0.01, -1}, JointType::revolute),
            "the friction of joint 'k' has a stick speed of -1 / give a speed >= 0; 0 sticks as "
            "Coulomb says");
  EXPECT_EQ(said_about_friction({0.1, 0, 0}, JointType::weld),
            "the friction of joint 'k' has nothing to resist: the joint does not move / remove it");
}

}  // namespace
}  // namespace couplet::model
