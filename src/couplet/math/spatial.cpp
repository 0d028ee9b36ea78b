#include "couplet/math/spatial.hpp"

namespace couplet::math {
namespace {

// Inertia of a point of unit mass at d, about the origin: d² 1 - d dᵀ.
Mat3 point_inertia(const Vec3& d) { return d.squaredNorm() * Mat3::Identity() - d * d.transpose(); }

}  // namespace

Mat3 rotation(const Quaternion& q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double s = 2.0 / q.squaredNorm();
  Mat3 R;
  R << 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
      s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),   //
      s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y);
  return R;
}

Mat3 rotation(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

Quaternion quaternion(const Mat3& R) {
  Eigen::Quaterniond q(R);
  if (q.w() < 0) q.coeffs() *= -1;
  return {q.w(), q.x(), q.y(), q.z()};
}

// The shortest turn from z to the axis; about x where the axis is -z.
Mat3 rotation_with_z(const Vec3& axis) {
  const Vec3 a = axis.normalized();
  if (a.z() > -1 + 1e-12) {
    const double s = std::sqrt(2 * (1 + a.z()));
    const Vec3 n = Vec3::UnitZ().cross(a) * (1 / s);
    return rotation(Quaternion(0.5 * s, n.x(), n.y(), n.z()));
  }
  const Vec3 n = Vec3(-a.y(), a.x(), 0).stableNormalized();
  const double half = 0.5 * (1 + a.z()), sine = std::sqrt(1 - half);
  if (n.isZero()) return rotation(Quaternion(0, 1, 0, 0));
  return rotation(Quaternion(std::sqrt(half), sine * n.x(), sine * n.y(), 0));
}

namespace {

// By columns: at -O2 Eigen's products of 3×3 matrices are loops with calls.
template <class V>
[[gnu::always_inline]] inline Vec3 turned(const Mat3& R, const V& v) {
  return R.col(0) * v[0] + R.col(1) * v[1] + R.col(2) * v[2];
}

}  // namespace

Pose Pose::operator*(const Pose& X_BC) const {
  Pose X_AC;
  for (int k = 0; k < 3; ++k) X_AC.R.col(k) = turned(R, X_BC.R.col(k));
  X_AC.p = p + turned(R, X_BC.p);
  return X_AC;
}
Vec3 Pose::operator*(const Vec3& p_B) const { return p + turned(R, p_B); }
Pose Pose::inverse() const {
  return {R.transpose(), -Vec3(R.col(0).dot(p), R.col(1).dot(p), R.col(2).dot(p))};
}

Vec6 Pose::pull(const Vec6& V_A) const {
  const Vec3 w = V_A.head<3>(), v = V_A.tail<3>();
  Vec6 V_B;
  V_B << R.transpose() * w, R.transpose() * (v + w.cross(p));
  return V_B;
}

Vec6 Pose::push(const Vec6& F_B) const {
  const Vec3 f = turned(R, F_B.tail<3>());
  Vec6 F_A;
  F_A << turned(R, F_B.head<3>()) + p.cross(f), f;
  return F_A;
}

double power(const Vec6& V, const Vec6& F) { return V.dot(F); }

Mat3 MassProperties::inertia_about_origin() const { return inertia + mass * point_inertia(com); }

MassProperties MassProperties::in(const Pose& X_AB) const {
  return {mass, X_AB * com, X_AB.R * inertia * X_AB.R.transpose()};
}

MassProperties MassProperties::operator+(const MassProperties& other) const {
  const double m = mass + other.mass;
  if (m == 0) return {0, com, inertia + other.inertia};
  const Vec3 c = (mass * com + other.mass * other.com) / m;
  return {m, c,
          inertia + mass * point_inertia(com - c) + other.inertia +
              other.mass * point_inertia(other.com - c)};
}

}  // namespace couplet::math
