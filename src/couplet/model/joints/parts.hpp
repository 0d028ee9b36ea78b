// What entries of joints are made of.
#pragma once

#include <cmath>

#include "couplet/model/joints.hpp"

namespace couplet::model {

using math::Cols6;
using math::Pose;
using math::Vec3;
using math::Vec6;

/// A motion subspace of n freedoms, still zero.
inline Cols6 columns(int n) { return Cols6::Zero(6, n); }

/// q̇ = v
template <int n>
void same_speeds(const double*, const double* v, double* qdot) {
  for (int i = 0; i < n; ++i) qdot[i] = v[i];
}

/// The rotation of a unit quaternion (w, x, y, z).
inline math::Mat3 rotation_of(const double* q) {
  return math::rotation(math::Quaternion(q[0], q[1], q[2], q[3]));
}

/// q̇ = ½ q ∘ (0, ω), with ω in the axes of the moving frame.
inline void quaternion_rate(const double* q, const double* w, double* qdot) {
  qdot[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
  qdot[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  qdot[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
  qdot[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

/// Elementary motions.
namespace motion {
constexpr Primitive about_x{Primitive::Kind::revolute, Primitive::Axis::x},
    about_y{Primitive::Kind::revolute, Primitive::Axis::y},
    about_z{Primitive::Kind::revolute, Primitive::Axis::z},
    along_x{Primitive::Kind::prismatic, Primitive::Axis::x},
    along_y{Primitive::Kind::prismatic, Primitive::Axis::y},
    along_z{Primitive::Kind::prismatic, Primitive::Axis::z},
    screw_z{Primitive::Kind::screw, Primitive::Axis::z};
}  // namespace motion

/// Equations of what a joint does not allow.
namespace no {
constexpr Closure slide_x{Closure::Kind::along, 0}, slide_y{Closure::Kind::along, 1},
    slide_z{Closure::Kind::along, 2}, turn_x{Closure::Kind::normal, 1, 2},
    turn_y{Closure::Kind::normal, 0, 2}, turn_z{Closure::Kind::normal, 0, 1};
}  // namespace no

template <const auto&... parts>
inline constexpr std::array list_of = {parts...};

}  // namespace couplet::model
