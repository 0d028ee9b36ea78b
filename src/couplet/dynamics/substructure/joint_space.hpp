// The motions that a joint allows and the forces that it carries, apart.
#pragma once

#include "couplet/math/spatial.hpp"

namespace couplet::dynamics {

/// Of the motion subspace S (6 × nv, full rank):  DᵀS = 0 with orthonormal columns, BᵀS = 1.
struct JointSpace {
  math::Cols6 D, B;  // 6 × (6 - nv), 6 × nv

  /// By Householder reflections. Allocates nothing.
  void split(const math::Cols6& S);
};

}  // namespace couplet::dynamics
