#include "couplet/dynamics/minimal/kinematics.hpp"

#include <algorithm>

namespace couplet::dynamics {
namespace {

using math::Cols6;
using math::Mat3;
using math::Pose;
using model::JointInfo;
using model::TreeJoint;

/// q, v or v̇ of one joint. Joints that are walked backwards have X_MF(q) = X_FM(-q).
struct JointValues {
  double x[7];
  JointValues(const VecX& all, int first, int n, bool reversed) {
    for (int i = 0; i < n; ++i) x[i] = reversed ? -all[first + i] : all[first + i];
  }
};

const model::Joint& description(const Mechanism& mechanism, const TreeJoint& slot) {
  return mechanism.model->joints[slot.joint];
}

// Most joints turn about the z axis of their frame.
void calc_revolute(const TreeJoint& slot, double angle, double rate, Kinematics& out) {
  const BodyMotion& parent = out.bodies[slot.parent_body];
  BodyMotion& child = out.bodies[slot.child_body];
  Pose X_WM = parent.X_WB * slot.X_PF;
  const Vec3 x = X_WM.R.col(0), y = X_WM.R.col(1), z = X_WM.R.col(2);
  double s, c;
  sincos(angle, &s, &c);
  X_WM.R.col(0) = c * x + s * y;
  X_WM.R.col(1) = c * y - s * x;
  child.X_WB = X_WM * slot.X_MB;
  child.w = parent.w + rate * z;
  child.v = parent.velocity_at(X_WM.p) + child.w.cross(child.X_WB.p - X_WM.p);
  out.freedoms[slot.iv] = {slot.reversed ? Vec3(-z) : z, Vec3::Zero(), X_WM.p};
}

void calc_revolute_acceleration(const TreeJoint& slot, double rate, double acceleration,
                                Kinematics& out) {
  const BodyMotion &parent = out.bodies[slot.parent_body], &child = out.bodies[slot.child_body];
  const BodyAcceleration& A_P = out.accelerations[slot.parent_body];
  BodyAcceleration& A_C = out.accelerations[slot.child_body];
  const FreedomMotion& axis = out.freedoms[slot.iv];
  const Vec3 r = axis.p - parent.X_WB.p, s = child.X_WB.p - axis.p;
  A_C.alpha = A_P.alpha + acceleration * axis.w + rate * parent.w.cross(axis.w);
  A_C.a = A_P.a + A_P.alpha.cross(r) + parent.w.cross(parent.w.cross(r)) + A_C.alpha.cross(s) +
          child.w.cross(child.w.cross(s));
}

}  // namespace

Kinematics::Kinematics(const Mechanism& mechanism, bool with_accelerations)
    : bodies(mechanism.bodies.size()),
      accelerations(with_accelerations ? mechanism.bodies.size() : 0),
      freedoms(mechanism.nv) {}

void calc_kinematics(const Mechanism& mechanism, const State& state, Kinematics& out) {
  for (const TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = description(mechanism, slot);
    if (joint.type == model::JointType::revolute) {
      const double sign = slot.reversed ? -1 : 1;
      calc_revolute(slot, sign * state.q[slot.iq], sign * state.v[slot.iv], out);
      continue;
    }
    const JointInfo& type = info(joint.type);
    const JointValues q(state.q, slot.iq, type.nq, slot.reversed);
    const JointValues v(state.v, slot.iv, type.nv, slot.reversed);
    const BodyMotion& parent = out.bodies[slot.parent_body];
    BodyMotion& child = out.bodies[slot.child_body];

    const Pose X_WF = parent.X_WB * slot.X_PF;
    const Pose X_WM = X_WF * type.pose(q.x, joint.pitch);
    child.X_WB = X_WM * slot.X_MB;

    const Cols6 S = type.motion_subspace(q.x, joint.pitch);  // V_FM_M = S v
    Vec3 w_rel = Vec3::Zero(), v_rel = Vec3::Zero();
    for (int k = 0; k < type.nv; ++k) {
      const Vec3 w = X_WM.R * S.col(k).head<3>(), u = X_WM.R * S.col(k).tail<3>();
      w_rel += v.x[k] * w;
      v_rel += v.x[k] * u;
      const double sign = slot.reversed ? -1 : 1;
      out.freedoms[slot.iv + k] = {sign * w, sign * u, X_WM.p};
    }
    child.w = parent.w + w_rel;
    const Vec3 v_M = parent.velocity_at(X_WM.p) + v_rel;
    child.v = v_M + child.w.cross(child.X_WB.p - X_WM.p);
  }
}

void calc_accelerations(const Mechanism& mechanism, const State& state, const VecX& vdot,
                        Kinematics& kinematics) {
  kinematics.accelerations.resize(mechanism.bodies.size());
  for (const TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = description(mechanism, slot);
    if (joint.type == model::JointType::revolute) {
      calc_revolute_acceleration(slot, state.v[slot.iv], vdot[slot.iv], kinematics);
      continue;
    }
    const JointInfo& type = info(joint.type);
    const JointValues q(state.q, slot.iq, type.nq, slot.reversed);
    const JointValues v(state.v, slot.iv, type.nv, slot.reversed);
    const JointValues a(vdot, slot.iv, type.nv, slot.reversed);
    const BodyMotion &parent = kinematics.bodies[slot.parent_body],
                     &child = kinematics.bodies[slot.child_body];
    const BodyAcceleration& A_P = kinematics.accelerations[slot.parent_body];
    BodyAcceleration& A_C = kinematics.accelerations[slot.child_body];

    // Motion of M in F, in M axes: V = S v, its derivative there S v̇ + Ṡ v.
    const Cols6 S = type.motion_subspace(q.x, joint.pitch);
    Vec6 V = Vec6::Zero(), A = type.bias(q.x, v.x);
    for (int k = 0; k < type.nv; ++k) {
      V += v.x[k] * S.col(k);
      A += a.x[k] * S.col(k);
    }
    const Pose X_WM = child.X_WB * slot.X_MB.inverse();
    const Vec3 w_rel = X_WM.R * V.head<3>(), v_rel = X_WM.R * V.tail<3>();
    const Vec3 alpha_rel = X_WM.R * A.head<3>();
    const Vec3 a_rel = X_WM.R * A.tail<3>() + w_rel.cross(v_rel);

    const Vec3 r = X_WM.p - parent.X_WB.p;
    A_C.alpha = A_P.alpha + alpha_rel + parent.w.cross(w_rel);
    const Vec3 a_M = A_P.a + A_P.alpha.cross(r) + parent.w.cross(parent.w.cross(r)) +
                     2 * parent.w.cross(v_rel) + a_rel;
    const Vec3 s = child.X_WB.p - X_WM.p;
    A_C.a = a_M + A_C.alpha.cross(s) + child.w.cross(child.w.cross(s));
  }
}

std::vector<int> joints_of_bodies(const Mechanism& mechanism) {
  std::vector<int> carrier(mechanism.bodies.size(), -1);
  for (size_t k = 0; k < mechanism.joints.size(); ++k)
    carrier[mechanism.joints[k].child_body] = static_cast<int>(k);
  return carrier;
}

MatX calc_jacobian(const Mechanism& mechanism, const Kinematics& kinematics, int body,
                   const Vec3& p_BoP_B) {
  MatX J = MatX::Zero(6, mechanism.nv);
  const Vec3 p = kinematics.bodies[body].X_WB * p_BoP_B;
  const std::vector<int> carrier = joints_of_bodies(mechanism);
  for (int k = carrier[body]; k >= 0; k = carrier[mechanism.joints[k].parent_body]) {
    const TreeJoint& slot = mechanism.joints[k];
    const int nv = info(description(mechanism, slot).type).nv;
    for (int j = slot.iv; j < slot.iv + nv; ++j) {
      const FreedomMotion& freedom = kinematics.freedoms[j];
      J.col(j) << freedom.w, freedom.v + freedom.w.cross(p - freedom.p);
    }
  }
  return J;
}

double calc_kinetic_energy(const Mechanism& mechanism, const Kinematics& kinematics) {
  double energy = 0;
  for (size_t b = 1; b < kinematics.bodies.size(); ++b) {
    const BodyMotion& body = kinematics.bodies[b];
    const math::MassProperties& mass = mechanism.model->bodies[b].mass;
    const Vec3 v = body.velocity_at(body.X_WB * mass.com), w = body.X_WB.R.transpose() * body.w;
    energy += 0.5 * (mass.mass * v.squaredNorm() + w.dot(mass.inertia * w));
  }
  return energy;
}

double calc_gravity_energy(const Mechanism& mechanism, const Kinematics& kinematics) {
  double energy = 0;
  for (size_t b = 1; b < kinematics.bodies.size(); ++b) {
    const math::MassProperties& mass = mechanism.model->bodies[b].mass;
    energy -= mass.mass * mechanism.uniform_gravity.dot(kinematics.bodies[b].X_WB * mass.com);
  }
  return energy;
}

Momentum calc_momentum(const Mechanism& mechanism, const Kinematics& kinematics) {
  Momentum total;
  for (size_t b = 1; b < kinematics.bodies.size(); ++b) {
    const BodyMotion& body = kinematics.bodies[b];
    const math::MassProperties& mass = mechanism.model->bodies[b].mass;
    const Vec3 com = body.X_WB * mass.com, p = mass.mass * body.velocity_at(com);
    const Mat3& R = body.X_WB.R;
    total.linear += p;
    total.angular += com.cross(p) + R * (mass.inertia * (R.transpose() * body.w));
  }
  return total;
}

}  // namespace couplet::dynamics
