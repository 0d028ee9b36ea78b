// Poses, spatial motions and forces in monogram notation (STYLE.md, section 2).
//
// 6-vectors are [angular; linear]. X_AB is the pose of frame B in frame A. Two verbs move
// quantities across it, and they are dual: power(X.pull(V), F) == power(V, X.push(F)).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace couplet::math {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
using Cols6 = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;  // 6 × (≤ 6), on the stack
using Quaternion = Eigen::Vector4d;                               // (w, x, y, z), unit

/// v× as a matrix: cross_matrix(a) * b == a.cross(b).
inline Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

/// Rotation matrix of a quaternion (w, x, y, z). Divides by the squared norm, so that a quaternion
/// that has drifted off the unit sphere still gives a rotation.
inline Mat3 rotation(const Quaternion& q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double s = 2.0 / q.squaredNorm();
  Mat3 R;
  R << 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
      s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),   //
      s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y);
  return R;
}

/// Rotation by `angle` about the unit vector `axis`.
inline Mat3 rotation(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

/// The quaternion (w, x, y, z), w ≥ 0, of a rotation matrix.
inline Quaternion quaternion(const Mat3& R) {
  Eigen::Quaterniond q(R);
  if (q.w() < 0) q.coeffs() *= -1;
  return {q.w(), q.x(), q.y(), q.z()};
}

/// A rotation whose third column is the unit vector `axis`; the identity for axis = z.
Mat3 inline rotation_with_z(const Vec3& axis) {
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis).toRotationMatrix();
}

/// Pose X_AB of frame B in frame A.
struct Pose {
  Mat3 R = Mat3::Identity();  // R_AB
  Vec3 p = Vec3::Zero();      // p_AB_A, m

  Pose operator*(const Pose& X_BC) const { return {R * X_BC.R, p + R * X_BC.p}; }
  Vec3 operator*(const Vec3& p_B) const { return p + R * p_B; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }

  /// Motion of a rigid body, from (at Ao, in A axes) to (at Bo, in B axes).
  Vec6 pull(const Vec6& V_A) const {
    const Vec3 w = V_A.head<3>(), v = V_A.tail<3>();
    Vec6 V_B;
    V_B << R.transpose() * w, R.transpose() * (v + w.cross(p));
    return V_B;
  }
  /// Force on a rigid body, from (at Bo, in B axes) to (at Ao, in A axes).
  Vec6 push(const Vec6& F_B) const {
    const Vec3 f = R * F_B.tail<3>();
    Vec6 F_A;
    F_A << R * F_B.head<3>() + p.cross(f), f;
    return F_A;
  }
};

inline double power(const Vec6& V, const Vec6& F) { return V.dot(F); }

/// Mass properties of a rigid body in its frame B.
struct MassProperties {
  double mass = 0;               // kg
  Vec3 com = Vec3::Zero();       // p_BoBcm_B, m
  Mat3 inertia = Mat3::Zero();   // about the centre of mass, in B axes, kg m²

  /// Inertia about Bo, in B axes.
  Mat3 inertia_about_origin() const {
    return inertia + mass * (com.squaredNorm() * Mat3::Identity() - com * com.transpose());
  }
  /// The same body seen from frame A.
  MassProperties in(const Pose& X_AB) const {
    return {mass, X_AB * com, X_AB.R * inertia * X_AB.R.transpose()};
  }
  /// Both bodies as one (welded together, same frame).
  MassProperties operator+(const MassProperties& other) const {
    const double m = mass + other.mass;
    if (m == 0) return {0, com, inertia + other.inertia};
    const Vec3 c = (mass * com + other.mass * other.com) / m;
    const auto shifted = [&](const MassProperties& b) -> Mat3 {
      const Vec3 d = b.com - c;
      return b.inertia + b.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    };
    return {m, c, shifted(*this) + shifted(other)};
  }
};

}  // namespace couplet::math
