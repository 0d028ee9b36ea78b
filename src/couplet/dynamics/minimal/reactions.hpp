// What joints and constraints exert: results of a motion, for people and for recordings.
#pragma once

#include <memory>
#include <vector>

#include "couplet/dynamics/minimal/constraints/shares.hpp"
#include "couplet/dynamics/minimal/stage.hpp"

namespace couplet::dynamics {

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

/// Of a motion: v̇, and λ of the rows that count (empty without constraints), as a formalism finds
/// them at the state. With redundant constraints λ, of those that are cut, is the smallest
/// possible, and the tree carries what is left.
class Reactions {
 public:
  explicit Reactions(Stages& stages);

  /// Of all joints.
  std::vector<Reaction> calc_joints(const State& state, const VecX& vdot, const VecX& lambda);
  /// Of the constraints of the model, in its order.
  std::vector<ConstraintForce> calc_constraints(const State& state, const VecX& lambda);

 private:
  Stages& stages_;
  std::unique_ptr<Shares> shares_;  // null: a tree
  Kinematics motions_;              // with v̇
};

}  // namespace couplet::dynamics
