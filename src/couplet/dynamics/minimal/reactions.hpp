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

}  // namespace couplet::dynamics
