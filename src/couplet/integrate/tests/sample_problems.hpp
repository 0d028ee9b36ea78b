// Small problems with closed-form solutions, for the conformance tests of rules and drivers.
#pragma once

#include <cmath>
#include <functional>

#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

/// q̈ = a(t, q, v) in flat coordinates.
class Newton : public Problem {
 public:
  using Acceleration = std::function<void(double t, const double* q, const double* v, double* a)>;
  Newton(int n, Acceleration a) : a_(std::move(a)) {
    layout_.nq = layout_.nv = n;
    for (int i = 0; i < n; ++i) layout_.components.push_back({"q" + std::to_string(i), "m", 1});
    for (int i = 0; i < n; ++i) layout_.components.push_back({"v" + std::to_string(i), "m/s", 1});
  }
  const Layout& layout() const override { return layout_; }
  void calc_qdot(double, const VecX& y, VecX& ydot) override {
    ydot.head(layout_.nq) = y.tail(layout_.nv);
  }
  void calc_rates(double t, const VecX& y, VecX& ydot) override {
    a_(t, y.data(), y.data() + layout_.nq, ydot.data() + layout_.nq);
  }

 private:
  Layout layout_;
  Acceleration a_;
};

inline VecX vec(std::initializer_list<double> values) {
  VecX v(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

/// A damped oscillator, q̈ = -ω² q - 2 d q̇: forces depend on positions and velocities.
struct DampedOscillator {
  static constexpr double omega2 = 4, d = 0.1;
  static Newton problem() {
    return {1, [](double, const double* q, const double* v, double* a) {
              a[0] = -omega2 * q[0] - 2 * d * v[0];
            }};
  }
  static VecX solution(double t) {  // q(0) = 1, v(0) = 0
    const double w = std::sqrt(omega2 - d * d), e = std::exp(-d * t), c = std::cos(w * t),
                 s = std::sin(w * t);
    return vec({e * (c + d / w * s), -e * (d * d / w + w) * s});
  }
};

/// A planet on an ellipse about the origin, μ = 1, semi-major axis 1: from the pericentre at t = 0.
struct Kepler {
  static constexpr double eccentricity = 0.3;
  static Newton problem() {
    return {2, [](double, const double* q, const double*, double* a) {
              const double r2 = q[0] * q[0] + q[1] * q[1], r3 = r2 * std::sqrt(r2);
              a[0] = -q[0] / r3, a[1] = -q[1] / r3;
            }};
  }
  static VecX solution(double t) {
    double E = t;
    for (int i = 0; i < 50; ++i)
      E -= (E - eccentricity * std::sin(E) - t) / (1 - eccentricity * std::cos(E));
    const double c = std::cos(E), s = std::sin(E), b = std::sqrt(1 - eccentricity * eccentricity),
                 rate = 1 / (1 - eccentricity * c);
    return vec({c - eccentricity, b * s, -s * rate, b * c * rate});
  }
  static double energy(const VecX& y) {
    return 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1 / std::hypot(y[0], y[1]);
  }
};

}  // namespace couplet::integrate
