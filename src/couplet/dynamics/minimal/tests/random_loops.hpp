// Random mechanisms with closed loops: a random tree in a random position, with joints and
// constraints added that are closed there.
#pragma once

#include "couplet/constraints/entry.hpp"
#include "couplet/dynamics/minimal/kinematics.hpp"
#include "couplet/symbolic/parse.hpp"
#include "random_mechanism.hpp"

namespace couplet::dynamics {

class RandomLoops {
 public:
  using Pose = math::Pose;
  using Model = model::Model;

  explicit RandomLoops(int seed) : random_(seed) {}

  RandomMechanism& random() { return random_; }

  /// Closes a random tree by joints of the given types; default_state() is closed in position.
  Mechanism mechanism(int bodies, const std::vector<JointType>& cuts) {
    start(bodies);
    for (const JointType type : cuts) close(type);
    return model::compile(std::move(model_));
  }
  /// Bodies that move in a common plane, which lies anyhow, on revolute and (a few) prismatic
  /// joints, closed by spatial revolute joints: three of the five rows of each say only that the
  /// plane is one. Masses are outside of it.
  Mechanism planar(int bodies, int loops) {
    const Pose X_plane{random_rotation(), random_.vector(3, 1)};
    const auto in_plane = [&](int body) {
      const double angle = random_.uniform(-3, 3);
      const Pose X{Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix(),
                   random_.vector(3, 0.5)};
      return body == 0 ? X_plane * X : X;
    };
    Model model;
    model.gravity = model::UniformGravity{random_.vector(3, 10)};
    for (int i = 1; i <= bodies; ++i) {
      const int parent = random_.uniform(0, 1) < 0.7 ? i - 1 : random_.below(i);
      const std::string name = std::to_string(i);
      const int body = model.add_body("body" + name, random_.box());
      const int from = model.add_point("from" + name, parent, in_plane(parent)),
                to = model.add_point("to" + name, body, in_plane(body));
      const bool slides = random_.below(6) == 0;
      model.add_joint("joint" + name, slides ? JointType::prismatic : JointType::revolute, from, to,
                      slides ? Vec3::UnitX() : Vec3::UnitZ());
    }
    start(model::compile(std::move(model)));
    for (int k = 0; k < loops; ++k) {
      const int body = any_body();
      close(JointType::revolute, model_.add_point(fmt_name("p"), body, in_plane(body)),
            math::Mat3::Identity());
    }
    return model::compile(std::move(model_));
  }
  /// Floats without gravity: limbs on a free body, with loops between them.
  Mechanism floating(int loops, JointType type) {
    start(random_.limbs({3, 4, 2, 3}, true));
    model_.gravity = model::UniformGravity{};
    grounded_ = false;
    for (int k = 0; k < loops; ++k) close(type);
    grounded_ = true;
    return model::compile(std::move(model_));
  }
  /// Every kind of constraint besides joints, on a random tree.
  Mechanism with_constraints(int bodies) {
    start(bodies);
    using symbolic::parse;
    const int end = point(pose());
    const int other_end = point_at(pose(), body_of(end));
    const double length = (place(other_end) - place(end)).norm();
    add("rod", "distance",
        {{"from", end}, {"to", other_end}, {"length", model::Expr(length) + parse("0.3*sin(t)")}});

    // A frame is put where the point is, so that the constraint is satisfied.
    const int p = point(pose()), q = point(pose()), r = point(pose()), s = point(pose());
    add("line", "on-line",
        {{"point", p},
         {"on", point_at({random_rotation(), place(p)}, body_of(p))},
         {"axis", Vec3(random_rotation().col(2))}});
    add("plane", "on-plane",
        {{"point", q},
         {"on", point_at({random_rotation(), place(q)}, body_of(q))},
         {"normal", Vec3(random_rotation().col(2))}});
    const double s0 = 0.4;
    const Vec3 c(std::cos(s0), std::sin(s0), 0.2 * s0);
    const math::Mat3 R = random_rotation();
    add("curve", "on-curve",
        {{"point", r},
         {"on", point_at({R, place(r) - R * c}, body_of(r))},
         {"curve", std::array<model::Expr, 3>{parse("cos(s)"), parse("sin(s)"), parse("0.2*s")}},
         {"s", s0}});
    const math::Mat3 R_plane = random_rotation();
    const double radius = 0.3;
    const math::Mat3 R_wheel = frame(s).R;
    Vec3 up = R_plane.col(2);
    up -= up.dot(R_wheel.col(2)) * R_wheel.col(2);
    const Vec3 contact = place(s) - radius * up.normalized();
    const int on = point_at({R_plane, contact}, body_of(s));
    add("wheel", "rolling", {{"wheel", s}, {"on", on}, {"radius", radius}});
    const math::Mat3 R_floor = random_rotation();
    const int ball = point(pose());
    add("ball", "rolling",
        {{"ball", ball},
         {"on", point_at({R_floor, place(ball) - radius * R_floor.col(2)}, body_of(ball))},
         {"radius", radius}});
    return model::compile(std::move(model_));
  }

