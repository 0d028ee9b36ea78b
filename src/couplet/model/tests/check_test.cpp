// What is said about friction that cannot be.
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

TEST(CheckFriction, NeedsPossibleNumbers) {
  const auto said_about_friction = [](const Friction& friction, JointType type) {
    Model model = two_bodies();
    model.joints[1].type = type;
    model.joints[1].friction = friction;
    return said_about(model);
  };
  EXPECT_EQ(said_about_friction({.coefficient = 0.1, .radius = 0.01}, JointType::revolute), "");
  EXPECT_EQ(said_about_friction({.coefficient = 0.1}, JointType::prismatic), "");
  EXPECT_EQ(said_about_friction({.coefficient = -0.1, .radius = 0.01}, JointType::revolute),
            "the friction of joint 'k' has a coefficient of -0.1 / give a coefficient >= 0");
  EXPECT_EQ(said_about_friction({.coefficient = 0.1}, JointType::revolute),
            "the friction of joint 'k' has a radius of 0 m / give the radius > 0 at which the "
            "joint rubs");
  EXPECT_EQ(said_about_friction({.coefficient = 0.1, .radius = 0.01, .stick_speed = -1},
                                JointType::revolute),
            "the friction of joint 'k' has a stick speed of -1 / give a speed >= 0; 0 sticks as "
            "Coulomb says");
  EXPECT_EQ(said_about_friction({.coefficient = 0.1}, JointType::weld),
            "the friction of joint 'k' has nothing to resist: the joint does not move / remove it");
}

}  // namespace
}  // namespace couplet::model
