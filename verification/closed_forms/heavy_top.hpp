// The heavy symmetric top with a fixed point (Lagrange): nutation by sn², precession and spin by
// Legendre's third integral. Goldstein, "Classical Mechanics", §5-7; Whittaker, §71-72.
#pragma once

#include "closed_forms/elliptic.hpp"
#include "couplet/math/spatial.hpp"

namespace couplet::verification {

/// About the fixed point; the symmetry axis is z of the body, gravity pulls along -z of the world.
struct TopData {
  double transverse, axial;  // kg m²
  double weight_arm;         // N m, m g l
};

class HeavyTop {
 public:
  struct Motion {
    math::Mat3 R_WB;
    math::Vec3 w_B;  // rad/s, body axes
  };

  /// The axis must not pass through the vertical.
  HeavyTop(const TopData& top, const Motion& at_0);

  double height(double t) const;  // cosine of the angle to the upward vertical
  Motion at(double t) const;
  double period() const;  // s, of nutation
  double lowest() const { return u1_; }
  double highest() const { return u2_; }

 private:
  double spin_, a_, b_, beta_;  // w_B.z; conserved momenta I3 w3/I1, pφ/I1; 2 m g l/I1
  double u1_, u2_, u3_;         // turning points: f(u) = β (u - u1)(u - u2)(u - u3)
  Modulus k_;
  double rate_, am0_, u0_;
  double phi0_, psi0_;  // precession and spin angle
};

}  // namespace couplet::verification
