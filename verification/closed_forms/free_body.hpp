// The torque-free rigid body with three different inertias: Jacobi's solution. Landau, Lifshitz,
// "Mechanics", §37; the precession about the angular momentum by Legendre's third integral.
#pragma once

#include "closed_forms/elliptic.hpp"
#include "couplet/math/spatial.hpp"

namespace couplet::verification {

class FreeBody {
 public:
  struct Motion {
    math::Mat3 R_WB;
    math::Vec3 w_B;  // rad/s, body axes
  };

  /// I: kg m², principal, I1 < I2 < I3; not on the separatrix.
  FreeBody(const math::Vec3& I, const Motion& at_0);

  Motion at(double t) const;
  double period() const;  // s, of w_B

 private:
  math::Mat3 calc_axes(const math::Vec3& w_B) const;

  math::Vec3 I_;
  int c_, o_;               // w circles around axis c, 0 or 2; o is the other one
  double sense_;            // of w about c
  double A_o_, A_2_, A_c_;  // amplitudes, rad/s
  Modulus k_;
  double rate_, am0_, u0_;  // u = u0 + rate t
  double L_, two_E_, n_;
  math::Mat3 R_WL_;  // inertial frame with z along the angular momentum
};

}  // namespace couplet::verification
