// Andrews' squeezing mechanism: seven bodies in a plane, ten revolute joints, one freedom; the
// benchmark of W. Schiehlen's "Multibody Systems Handbook" (1990), in the coordinates of Hairer,
// Wanner II, section VII.7: q = (β, Θ, γ, Φ, δ, Ω, ε) and six constraints, which close three loops
// at the point E.
#pragma once

#include "couplet/integrate/dense_system.hpp"

namespace couplet::verification {

class Andrews final : public integrate::DenseSystem {
 public:
  Andrews();

  static math::VecX start();  // consistent, at rest

  void calc_mass(const math::VecX& y, math::MatX& M) override;
  void calc_force(double t, const math::VecX& y, math::VecX& f) override;
  void calc_positions(double t, const math::VecX& y, math::VecX& g) override;
  void calc_velocities(double t, const math::VecX& y, math::MatX& G, math::VecX& known) override;
  void calc_bias(double t, const math::VecX& y, math::VecX& bias) override;
};

}  // namespace couplet::verification
