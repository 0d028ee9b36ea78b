#include "oracle_energy.hpp"

#include <Eigen/Dense>
#include <utility>

namespace couplet::oracles {
namespace {

using Eigen::AngleAxisd;
using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Matrix3d matrix(const std::array<double, 9>& m) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.data());
}
Vector3d vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

Isometry3d pose(const OraclePose& X) {
  return Eigen::Translation3d(vector(X.position)) * Quaterniond(matrix(X.rotation));
}

/// Pose of M in F, and angular and linear velocity of M in F, in F axes.
struct JointMotion {
  Isometry3d X_FM = Isometry3d::Identity();
  Vector3d w = Vector3d::Zero(), v = Vector3d::Zero();
};

JointMotion joint_motion(const OracleBody& body, const double* q, const double* v) {
  const std::string& type = body.joint_type;
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  JointMotion m;
  if (type == "revolute" || type == "screw" || type == "cylindrical") {
    m.X_FM.rotate(AngleAxisd(q[0], z));
    m.w = v[0] * z;
    const double slide = type == "screw" ? body.pitch * q[0] : type == "cylindrical" ? q[1] : 0;
    const double rate = type == "screw" ? body.pitch * v[0] : type == "cylindrical" ? v[1] : 0;
    m.X_FM.translation() = slide * z;
    m.v = rate * z;
  } else if (type == "prismatic") {
    m.X_FM.translation() = q[0] * z;
    m.v = v[0] * z;
  } else if (type == "universal") {
    const AngleAxisd about_x(q[0], x);
    m.X_FM.rotate(about_x * AngleAxisd(q[1], y));
    m.w = v[0] * x + v[1] * (about_x * y);
  } else if (type == "gimbal") {
    const AngleAxisd about_x(q[0], x), about_y(q[1], y);
    m.X_FM.rotate(about_x * about_y * AngleAxisd(q[2], z));
    m.w = v[0] * x + v[1] * (about_x * y) + v[2] * (about_x * (about_y * z));
  } else if (type == "planar") {
    m.X_FM.translation() = q[0] * x + q[1] * y;
    m.X_FM.rotate(AngleAxisd(q[2], z));
    m.v = v[0] * x + v[1] * y;
    m.w = v[2] * z;
  } else if (type == "xyz") {
    m.X_FM.translation() = Vector3d(q[0], q[1], q[2]);
    m.v = Vector3d(v[0], v[1], v[2]);
  } else if (type == "spherical" || type == "free") {
    const Quaterniond R_FM(q[0], q[1], q[2], q[3]);
    if (type == "free") m.X_FM.translation() = Vector3d(q[4], q[5], q[6]);
    m.X_FM.rotate(R_FM);
    m.w = R_FM * Vector3d(v[0], v[1], v[2]);
    if (type == "free") m.v = R_FM * Vector3d(v[3], v[4], v[5]);
  }
  return m;
}

struct BodyMotion {
  Isometry3d X_WB = Isometry3d::Identity();
  Vector3d w = Vector3d::Zero(), v = Vector3d::Zero();  // of Bo, in world axes
};

/// A rigid extension to a point p (world axes, from the body's origin).
Vector3d velocity_at(const BodyMotion& body, const Vector3d& p) { return body.v + body.w.cross(p); }

}  // namespace

double calc_energy(const OracleTree& tree, const OracleState& state) {
  std::vector<BodyMotion> motions;
  double energy = 0;
  const double* q = state.q.data();
  const double* v = state.v.data();
  for (const OracleBody& body : tree.bodies) {
    const BodyMotion parent = body.parent < 0 ? BodyMotion{} : motions[body.parent];
    const JointMotion joint = joint_motion(body, q, v);
    const Isometry3d X_WF = parent.X_WB * pose(body.X_PF);
    const Isometry3d X_WM = X_WF * joint.X_FM;
    BodyMotion b;
    b.X_WB = X_WM * pose(body.X_BM).inverse();
    b.w = parent.w + X_WF.linear() * joint.w;
    const Vector3d v_M = velocity_at(parent, X_WM.translation() - parent.X_WB.translation()) +
                         X_WF.linear() * joint.v;
    b.v = v_M + b.w.cross(b.X_WB.translation() - X_WM.translation());
    motions.push_back(b);

    const Vector3d com = b.X_WB.linear() * vector(body.com);
    const Vector3d v_com = velocity_at(b, com);
    const Vector3d w_B = b.X_WB.linear().transpose() * b.w;
    energy += 0.5 * body.mass * v_com.squaredNorm() + 0.5 * w_B.dot(matrix(body.inertia) * w_B) -
              body.mass * vector(tree.gravity).dot(b.X_WB.translation() + com);
    q += joint_size(body.joint_type).nq;
    v += joint_size(body.joint_type).nv;
  }
  return energy;
}

OracleState move(const OracleTree& tree, const OracleState& state, const std::vector<double>& vdot,
                 double seconds) {
  OracleState moved = state;
  int q = 0, v = 0;
  for (const OracleBody& body : tree.bodies) {
    const JointSize size = joint_size(body.joint_type);
    const double* rate = &state.v[v];
    int done = 0;  // coordinates and speeds that are treated
    if (size.nq != size.nv) {
      double* x = &moved.q[q];
      const Quaterniond R_FM(x[0], x[1], x[2], x[3]);
      const Vector3d turn = seconds * Vector3d(rate[0], rate[1], rate[2]);
      const Quaterniond next = R_FM * Quaterniond(AngleAxisd(turn.norm(), turn.normalized()));
      x[0] = next.w(), x[1] = next.x(), x[2] = next.y(), x[3] = next.z();
      if (body.joint_type == "free") {
        const Vector3d step = seconds * (R_FM * Vector3d(rate[3], rate[4], rate[5]));
        for (int k = 0; k < 3; ++k) x[4 + k] += step[k];
      }
      done = size.nq;
    }
    for (int k = done; k < size.nq; ++k) moved.q[q + k] += seconds * rate[k];
    for (int k = 0; k < size.nv; ++k) moved.v[v + k] += seconds * vdot[v + k];
    q += size.nq;
    v += size.nv;
  }
  return moved;
}

}  // namespace couplet::oracles
