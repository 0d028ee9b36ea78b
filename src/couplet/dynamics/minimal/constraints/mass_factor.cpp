#include "couplet/dynamics/minimal/constraints/mass_factor.hpp"

#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::dynamics {
namespace {

using math::Mat3;

Mat3 cross_matrix(const Vec3& r) {
  Mat3 R;
  R << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return R;
}

}  // namespace

MassFactor::MassFactor(const Mechanism& mechanism) : mechanism_(mechanism) {
  const auto n = static_cast<size_t>(mechanism.nv);
  node_.assign(mechanism.bodies.size(), -1);
  parent_.assign(n, -1);
  prescribed_.assign(n, 0);
  for (const model::TreeJoint& slot : mechanism.joints) {  // parents first
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    int carrier = node_[static_cast<size_t>(slot.parent_body)];
    for (int k = 0; k < info(joint.type).nv; ++k) {
      const auto j = static_cast<size_t>(slot.iv + k);
      parent_[j] = carrier;
      prescribed_[j] = !joint.motion.empty();
      carrier = slot.iv + k;
    }
    node_[static_cast<size_t>(slot.child_body)] = carrier;
  }
  P_.resize(n);
  S_.resize(n);
  U_.resize(n);
  Z_.assign(n, Vec6::Zero());
  D_inv_.assign(n, 0);
}

void MassFactor::factorise(const State& state, const Kinematics& kinematics) {
  // About the first body, not the world's origin: a satellite is far from there.
  const Vec3 origin = kinematics.bodies.size() > 1 ? kinematics.bodies[1].X_WB.p : Vec3(Vec3::Zero());
  for (Mat6& P : P_) P.setZero();
  for (size_t b = 1; b < kinematics.bodies.size(); ++b) {
    const math::MassProperties& mass = mechanism_.model->bodies[b].mass;
    if (node_[b] < 0 || (mass.mass == 0 && mass.inertia.isZero())) continue;
    const math::Pose& X_WB = kinematics.bodies[b].X_WB;
    const Mat3 c = cross_matrix(X_WB * mass.com - origin), mc = mass.mass * c;
    Mat6& P = P_[static_cast<size_t>(node_[b])];
    P.topLeftCorner<3, 3>() += X_WB.R * mass.inertia * X_WB.R.transpose() - mc * c;
    P.topRightCorner<3, 3>() += mc;
    P.bottomLeftCorner<3, 3>() -= mc;
    P.bottomRightCorner<3, 3>().diagonal().array() += mass.mass;
  }
  for (int j = static_cast<int>(P_.size()) - 1; j >= 0; --j) {
    const auto i = static_cast<size_t>(j);
    const FreedomMotion& freedom = kinematics.freedoms[i];
    S_[i] << freedom.w, freedom.v + freedom.w.cross(origin - freedom.p);
    U_[i].noalias() = P_[i] * S_[i];
    const double D = S_[i].dot(U_[i]);
    if (!prescribed_[i] && !(D > 0))
      throw base::ComputationError(fmt::format(
          "t = {:.9g}: the acceleration of {} is not determined: nothing that it moves has inertia", state.t,
          base::quoted(mechanism_.dof_names[i])));
    D_inv_[i] = prescribed_[i] ? 0 : 1 / D;
    if (parent_[i] < 0) continue;
    P_[static_cast<size_t>(parent_[i])] += P_[i];
    if (!prescribed_[i]) P_[static_cast<size_t>(parent_[i])].noalias() -= (D_inv_[i] * U_[i]) * U_[i].transpose();
  }
}

void MassFactor::push(const int* freedoms, int n, const double* r, double* y) {
  for (int k = n - 1; k >= 0; --k) {
    const auto j = static_cast<size_t>(freedoms[k]);
    y[k] = r[k] - S_[j].dot(Z_[j]);
    if (parent_[j] >= 0) Z_[static_cast<size_t>(parent_[j])] += Z_[j] + (D_inv_[j] * y[k]) * U_[j];
    Z_[j].setZero();
  }
}

void MassFactor::pull(VecX& x) {
  for (size_t j = 0; j < P_.size(); ++j) {  // Z holds the acceleration of what carries freedom j, then its own
    Vec6& A = Z_[j];
    if (parent_[j] >= 0) A = Z_[static_cast<size_t>(parent_[j])];
    const auto i = static_cast<Eigen::Index>(j);
    if (D_inv_[j] == 0)
      x[i] = 0;
    else if (parent_[j] >= 0)
      x[i] -= D_inv_[j] * U_[j].dot(A);
    A += x[i] * S_[j];
  }
  for (Vec6& Z : Z_) Z.setZero();
}

void MassFactor::solve(VecX& x) {
  for (int j = static_cast<int>(P_.size()) - 1; j >= 0; --j) {
    const auto i = static_cast<size_t>(j);
    x[j] -= S_[i].dot(Z_[i]);
    if (parent_[i] >= 0) Z_[static_cast<size_t>(parent_[i])] += Z_[i] + (D_inv_[i] * x[j]) * U_[i];
    x[j] *= D_inv_[i];
    Z_[i].setZero();
  }
  pull(x);
}

}  // namespace couplet::dynamics