 private:
  void start(int bodies) { start(random_.tree(bodies, 0.7)); }
  void start(const Mechanism& tree) {
    model_ = *tree.model;
    State state = random_.state(tree);
    for (const model::TreeJoint& slot : tree.joints) {
      model::Joint& joint = model_.joints[static_cast<size_t>(slot.joint)];
      const double* q = state.q.data() + slot.iq;
      joint.q0 = std::vector<double>(q, q + info(joint.type).nq);
      joint.cut = false;
    }
    Kinematics kinematics(tree);
    calc_kinematics(tree, state, kinematics);
    X_WB_.clear();
    for (const model::BodyMotion& body : kinematics.bodies) X_WB_.push_back(body.X_WB);
  }

  math::Mat3 random_rotation() {
    return math::rotation(math::Quaternion(random_.vector(4, 1).normalized()));
  }
  Pose pose() { return {random_rotation(), random_.vector(3, 0.5)}; }
  int any_body() {
    const int count = static_cast<int>(model_.bodies.size());
    return grounded_ ? random_.below(count) : 1 + random_.below(count - 1);
  }
  int body_of(int point) { return model_.points[static_cast<size_t>(point)].body; }
  Pose frame(int point) {
    return X_WB_[static_cast<size_t>(body_of(point))] *
           model_.points[static_cast<size_t>(point)].X_BP;
  }
  Vec3 place(int point) { return frame(point).p; }
  int point(const Pose& X_BP) { return model_.add_point(fmt_name("p"), any_body(), X_BP); }
  /// A point on another body, at a pose in the world.
  int point_at(const Pose& X_WP, int other) {
    int body = any_body();
    while (body == other) body = any_body();
    return model_.add_point(fmt_name("p"), body, X_WB_[static_cast<size_t>(body)].inverse() * X_WP);
  }
  std::string fmt_name(const char* what) {
    return what + std::to_string(1000 + model_.points.size());
  }
  void add(const char* name, const char* type,
           std::initializer_list<std::pair<std::string_view, model::Value>> values) {
    constraints::add_constraint(model_, name, type, values);
  }

  void close(JointType type) {
    const int from = point(pose());
    close(type, from, random_rotation());
  }
  void close(JointType type, int from, const math::Mat3& R_axes) {
    const model::JointInfo& joint_type = info(type);
    std::vector<double> q = model::zero_position(joint_type);
    for (double& x : q) x += random_.uniform(-1, 1);
    if (joint_type.on_quaternion()) Eigen::Map<math::Quaternion>(q.data()).normalize();
    const Pose X_WF = frame(from) * Pose{R_axes, Vec3::Zero()};
    const Pose X_WM = X_WF * joint_type.pose(q.data(), 0);
    const int to = point_at(X_WM * Pose{R_axes.transpose(), Vec3::Zero()}, body_of(from));
    model::Joint& joint = model_.add_joint(fmt_name("loop"), type, from, to);
    joint.R_axes = R_axes;
    joint.cut = true;
  }

  RandomMechanism random_;
  model::Model model_;
  std::vector<Pose> X_WB_;
  bool grounded_ = true;  // loops may be closed to the world
};

}  // namespace couplet::dynamics
