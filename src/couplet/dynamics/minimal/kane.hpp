// Kane's method in joint coordinates, O(n³): generalised inertia forces by partial velocities.
//
// T. R. Kane and D. A. Levinson, Dynamics: Theory and Applications, 1985, sections 4.11 and 6.1;
// the Kane solver of POEMS (K. Anderson et al., 2007). For every freedom r:
//   Σ_k [ ∂ω_k/∂u_r · (I_k α_k + ω_k × I_k ω_k) + ∂v_k/∂u_r · m_k (a_k - g) ] = F_r,
// with α_k and a_k linear in u̇. Works in the user's frames, joint by joint; shares nothing with the
// recursions but the tree.
#pragma once

#include "couplet/dynamics/minimal/kinematics.hpp"
#include "couplet/forces/force_set.hpp"

namespace couplet::dynamics {

/// Kane's equations M v̇ + h = τ at one state; scratch included, sized once. dense_solver.hpp solves
/// them.
class KaneEquations {
 public:
  explicit KaneEquations(const Mechanism& mechanism);

  /// Forms M (full, symmetric) and h = inertia forces at v̇ = 0 minus gravity and body forces.
  void form(const State& state, const forces::AppliedForces& applied);
  /// The same from kinematics with accelerations at v̇ = 0.
  void form(const Kinematics& kinematics, const forces::AppliedForces& applied);

  const MatX& mass_matrix() const { return M_; }
  const VecX& bias() const { return h_; }

 private:
  const Mechanism& mechanism_;
  Kinematics kinematics_;
  std::vector<std::vector<int>> paths_;  // per body: freedoms that move it, root first
  MatX M_, Jw_, Jv_, IJw_, block_;
  VecX h_, zero_;
};

}  // namespace couplet::dynamics
