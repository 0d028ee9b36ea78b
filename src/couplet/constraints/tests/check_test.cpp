// What is said about constraints that cannot be.
#include <gtest/gtest.h>

#include "couplet/constraints/entry.hpp"

namespace couplet::constraints {
namespace {

using model::JointType;
using model::MassProperties;
using model::Model;
using model::Pose;
using Values = std::initializer_list<std::pair<std::string_view, model::Value>>;
using Curve = std::array<Expr, 3>;

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
  check(model, model::Strictness::strict, diagnostics);
  return diagnostics.list().empty()
             ? ""
             : diagnostics.list()[0].what + " / " + diagnostics.list()[0].fix;
}

std::string said_about(const char* type, Values values) {
  Model model = two_bodies();
  add_constraint(model, "c", type, values);
  return said_about(model);
}

std::string said_about_distance(int a, int b, const Expr& length) {
  return said_about("distance", {{"from", a}, {"to", b}, {"length", length}});
}
std::string said_about_curve(int p, int on, const Curve& curve) {
  return said_about("on-curve", {{"point", p}, {"on", on}, {"curve", curve}});
}

TEST(CheckConstraints, GoodOnesPass) {
  EXPECT_EQ(said_about_distance(0, 2, 0.5), "");
  EXPECT_EQ(said_about("on-line", {{"point", 1}, {"on", 2}}), "");
  EXPECT_EQ(said_about("relation", {{"value", Expr::symbol("j.q") - 2 * Expr::symbol("k.q")}}), "");
  EXPECT_EQ(said_about_curve(2, 0, Curve{Expr::symbol("s"), 0, 0}), "");
}

TEST(CheckConstraints, AreNotNamedLikeAJoint) {
  Model model = two_bodies();
  add_constraint(model, "k", "on-line", {{"point", 1}, {"on", 2}});
  EXPECT_EQ(said_about(model), "there is a joint named 'k', too / rename the constraint");
}

TEST(CheckConstraints, LengthsArePositiveAtTheStart) {
  const Expr t = Expr::symbol("t");
  EXPECT_EQ(said_about_distance(0, 2, symbolic::sin(t) - 2),
            "constraint 'c' has a length of -2 m at t = 0 / give a length > 0; a spherical joint "
            "holds points together");
  EXPECT_EQ(said_about_distance(0, 2, 2 - t), "");
  Model model = two_bodies();
  model.parameters.push_back({"size", -0.5, {}});
  add_constraint(model, "c", "distance",
                 {{"from", 0}, {"to", 2}, {"length", Expr::symbol("size")}});
  EXPECT_EQ(said_about(model),
            "constraint 'c' has a length of -0.5 m / give a length > 0; a spherical joint holds "
            "points together");
}

TEST(CheckConstraints, NeedTwoBodies) {
  const std::string said =
      "constraint 'c' connects body 'b' with itself / choose points on two bodies";
  EXPECT_EQ(said_about_distance(2, 3, 0.5), said);
  EXPECT_EQ(said_about("on-line", {{"point", 2}, {"on", 3}}), said);
  EXPECT_EQ(said_about("on-plane", {{"point", 2}, {"on", 3}}), said);
  EXPECT_EQ(said_about_curve(2, 3, Curve{Expr::symbol("s"), 0, 0}), said);
  EXPECT_EQ(said_about("rolling", {{"ball", 2}, {"on", 3}, {"radius", 0.5}}), said);
}

TEST(CheckConstraints, NeedPossibleNumbers) {
  EXPECT_EQ(said_about_distance(0, 2, 0),
            "constraint 'c' has a length of 0 m / give a length > 0; a spherical joint holds "
            "points together");
  EXPECT_EQ(said_about("rolling", {{"ball", 2}, {"on", 0}, {"radius", -1}}),
            "constraint 'c' has a radius of -1 m / give a radius > 0");
  EXPECT_EQ(
      said_about_curve(2, 0, Curve{1, 2, 3}),
      "constraint 'c' has a curve that does not depend on s / give [x, y, z] as functions of s");
}

TEST(CheckConstraints, RelationsAreBetweenPositions) {
  EXPECT_EQ(said_about("relation", {{"value", Expr::symbol("t")}}),
            "constraint 'c' relates no coordinates / name at least one coordinate of a joint");
  EXPECT_EQ(said_about("relation", {{"value", Expr::symbol("j.q") + Expr::symbol("k.v")}}),
            "constraint 'c' depends on the speed 'k.v' / relate positions; of constraints on "
            "speeds there is rolling");
}

TEST(CheckConstraints, NamesAreUnique) {
  Model model = two_bodies();
  add_constraint(model, "c", "distance", {{"from", 0}, {"to", 2}, {"length", 1}});
  add_constraint(model, "c", "distance", {{"from", 0}, {"to", 2}, {"length", 2}});
  EXPECT_EQ(said_about(model), "there are two constraints named 'c' / give each its own name");
}

}  // namespace
}  // namespace couplet::constraints
