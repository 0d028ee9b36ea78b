// Random mechanisms for the tests of this room: chains, bushy trees and bodies with several limbs.
#pragma once

#include <random>
#include <string>

#include "couplet/model/mechanism.hpp"

namespace couplet::dynamics {

using model::JointType;
using model::Mechanism;

class RandomMechanism {
 public:
  explicit RandomMechanism(int seed) : random_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  math::VecX vector(int n, double limit) {
    math::VecX x(n);
    for (double& xi : x) xi = uniform(-limit, limit);
    return x;
  }
  model::State state(const Mechanism& mechanism) {
    model::State state = mechanism.default_state();
    state.q += vector(mechanism.nq, 2);
    state.v = vector(mechanism.nv, 2);
    mechanism.make_consistent(state);
    return state;
  }

  /// A solid box with random sides, turned and shifted.
  math::MassProperties box() {
    const math::Vec3 sides(uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1));
    const double mass = uniform(0.5, 2);
    math::MassProperties box{mass, vector(3, 0.2), math::Mat3::Zero()};
    box.inertia.diagonal() = mass / 12 * (sides.squaredNorm() - sides.array().square());
    const math::Mat3 R = pose().R;
    box.inertia = R * box.inertia * R.transpose();
    return box;
  }

  /// A tree of every joint type. Each body is on the one before with the probability `chained`,
  /// else on any; some joints are prescribed.
  Mechanism tree(int bodies, double chained, bool prescribed = false) {
    const JointType types[] = {JointType::revolute,
                               JointType::revolute,
                               JointType::revolute,
                               JointType::prismatic,
                               JointType::screw,
                               JointType::cylindrical,
                               JointType::universal,
                               JointType::spherical,
                               JointType::planar,
                               JointType::xyz,
                               JointType::free,
                               JointType::weld,
                               *model::find_joint_type("gimbal")};
    model::Model model = empty();
    for (int i = 1; i <= bodies; ++i) {
      const int parent = uniform(0, 1) < chained ? i - 1 : below(i);
      const JointType type = types[below(std::size(types))];
      model::Joint& joint = add(model, parent, type);
      const bool simple = type == JointType::revolute || type == JointType::prismatic;
      if (prescribed && simple && below(3) == 0) joint.motion = {model::Expr(0.0)};
    }
    return model::compile(std::move(model));
  }

  /// A free body, or one on a chain, that carries limbs of revolute joints of these lengths; with
  /// `scattered`, the limbs are on other bodies, too.
  Mechanism limbs(std::initializer_list<int> lengths, bool floating, bool scattered = false) {
    model::Model model = empty();
    add(model, 0, floating ? JointType::free : JointType::revolute);
    int trunk = 1, bodies = 1;
    for (const int length : lengths) {
      if (scattered) {
        add(model, trunk, JointType::universal);
        trunk = ++bodies;
      }
      for (int i = 0; i < length; ++i) {
        add(model, i == 0 ? trunk : bodies, JointType::revolute);
        ++bodies;
      }
    }
    return model::compile(std::move(model));
  }

 private:
  model::Model empty() {
    model::Model model;
    model.gravity = model::UniformGravity{math::Vec3(0.3, -0.2, -9.81)};
    return model;
  }
  math::Pose pose() {
    const math::Quaternion q = vector(4, 1).normalized();
    return {math::rotation(q), vector(3, 0.5)};
  }
  model::Joint& add(model::Model& model, int parent, JointType type) {
    const std::string name = std::to_string(model.bodies.size());
    const int body = model.add_body("body" + name, box());
    const int from = model.add_point("from" + name, parent, pose());
    const int to = model.add_point("to" + name, body, pose());
    model::Joint& joint = model.add_joint("joint" + name, type, from, to, pose().R.col(2));
    joint.pitch = type == JointType::screw ? 0.2 : 0;
    return joint;
  }

  std::mt19937_64 random_;
};

}  // namespace couplet::dynamics
