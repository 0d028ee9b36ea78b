#include "couplet/dynamics/minimal/system.hpp"

namespace couplet::dynamics {

// The equations of Newton and Euler of every body, tip to base: a joint of the tree carries what
// the bodies outward of it take. In the model's own bodies rather than in links, so that welds,
// which links do not know, are joints like others. A joint that the tree takes backwards has its
// body of `to` inward: that one feels the opposite, about its own frame M.
std::vector<Reaction> System::calc_reactions(const State& state, const VecX& vdot) {
  VecX lambda;
  calc_forces(state);
  if (constraints_) {
    evaluate_constraints(state, Rows::all);
    lambda = calc_smallest_lambda(this->lambda());
    constraints_->set().add_forces(lambda, kinematics_, applied_);
  }
  calc_motions(state);
  calc_accelerations(*mechanism_, state, vdot, kinematics_);
  std::vector<Vec6> carried(kinematics_.bodies.size(),
                            Vec6::Zero());  // (torque about Bo; force), world axes
  for (size_t b = 1; b < carried.size(); ++b) {
    const math::MassProperties& mass = mechanism_->model->bodies[b].mass;
    const BodyMotion& motion = kinematics_.bodies[b];
    const auto& [alpha, a] = kinematics_.accelerations[b];
    const math::Mat3& R = motion.X_WB.R;
    const Vec3 r = R * mass.com;
    const Vec3 a_com = a + alpha.cross(r) + motion.w.cross(motion.w.cross(r));
    const Vec3 force = mass.mass * (a_com - mechanism_->uniform_gravity);
    const Vec3 spin = R * (mass.inertia * (R.transpose() * motion.w)),
               turn = R * (mass.inertia * (R.transpose() * alpha));
    carried[b] << r.cross(force) + turn + motion.w.cross(spin), force;
    carried[b] -= applied_.on_bodies[b];
  }
  std::vector<Reaction> reactions(mechanism_->joints.size());
  for (size_t i = reactions.size(); i-- > 0;) {
    const model::TreeJoint& slot = mechanism_->joints[i];
    const math::Pose &X_WB = kinematics_.bodies[slot.child_body].X_WB,
                     &X_WP = kinematics_.bodies[slot.parent_body].X_WB;
    const math::Pose X_WM = slot.reversed ? X_WP * slot.X_PF : X_WB * slot.X_MB.inverse();
    const double sign = slot.reversed ? -1 : 1;
    const Vec3 torque = carried[slot.child_body].head<3>(),
               force = carried[slot.child_body].tail<3>();
    reactions[i] = {slot.joint, sign * force, sign * (torque + (X_WB.p - X_WM.p).cross(force)),
                    X_WM.R};
    carried[slot.parent_body].head<3>() += torque + (X_WB.p - X_WP.p).cross(force);
    carried[slot.parent_body].tail<3>() += force;
  }
  for (const model::CutJoint& cut : mechanism_->cuts) {
    const math::Pose X_WM = kinematics_.bodies[cut.to_body].X_WB * cut.X_BM;
    const Vec6 F = constraints_->set().calc_joint_force(cut.joint, lambda, X_WM.p);
    reactions.push_back({cut.joint, F.tail<3>(), F.head<3>(), X_WM.R});
  }
  return reactions;
}

std::vector<ConstraintForce> System::calc_constraint_forces(const State& state) {
  if (!constraints_) return {};
  evaluate_constraints(state, Rows::all);
  return constraints_->set().calc_constraint_forces(calc_smallest_lambda(lambda()));
}

}  // namespace couplet::dynamics
