#include "couplet/dynamics/minimal/constraints/mass_factor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/recursions/small.hpp"

namespace couplet::dynamics {
namespace {

[[noreturn]] void complain(const Mechanism& mechanism, double t, int freedom) {
  std::string place, fix;
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[static_cast<size_t>(slot.joint)];
    if (freedom < slot.iv || freedom >= slot.iv + info(joint.type).nv) continue;
    place = joint.where.str();
    fix = fmt::format(
        "\n  fix: give body {} inertia in this direction (a thin rod has none about itself), or "
        "joint {} fewer freedoms",
        base::quoted(mechanism.model->bodies[static_cast<size_t>(slot.child_body)].name),
        base::quoted(joint.name));
  }
  throw base::ComputationError(fmt::format(
      "{}t = {:.9g}: the acceleration of {} is not determined: nothing that it moves has inertia{}",
      place.empty() ? place : place + ": ", t,
      base::quoted(mechanism.dof_names[static_cast<size_t>(freedom)]), fix));
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
  Z_.assign(n, {});
  loads_.assign(n, {});
  D_inv_.assign(n, 0);
}

void MassFactor::add_bodies(const Kinematics& kinematics) {
  for (Inertia& P : P_) P = {};
  for (size_t b = 1; b < kinematics.bodies.size(); ++b) {
    if (node_[b] < 0) continue;
    const math::MassProperties& mass = mechanism_.model->bodies[b].mass;
    const math::Pose& X_WB = kinematics.bodies[b].X_WB;
    const math::Mat3 I = X_WB.R * mass.inertia * X_WB.R.transpose();
    const Vec3 c = X_WB * mass.com - origin_;
    const double m = mass.mass, x = m * c.x(), y = m * c.y(), z = m * c.z();
    Inertia& P = P_[static_cast<size_t>(node_[b])];
    P.I.xx += I(0, 0) + y * c.y() + z * c.z();
    P.I.yy += I(1, 1) + x * c.x() + z * c.z();
    P.I.zz += I(2, 2) + x * c.x() + y * c.y();
    P.I.xy += I(0, 1) - x * c.y();
    P.I.xz += I(0, 2) - x * c.z();
    P.I.yz += I(1, 2) - y * c.z();
    P.H.xy -= z, P.H.xz += y;
    P.H.yx += z, P.H.yz -= x;
    P.H.zx -= y, P.H.zy += x;
    P.M.xx += m, P.M.yy += m, P.M.zz += m;
  }
}

void MassFactor::factorise(const State& state, const Kinematics& kinematics) {
  // About the first body, not the world's origin: a satellite is far from there.
  if (kinematics.bodies.size() > 1) origin_ = kinematics.bodies[1].X_WB.p;
  add_bodies(kinematics);
  for (size_t i = P_.size(); i-- > 0;) {
    const FreedomMotion& freedom = kinematics.freedoms[i];
    const Vec3 r = origin_ - freedom.p;
    const V3<double> w{freedom.w.x(), freedom.w.y(), freedom.w.z()};
    const V3<double> v = V3<double>{freedom.v.x(), freedom.v.y(), freedom.v.z()} +
                         cross(w, V3<double>{r.x(), r.y(), r.z()});
    const Inertia& P = P_[i];
    S_[i] = {w, v};
    const V3<double> n = P.I * w + P.H * v, f = transposed_times(P.H, w) + P.M * v;
    U_[i] = {n, f};
    const double D = dot(w, n) + dot(v, f);
    if (!prescribed_[i] && !(D > 0)) complain(mechanism_, state.t, static_cast<int>(i));
    D_inv_[i] = prescribed_[i] ? 0 : 1 / D;
    if (parent_[i] < 0) continue;
    // P - U D⁻¹ Uᵀ
    const V3<double> k = D_inv_[i] * n, l = D_inv_[i] * f;
    Inertia& Q = P_[static_cast<size_t>(parent_[i])];
    Q.I.xx += P.I.xx - k.x * n.x, Q.I.xy += P.I.xy - k.x * n.y, Q.I.xz += P.I.xz - k.x * n.z;
    Q.I.yy += P.I.yy - k.y * n.y, Q.I.yz += P.I.yz - k.y * n.z, Q.I.zz += P.I.zz - k.z * n.z;
    Q.H.xx += P.H.xx - k.x * f.x, Q.H.xy += P.H.xy - k.x * f.y, Q.H.xz += P.H.xz - k.x * f.z;
    Q.H.yx += P.H.yx - k.y * f.x, Q.H.yy += P.H.yy - k.y * f.y, Q.H.yz += P.H.yz - k.y * f.z;
    Q.H.zx += P.H.zx - k.z * f.x, Q.H.zy += P.H.zy - k.z * f.y, Q.H.zz += P.H.zz - k.z * f.z;
    Q.M.xx += P.M.xx - l.x * f.x, Q.M.xy += P.M.xy - l.x * f.y, Q.M.xz += P.M.xz - l.x * f.z;
    Q.M.yy += P.M.yy - l.y * f.y, Q.M.yz += P.M.yz - l.y * f.z, Q.M.zz += P.M.zz - l.z * f.z;
  }
}

void MassFactor::set_loads(const Kinematics& kinematics, const forces::AppliedForces& applied) {
  std::fill(loads_.begin(), loads_.end(), Screw{});
  for (size_t b = 1; b < kinematics.bodies.size(); ++b) {
    if (node_[b] < 0) continue;
    const math::MassProperties& mass = mechanism_.model->bodies[b].mass;
    const BodyMotion& body = kinematics.bodies[b];
    const auto& [alpha, a] = kinematics.accelerations[b];
    const math::Mat3& R = body.X_WB.R;
    const Vec3 c = R * mass.com, r = body.X_WB.p - origin_;
    const Vec3 a_com = a + alpha.cross(c) + body.w.cross(body.w.cross(c));
    Vec3 force = mass.mass * (a_com - mechanism_.uniform_gravity);
    Vec3 torque = c.cross(force) + R * (mass.inertia * (R.transpose() * alpha)) +
                  body.w.cross(R * (mass.inertia * (R.transpose() * body.w)));  // about Bo
    if (applied.any_on_bodies) {
      torque -= applied.on_bodies[b].head<3>();
      force -= applied.on_bodies[b].tail<3>();
    }
    torque += r.cross(force);
    Screw& load = loads_[static_cast<size_t>(node_[b])];
    load.a = load.a + V3<double>{torque.x(), torque.y(), torque.z()};
    load.b = load.b + V3<double>{force.x(), force.y(), force.z()};
  }
}

void MassFactor::calc_vdot(const VecX& tau, VecX& vdot) {
  for (size_t j = P_.size(); j-- > 0;) {  // y_j / D_j, or v̇ where it is given
    Screw& Z = Z_[j];
    Z = {Z.a + loads_[j].a, Z.b + loads_[j].b};
    const auto i = static_cast<Eigen::Index>(j);
    if (!prescribed_[j]) vdot[i] = D_inv_[j] * (tau[i] - dot(S_[j].a, Z.a) - dot(S_[j].b, Z.b));
    if (parent_[j] < 0) continue;
    Screw& up = Z_[static_cast<size_t>(parent_[j])];
    up.a = up.a + Z.a + vdot[i] * U_[j].a;
    up.b = up.b + Z.b + vdot[i] * U_[j].b;
  }
  std::fill(Z_.begin(), Z_.end(), Screw{});
  pull(vdot);
}

void MassFactor::solve(VecX& x) {
  for (size_t j = P_.size(); j-- > 0;) {
    const Screw& Z = Z_[j];
    const auto i = static_cast<Eigen::Index>(j);
    x[i] = D_inv_[j] * (x[i] - dot(S_[j].a, Z.a) - dot(S_[j].b, Z.b));
    if (parent_[j] < 0) continue;
    Screw& up = Z_[static_cast<size_t>(parent_[j])];
    up.a = up.a + Z.a + x[i] * U_[j].a;
    up.b = up.b + Z.b + x[i] * U_[j].b;
  }
  std::fill(Z_.begin(), Z_.end(), Screw{});
  pull(x);
}

void MassFactor::push(const int* freedoms, int n, const double* r, double* y) {
  for (int k = n - 1; k >= 0; --k) {
    const auto j = static_cast<size_t>(freedoms[k]);
    Screw& Z = Z_[j];
    y[k] = r[k] - dot(S_[j].a, Z.a) - dot(S_[j].b, Z.b);
    if (parent_[j] >= 0) {
      Screw& up = Z_[static_cast<size_t>(parent_[j])];
      const double x = D_inv_[j] * y[k];
      up.a = up.a + Z.a + x * U_[j].a;
      up.b = up.b + Z.b + x * U_[j].b;
    }
    Z = {};
  }
}

void MassFactor::pull(VecX& x) {
  for (size_t j = 0; j < P_.size(); ++j) {  // Z becomes the acceleration of what freedom j carries
    Screw& A = Z_[j];
    const auto i = static_cast<Eigen::Index>(j);
    if (parent_[j] >= 0) A = Z_[static_cast<size_t>(parent_[j])];
    if (!prescribed_[j]) x[i] -= D_inv_[j] * (dot(U_[j].a, A.a) + dot(U_[j].b, A.b));
    A.a = A.a + x[i] * S_[j].a;
    A.b = A.b + x[i] * S_[j].b;
  }
  std::fill(Z_.begin(), Z_.end(), Screw{});
}

}  // namespace couplet::dynamics
