// What joints and constraints exert: results of a motion, for people and for recordings.
#pragma once

#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::dynamics {

using math::Vec3;

/// All that a joint exerts on the body of its `to`, motors, springs and friction in it included;
/// the opposite, at the same point, acts on the body of `from`. M is the joint's frame on the body
/// of `to`, whichever way the tree takes the joint.
struct Reaction {
  int joint;        // index in Model::joints
  Vec3 force;       // N, world axes
  Vec3 torque;      // N m about the origin of M, world axes
  math::Mat3 R_WM;  // its z is the joint's axis

  Vec3 local_force() const { return R_WM.transpose() * force; }
  Vec3 local_torque() const { return R_WM.transpose() * torque; }
};

/// What a constraint besides joints exerts. Between bodies it is a force at a point: on the body of
/// `to`, of `point`, or on the wheel where it touches; the opposite acts on the other body. A
/// relation acts on freedoms.
struct ConstraintForce {
  struct OnFreedom {
    int freedom;
    double force;  // N m or N
  };
  Vec3 force = Vec3::Zero(), point = Vec3::Zero();  // N, m; world axes
  double pull = 0;                     // N, of a distance: > 0 where its points are pulled together
  std::vector<OnFreedom> on_freedoms;  // of a relation: -λ ∂value/∂q
};

}  // namespace couplet::dynamics
