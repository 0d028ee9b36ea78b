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
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
using Cols6 = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;  // 6 × (≤ 6), on the stack
using Quaternion = Eigen::Vector4d;                               // (w, x, y, z), unit

/// Rotation matrix of a quaternion (w, x, y, z). Divides by the squared norm, so that a quaternion
/// that has drifted off the unit sphere still gives a rotation.
Mat3 rotation(const Quaternion& q);

/// Rotation by `angle` about the unit vector `axis`.
Mat3 rotation(const Vec3& axis, double angle);

/// The quaternion (w, x, y, z), w ≥ 0, of a rotation matrix.
Quaternion quaternion(const Mat3& R);

/// A rotation whose third column is the unit vector `axis`; the identity for axis = z.
Mat3 rotation_with_z(const Vec3& axis);

/// Pose X_AB of frame B in frame A.
struct Pose {
  Mat3 R = Mat3::Identity();  // R_AB
  Vec3 p = Vec3::Zero();      // p_AB_A, m

  Pose operator*(const Pose& X_BC) const;
  Vec3 operator*(const Vec3& p_B) const;
  Pose inverse() const;

  /// Motion of a rigid body, from (at Ao, in A axes) to (at Bo, in B axes).
  Vec6 pull(const Vec6& V_A) const;
  /// Force on a rigid body, from (at Bo, in B axes) to (at Ao, in A axes).
  Vec6 push(const Vec6& F_B) const;
};

double power(const Vec6& V, const Vec6& F);

/// Mass properties of a rigid body in its frame B.
struct MassProperties {
  double mass = 0;              // kg
  Vec3 com = Vec3::Zero();      // p_BoBcm_B, m
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, in B axes, kg m²

  /// Inertia about Bo, in B axes.
  Mat3 inertia_about_origin() const;
  /// The same body seen from frame A.
  MassProperties in(const Pose& X_AB) const;
  /// Both bodies as one (welded together, same frame).
  MassProperties operator+(const MassProperties& other) const;
};

}  // namespace couplet::math
