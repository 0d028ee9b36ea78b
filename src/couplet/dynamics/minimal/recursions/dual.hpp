// Dual numbers: a value and its derivatives along W directions, side by side in a pack.
//   (x + ε d)(y + ε e) = x y + ε (x e + y d)
#pragma once

#include "couplet/dynamics/minimal/recursions/sincos.hpp"

namespace couplet::dynamics {
namespace {

template <int W>
struct Dual {
  Pack<W> d;
  double x;

  Dual() : d(), x(0) {}
  Dual(double value) : d(), x(value) {}
  Dual(double value, const Pack<W>& derivative) : d(derivative), x(value) {}

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual operator-() const { return {-x, -d}; }
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.x + b.x, a.d + b.d}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.x - b.x, a.d - b.d}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.x * b.x, Pack<W>(a.x) * b.d + Pack<W>(b.x) * a.d};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double inverse = 1 / b.x, q = a.x * inverse;
    return {q, Pack<W>(inverse) * (a.d - Pack<W>(q) * b.d)};
  }
  // Numbers of the mechanism have no derivative.
  friend Dual operator+(const Dual& a, double b) { return {a.x + b, a.d}; }
  friend Dual operator+(double a, const Dual& b) { return {a + b.x, b.d}; }
  friend Dual operator-(const Dual& a, double b) { return {a.x - b, a.d}; }
  friend Dual operator-(double a, const Dual& b) { return {a - b.x, -b.d}; }
  friend Dual operator*(const Dual& a, double b) { return {a.x * b, Pack<W>(b) * a.d}; }
  friend Dual operator*(double a, const Dual& b) { return b * a; }
};

/// Values by the vector kernel, derivatives by the chain rule.
template <int W, class Angle>
[[gnu::always_inline]] inline void calc_sincos(int n, const Angle& angle, Dual<W>* cosine,
                                               Dual<W>* sine) {
  constexpr int at_once = 16;
  double x[at_once], c[at_once], s[at_once];
  for (int first = 0; first < n; first += at_once) {
    const int count = n - first < at_once ? n - first : at_once;
    Pack<W> d[at_once];
    for (int i = 0; i < count; ++i) {
      const Dual<W> a = angle(first + i);
      x[i] = a.x, d[i] = a.d;
    }
    calc_sincos(
        count, [&](int i) { return x[i]; }, c, s);
    for (int i = 0; i < count; ++i) {
      cosine[first + i] = {c[i], Pack<W>(-s[i]) * d[i]};
      sine[first + i] = {s[i], Pack<W>(c[i]) * d[i]};
    }
  }
}

}  // namespace
}  // namespace couplet::dynamics
