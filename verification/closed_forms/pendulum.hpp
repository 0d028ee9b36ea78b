// The plane pendulum of any amplitude: θ̈ = -ω² sin θ. Whittaker, "Analytical Dynamics", §44.
#pragma once

#include "closed_forms/elliptic.hpp"

namespace couplet::verification {

class Pendulum {
 public:
  struct Motion {
    double theta, rate;  // rad from hanging, not wrapped; rad/s
  };

  /// omega: rad/s, of small swings, √(g/l).
  Pendulum(double omega, const Motion& at_0);

  Motion at(double t) const;
  bool swings() const { return swings_; }  // else it goes round
  double period() const;                   // s, of a swing or a turn

 private:
  double omega_, kappa_;  // κ² = sin²(θ/2) + (θ̇/2ω)²: the energy, 1 when it comes to rest upright
  bool swings_;
  double turns_ = 0;  // rad, of the pivot before t = 0
  double sense_ = 1;  // of the rotation
  Modulus k_;
  double rate_, u0_;  // u = u0 + rate t
};

}  // namespace couplet::verification
