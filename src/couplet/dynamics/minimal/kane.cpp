#include "couplet/dynamics/minimal/kane.hpp"

#include <algorithm>

namespace couplet::dynamics {

using math::Mat3;
using model::TreeJoint;

KaneEquations::KaneEquations(const Mechanism& mechanism)
    : mechanism_(mechanism), kinematics_(mechanism), paths_(mechanism.bodies.size()) {
  const int nv = mechanism.nv;
  size_t longest = 0;
  for (const TreeJoint& slot : mechanism.joints) {  // parents first
    std::vector<int>& path = paths_[slot.child_body];
    path = paths_[slot.parent_body];
    const int n = info(mechanism.model->joints[slot.joint].type).nv;
    for (int k = 0; k < n; ++k) path.push_back(slot.iv + k);
    longest = std::max(longest, path.size());
  }
  M_.resize(nv, nv);
  for (MatX* J : {&Jw_, &Jv_, &IJw_}) J->resize(3, longest);
  block_.resize(longest, longest);
  h_.resize(nv);
  zero_ = VecX::Zero(nv);
}

void KaneEquations::form(const State& state, const forces::AppliedForces& applied) {
  calc_kinematics(mechanism_, state, kinematics_);
  calc_accelerations(mechanism_, state, zero_, kinematics_);  // what is left of them at v̇ = 0
  form(kinematics_, applied);
}

void KaneEquations::form(const Kinematics& kinematics, const forces::AppliedForces& applied) {
  M_.setZero();
  h_.setZero();
  for (size_t b = 1; b < paths_.size(); ++b) {
    const std::vector<int>& path = paths_[b];
    const int n = static_cast<int>(path.size());
    const BodyMotion& body = kinematics.bodies[b];
    const BodyAcceleration& acceleration = kinematics.accelerations[b];
    const math::MassProperties& mass = mechanism_.model->bodies[b].mass;
    const Vec3 c = body.X_WB.R * mass.com, com = body.X_WB.p + c;
    const Mat3 I = body.X_WB.R * mass.inertia * body.X_WB.R.transpose();

    // Partial velocities of the body and its centre of mass.
    for (int r = 0; r < n; ++r) {
      const FreedomMotion& freedom = kinematics.freedoms[path[r]];
      Jw_.col(r) = freedom.w;
      Jv_.col(r) = freedom.v + freedom.w.cross(com - freedom.p);
    }
    // Inertia torque and force, less what acts on the body.
    const Vec3 a_com = acceleration.a + acceleration.alpha.cross(c) + body.w.cross(body.w.cross(c));
    Vec3 torque = I * acceleration.alpha + body.w.cross(I * body.w);
    Vec3 force = mass.mass * (a_com - mechanism_.uniform_gravity);
    if (applied.any_on_bodies) {
      const Vec6& F = applied.on_bodies[b];
      torque -= F.head<3>() - c.cross(F.tail<3>());  // about the centre of mass
      force -= F.tail<3>();
    }
    IJw_.leftCols(n).noalias() = I * Jw_.leftCols(n);
    block_.topLeftCorner(n, n).noalias() = Jw_.leftCols(n).transpose() * IJw_.leftCols(n);
    block_.topLeftCorner(n, n).noalias() +=
        mass.mass * (Jv_.leftCols(n).transpose() * Jv_.leftCols(n));
    for (int s = 0; s < n; ++s) {
      h_[path[s]] += Jw_.col(s).dot(torque) + Jv_.col(s).dot(force);
      for (int r = 0; r < n; ++r) M_(path[r], path[s]) += block_(r, s);
    }
  }
}

}  // namespace couplet::dynamics
