// The flexible slider crank of the IVP test set: B. Simeon, "Modelling a flexible slider crank
// mechanism by a mixed system of DAEs and PDEs", Math. Modelling of Systems 2 (1996). A crank turns
// with 150 rad/s; the connecting rod bends (two sine modes) and stretches (a quadratic element);
// linear stiffness, no gravity, no damping.
//
// q = (φ1, φ2, x3, q1 … q4): crank, rod, slider; bending modes, longitudinal displacement at the
// middle and the end.
#pragma once

#include "couplet/integrate/dense_system.hpp"

namespace couplet::verification {

class FlexibleSliderCrank final : public integrate::DenseSystem {
 public:
  FlexibleSliderCrank();

  static math::VecX start();  // as published, made consistent

  void calc_mass(const math::VecX& y, math::MatX& M) override;
  void calc_force(double t, const math::VecX& y, math::VecX& f) override;
  void calc_positions(double t, const math::VecX& y, math::VecX& g) override;
  void calc_velocities(double t, const math::VecX& y, math::MatX& G, math::VecX& known) override;
  void calc_bias(double t, const math::VecX& y, math::VecX& bias) override;

 private:
  using Vec4 = Eigen::Vector4d;
  using Mat4 = Eigen::Matrix4d;

  // Integrals of the shape functions over the rod: mass and stiffness, the coupling of bending with
  // stretching, and their products with 1 and with the distance along the rod (longitudinal: c1,
  // c12; lateral: c2, c21). The last five are multiplied by the density.
  Mat4 M_q_, K_q_, B_;
  Vec4 c1_, c2_, c12_, c21_;
};

}  // namespace couplet::verification
