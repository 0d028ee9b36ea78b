#include "couplet/dynamics/minimal/reactions.hpp"

namespace couplet::dynamics {
namespace {

/// What the bodies take, each by itself: (torque about Bo; force), world axes.
std::vector<Vec6> calc_inertia_forces(const Mechanism& mechanism, const Kinematics& kinematics) {
  std::vector<Vec6> taken(kinematics.bodies.size(), Vec6::Zero());
  for (size_t b = 1; b < taken.size(); ++b) {
    const math::MassProperties& mass = mechanism.model->bodies[b].mass;
    const BodyMotion& motion = kinematics.bodies[b];
    const auto& [alpha, a] = kinematics.accelerations[b];
    const math::Mat3& R = motion.X_WB.R;
    const Vec3 r = R * mass.com;
    const Vec3 a_com = a + alpha.cross(r) + motion.w.cross(motion.w.cross(r));
    const Vec3 force = mass.mass * (a_com - mechanism.uniform_gravity);
    const Vec3 spin = R * (mass.inertia * (R.transpose() * motion.w)),
               turn = R * (mass.inertia * (R.transpose() * alpha));
    taken[b] << r.cross(force) + turn + motion.w.cross(spin), force;
  }
  return taken;
}

}  // namespace

Reactions::Reactions(Stages& stages) : stages_(stages), motions_(stages.mechanism()) {
  if (stages.constraints())
    shares_ = std::make_unique<Shares>(stages.mechanism(), *stages.constraints());
}

// The equations of Newton and Euler of every body, tip to base: a joint of the tree carries what
// the bodies outward of it take. In the model's own bodies rather than in links, so that welds,
// which links do not know, are joints like others. A joint that the tree takes backwards has its
// body of `to` inward: that one feels the opposite, about its own frame M.
std::vector<Reaction> Reactions::calc_joints(const State& state, const VecX& vdot,
                                             const VecX& lambda) {
  const Mechanism& mechanism = stages_.mechanism();
  const Stage stage = stages_.at(state, Stages::Rows::all);
  forces::AppliedForces acting = stage.applied;
  VecX shared;
  if (shares_) {
    shares_->begin();
    shared = shares_->calc(lambda);
    stages_.constraints()->set().add_forces(shared, stage.kinematics, acting);
  }
  calc_kinematics(mechanism, state, motions_);
  calc_accelerations(mechanism, state, vdot, motions_);
  std::vector<Vec6> carried = calc_inertia_forces(mechanism, motions_);
  if (acting.any_on_bodies)
    for (size_t b = 1; b < carried.size(); ++b) carried[b] -= acting.on_bodies[b];
  std::vector<Reaction> reactions(mechanism.joints.size());
  for (size_t i = reactions.size(); i-- > 0;) {
    const model::TreeJoint& slot = mechanism.joints[i];
    const math::Pose &X_WB = motions_.bodies[slot.child_body].X_WB,
                     &X_WP = motions_.bodies[slot.parent_body].X_WB;
    const math::Pose X_WM = slot.reversed ? X_WP * slot.X_PF : X_WB * slot.X_MB.inverse();
    const double sign = slot.reversed ? -1 : 1;
    const Vec3 torque = carried[slot.child_body].head<3>(),
               force = carried[slot.child_body].tail<3>();
    reactions[i] = {slot.joint, sign * force, sign * (torque + (X_WB.p - X_WM.p).cross(force)),
                    X_WM.R};
    carried[slot.parent_body].head<3>() += torque + (X_WB.p - X_WP.p).cross(force);
    carried[slot.parent_body].tail<3>() += force;
  }
  for (const model::CutJoint& cut : mechanism.cuts) {
    const math::Pose X_WM = motions_.bodies[cut.to_body].X_WB * cut.X_BM;
    const Vec6 F = stages_.constraints()->set().calc_joint_force(cut.joint, shared, X_WM.p);
    reactions.push_back({cut.joint, F.tail<3>(), F.head<3>(), X_WM.R});
  }
  return reactions;
}

std::vector<ConstraintForce> Reactions::calc_constraints(const State& state, const VecX& lambda) {
  if (!shares_) return {};
  stages_.evaluate_constraints(state, Stages::Rows::all);
  shares_->begin();
  return stages_.constraints()->set().calc_constraint_forces(shares_->calc(lambda));
}

}  // namespace couplet::dynamics
