#include "support/closure.hpp"

#include <array>
#include <cmath>

#include "couplet/constraints/entry.hpp"
#include "couplet/dynamics/minimal/kinematics.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::verification {
namespace {

using dynamics::Kinematics;
using math::Mat3;
using math::Pose;
using math::Vec3;
using math::VecX;
using model::Mechanism;
using symbolic::Expr;

// What X_FM must not do: directions of the position and entries of the rotation that are zero.
std::vector<double> errors_of(model::JointType type, const Pose& X) {
  using model::JointType;
  const std::vector<double> axis = {X.R(0, 2), X.R(1, 2)}, turn = {X.R(0, 1), X.R(0, 2), X.R(1, 2)};
  const std::vector<double> across = {X.p.x(), X.p.y()}, p = {X.p.x(), X.p.y(), X.p.z()};
  const auto both = [](std::vector<double> a, const std::vector<double>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  if (type == JointType::weld) return both(turn, p);
  if (type == JointType::revolute) return both(axis, p);
  if (type == JointType::prismatic) return both(turn, across);
  if (type == JointType::cylindrical) return both(axis, across);
  if (type == JointType::universal) return both({X.R(0, 1)}, p);
  if (type == JointType::spherical) return p;
  if (type == JointType::planar) return both(axis, {X.p.z()});
  if (type == JointType::xyz) return turn;
  if (type == JointType::free) return {};
  base::ensure(false, "a screw joint is never cut");
  return {};
}

class Errors {
 public:
  Errors(const Mechanism& mechanism, const model::State& state)
      : mechanism_(mechanism), kinematics_(mechanism) {
    calc_kinematics(mechanism, state, kinematics_);
    const auto add = [this](const std::string& name, double value) {
      names_.push_back(Expr::symbol(name).name());
      values_.push_back(value);
    };
    add("t", state.t);
    for (int i = 0; i < mechanism.nq; ++i) add(mechanism.coordinate_names[i], state.q[i]);
    for (const model::Parameter& parameter : mechanism.model->parameters)
      add(parameter.name, parameter.value);
  }

  VecX positions() {
    for (const model::CutJoint& cut : mechanism_.cuts) {
      const Pose X_FM = (pose(cut.from_body) * cut.X_AF).inverse() * (pose(cut.to_body) * cut.X_BM);
      for (const double e : errors_of(mechanism_.model->joints[cut.joint].type, X_FM))
        found_.push_back(e);
    }
    for (const model::Element& constraint : mechanism_.model->constraints) add(constraint);
    return Eigen::Map<const VecX>(found_.data(), static_cast<Eigen::Index>(found_.size()));
  }

  // The point of a wheel that touches the plane is at rest on it.
  VecX sliding() {
    for (const model::Element& constraint : mechanism_.model->constraints) {
      if (constraint.type->name != std::string_view("rolling")) continue;
      const Vec3 p = contact(constraint);
      const Vec3 v = velocity(point(wheel(constraint)).body, p) -
                     velocity(point(constraint.point("on")).body, p);
      found_.insert(found_.end(), {v.x(), v.y(), v.z()});
    }
    return Eigen::Map<const VecX>(found_.data(), static_cast<Eigen::Index>(found_.size()));
  }

 private:
  const model::Point& point(int index) const { return mechanism_.model->points[index]; }
  Pose pose(int body) const { return kinematics_.bodies[body].X_WB; }
  Pose pose_of(int index) const { return pose(point(index).body) * point(index).X_BP; }
  Vec3 velocity(int body, const Vec3& p) const { return kinematics_.bodies[body].velocity_at(p); }
  double value(const Expr& e, double s = 0) const {
    std::vector<std::string> names = names_;
    std::vector<double> values = values_;
    names.insert(names.begin(), "s"), values.insert(values.begin(), s);
    return symbolic::Tape(std::array{e}, names).evaluate(values)[0];
  }
  static int wheel(const model::Element& c) { return c.point(c.has("ball") ? "ball" : "wheel"); }
  Vec3 contact(const model::Element& c) const {
    const Vec3 n = (pose_of(c.point("on")).R * c.axes("normal")).col(2),
               axis = (pose_of(wheel(c)).R * c.axes("axis")).col(2);
    const Vec3 down = c.has("ball") ? -n : Vec3(-(n - axis * axis.dot(n)).normalized());
    return pose_of(wheel(c)).p + c.number("radius") * down;
  }
  /// Where a point of a constraint is in the axes of another, turned so that z is an axis.
  Vec3 seen(const model::Element& c, const char* key, const char* on, const math::Mat3& R) const {
    return R.transpose() * (pose_of(c.point(on)).inverse() * pose_of(c.point(key)).p);
  }

  void add(const model::Element& c) {
    const std::string_view type = c.type->name;
    if (type == "distance")
      found_.push_back((pose_of(c.point("from")).p - pose_of(c.point("to")).p).norm() -
                       value(c.expression("length")));
    else if (type == "on-line")
      add_vector(seen(c, "point", "on", c.axes("axis")), 2);
    else if (type == "on-plane")
      found_.push_back(seen(c, "point", "on", c.axes("normal")).z());
    else if (type == "on-curve")
      add_vector(to_curve(c), 3);
    else if (type == "rolling")
      found_.push_back(
          ((pose_of(c.point("on")) * Pose{c.axes("normal"), Vec3::Zero()}).inverse() * contact(c))
              .z());
    else  // relations: whatever the entry makes of the coordinates
      found_.push_back(value(constraints::entry_of(c).make_relation(*mechanism_.model, c)));
  }
  void add_vector(const Vec3& x, int size) {
    found_.insert(found_.end(), x.data(), x.data() + size);
  }
  Vec3 to_curve(const model::Element& c) const {  // Gauss-Newton to the nearest point of the curve
    const Vec3 p = seen(c, "point", "on", math::Mat3::Identity());
    const std::array<Expr, 3>& curve = c.expressions("curve");
    double s = c.number("s");
    Vec3 error, tangent;
    for (int i = 0; i < 20; ++i) {
      for (int k = 0; k < 3; ++k) {
        error[k] = value(curve[k], s) - p[k];
        tangent[k] = value(symbolic::differentiate(curve[k], Expr::symbol("s")), s);
      }
      s -= error.dot(tangent) / tangent.squaredNorm();
    }
    return error;
  }

  const Mechanism& mechanism_;
  Kinematics kinematics_;
  std::vector<std::string> names_;
  std::vector<double> values_;
  std::vector<double> found_;
};

}  // namespace

VecX calc_position_error(const Mechanism& mechanism, const model::State& state) {
  return Errors(mechanism, state).positions();
}

VecX calc_velocity_error(const Mechanism& mechanism, const model::State& state) {
  constexpr double h = 1e-6;  // s: rounding and truncation of a central difference are about equal
  VecX qdot(mechanism.nq);
  mechanism.calc_qdot(state.q, state.v, qdot);
  const auto moved = [&](double dt) {
    model::State out = state;
    out.t += dt;
    out.q += dt * qdot;
    return calc_position_error(mechanism, out);
  };
  const VecX rates = (moved(h) - moved(-h)) / (2 * h), sliding = Errors(mechanism, state).sliding();
  VecX all(rates.size() + sliding.size());
  all << rates, sliding;
  return all;
}

}  // namespace couplet::verification
