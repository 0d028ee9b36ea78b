// Constrained systems with closed-form solutions, one of each kind: constraints that curve, that
// move, and that bind velocities only.
#pragma once

#include <cmath>

#include "couplet/integrate/dense_system.hpp"
#include "sample_problems.hpp"

namespace couplet::integrate {

inline Layout flat_layout(int n) {
  Layout layout;
  layout.nq = layout.nv = n;
  for (int i = 0; i < n; ++i) layout.components.push_back({"q" + std::to_string(i), "m", 1});
  for (int i = 0; i < n; ++i) layout.components.push_back({"v" + std::to_string(i), "m/s", 1});
  return layout;
}

/// A point mass, 1 kg, on a circle of 1 m, from (-1, 0) at rest; g = 9.81 m/s² (IFToMM library,
/// A01). q = (x, y).
class CartesianPendulum : public DenseSystem {
 public:
  static constexpr double gravity = 9.81;

  CartesianPendulum() : DenseSystem(flat_layout(2), 1, 1) {}
  void calc_mass(const VecX&, math::MatX& M) override { M.setIdentity(); }
  void calc_force(double, const VecX&, VecX& f) override { f[1] = -gravity; }
  void calc_positions(double, const VecX& y, VecX& g) override {
    g[0] = (y.head<2>().squaredNorm() - 1) / 2;
  }
  void calc_velocities(double, const VecX& y, math::MatX& G, VecX&) override {
    G.row(0) = y.head<2>().transpose();
  }
  void calc_bias(double, const VecX& y, VecX& bias) override {
    bias[0] = y.tail<2>().squaredNorm();
  }

  static VecX start() { return vec({-1, 0, 0, 0}); }
  /// By Jacobi's functions, 24 digits.
  static constexpr double t_end = 1;
  static VecX end() {
    return vec({0.986291751131875319355639, -0.1650108531255411687524991,
                0.2969055159163158215577797, 1.774643641112655626467597});
  }
};

/// A bead on a rod through the origin that turns upwards with 1 rad/s, gravity 2 m/s²: r̈ = r - 2
/// sin t, from r = 1, ṙ = 1.5, thus r = cosh t + ½ sinh t + sin t. q = (x, y).
class BeadOnTurningRod : public DenseSystem {
 public:
  BeadOnTurningRod() : DenseSystem(flat_layout(2), 1, 1) {}
  void calc_mass(const VecX&, math::MatX& M) override { M.setIdentity(); }
  void calc_force(double, const VecX&, VecX& f) override { f[1] = -2; }
  void calc_positions(double t, const VecX& y, VecX& g) override { g[0] = across(t, y[0], y[1]); }
  void calc_velocities(double t, const VecX& y, math::MatX& G, VecX& known) override {
    G << -std::sin(t), std::cos(t);
    known[0] = -along(t, y[0], y[1]);
  }
  void calc_bias(double t, const VecX& y, VecX& bias) override {
    bias[0] = -2 * along(t, y[2], y[3]) - across(t, y[0], y[1]);
  }

  static VecX start() { return solution(0); }
  static constexpr double t_end = 2;
  static VecX end() { return solution(t_end); }
  static VecX solution(double t) {
    const double c = std::cos(t), s = std::sin(t);
    const double r = std::cosh(t) + 0.5 * std::sinh(t) + s,
                 v = std::sinh(t) + 0.5 * std::cosh(t) + c;
    return vec({r * c, r * s, v * c - r * s, v * s + r * c});
  }

 private:
  static double along(double t, double x, double y) { return x * std::cos(t) + y * std::sin(t); }
  static double across(double t, double x, double y) { return y * std::cos(t) - x * std::sin(t); }
};

/// A skate on an incline that pulls along x with a = 2 m/s², turning with ω = 1.5 rad/s from φ = 0,
/// at rest: x = a/(2ω²) sin² ωt, y = a/(2ω²) (ωt - ½ sin 2ωt). q = (x, y, φ); it does not slip
/// sideways.
class Skate : public DenseSystem {
 public:
  static constexpr double a = 2, omega = 1.5;

  Skate() : DenseSystem(flat_layout(3), 1, 0) {}
  void calc_mass(const VecX&, math::MatX& M) override { M.diagonal() << 1, 1, 0.3; }
  void calc_force(double, const VecX&, VecX& f) override { f[0] = a; }
  void calc_positions(double, const VecX&, VecX&) override {}
  void calc_velocities(double, const VecX& y, math::MatX& G, VecX&) override {
    G << std::sin(y[2]), -std::cos(y[2]), 0;
  }
  void calc_bias(double, const VecX& y, VecX& bias) override {
    bias[0] = y[5] * (y[3] * std::cos(y[2]) + y[4] * std::sin(y[2]));
  }

  static VecX start() { return solution(0); }
  static constexpr double t_end = 2;
  static VecX end() { return solution(t_end); }
  static VecX solution(double t) {
    const double k = a / (2 * omega * omega), w = omega * t, c = std::cos(w), s = std::sin(w);
    return vec(
        {k * s * s, k * (w - s * c), w, 2 * k * omega * s * c, 2 * k * omega * s * s, omega});
  }
};

}  // namespace couplet::integrate
