#include "couplet/dynamics/minimal/system.hpp"

namespace couplet::dynamics {

// The recursion's force through each joint, from canonical to world axes. Welds inside a link carry
// forces too, but which is not determined by the motion of the link alone: they are left out.
std::vector<Reaction> System::calc_reactions(const State& state, const VecX& vdot) {
  VecX tau(mechanism_->nv), lambda;
  calc_forces(state);
  if (loops_) {
    evaluate_constraints(state, Rows::all);
    lambda = calc_smallest_lambda(this->lambda());
    loops_->constraints().add_forces(lambda, kinematics_, applied_);
  }
  const double* on_links = calc_link_forces(*mechanism_, applied_, kinematics_, on_links_);
  calc_inverse_dynamics(*mechanism_, state, vdot, on_links, inverse_, tau);
  calc_motions(state);
  std::vector<Reaction> reactions;
  for (const model::TreeJoint& slot : mechanism_->joints) {
    if (info(mechanism_->model->joints[slot.joint].type).nv == 0) continue;
    const InverseScratch<double>& s = inverse_.links[slot.link];
    const model::BodyPlacement& placement = mechanism_->bodies[slot.child_body];
    const math::Pose& X_WB = kinematics_.bodies[slot.child_body].X_WB;
    const math::Pose X_WL = X_WB * placement.X_LB.inverse();
    const Vec3 p_M = X_WB * slot.X_MB.inverse().p;
    const Vec3 force = X_WL.R * Vec3(s.f.x, s.f.y, s.f.z);
    const Vec3 torque = X_WL.R * Vec3(s.n.x, s.n.y, s.n.z) + (X_WL.p - p_M).cross(force);
    reactions.push_back({slot.joint, force, torque, X_WB.R * slot.X_MB.R.transpose()});
  }
  for (const model::CutJoint& cut : mechanism_->cuts) {
    const math::Pose X_WM = kinematics_.bodies[cut.to_body].X_WB * cut.X_BM;
    const Vec6 F = loops_->constraints().calc_joint_force(cut.joint, lambda, X_WM.p);
    reactions.push_back({cut.joint, F.tail<3>(), F.head<3>(), X_WM.R});
  }
  return reactions;
}

std::vector<ConstraintForce> System::calc_constraint_forces(const State& state) {
  if (!loops_) return {};
  evaluate_constraints(state, Rows::all);
  return loops_->constraints().calc_constraint_forces(calc_smallest_lambda(lambda()));
}

}  // namespace couplet::dynamics
