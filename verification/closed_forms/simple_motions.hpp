// Motions whose solution takes a line or two: projectile, coupled oscillators, Kepler's ellipse,
// bouncing ball.
#pragma once

#include "couplet/math/spatial.hpp"

namespace couplet::verification {

/// A spinning projectile with a symmetry axis (z of the body): a parabola, and the regular
/// precession
///   R(t) = exp([L_W] t/I1) R(0) exp([z] (1 - I3/I1) w3 t).                    Landau, Lifshitz,
///   §33
struct Projectile {
  double transverse, axial;  // kg m², about the centre of mass
  math::Vec3 g;              // m/s²

  struct Motion {
    math::Vec3 p, v;  // m, m/s, world axes
    math::Mat3 R_WB;
    math::Vec3 w_B;  // rad/s, body axes
  };
  Motion at_0;

  Motion at(double t) const;
};

/// n equal masses in a row between two walls, n + 1 equal springs. Mode j has the shape sin(i j
/// π/(n+1)) and the frequency 2 √(k/m) sin(j π/(2n+2)). Goldstein, §6; Lagrange 1759
struct Oscillators {
  double omega;       // rad/s, √(k/m)
  math::VecX x0, v0;  // m, m/s, from the rest positions

  void at(double t, math::VecX& x, math::VecX& v) const;
};

/// A planet about the origin in the x-y plane, from the pericentre on the x axis at t = 0,
/// counter-clockwise. Position from the eccentric anomaly, E - e sin E = n t. Goldstein, §3-8
struct KeplerOrbit {
  double mu;                  // m³/s²
  double axis, eccentricity;  // m, semi-major; < 1

  struct Motion {
    math::Vec3 p, v;
  };
  Motion at(double t) const;
  double period() const;
};

/// A ball dropped from height h: contact k = 0, 1, … at T (1 + 2 Σᵢ₌₁..ₖ eⁱ), T = √(2h/g).
struct BouncingBall {
  double height, g, restitution;

  double impact_time(int k) const;
  double accumulation_time() const;
};

}  // namespace couplet::verification
