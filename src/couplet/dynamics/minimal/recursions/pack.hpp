// A few doubles in one register: W states, or W links, evaluated by the same code as one.
#pragma once

#include <cmath>
#include <cstring>

namespace couplet::dynamics {
namespace {

template <int W>
struct Registers;
template <>
struct Registers<2> {
  typedef double Doubles __attribute__((vector_size(16)));
  typedef long long Bits __attribute__((vector_size(16)));
};
template <>
struct Registers<4> {
  typedef double Doubles __attribute__((vector_size(32)));
  typedef long long Bits __attribute__((vector_size(32)));
};

template <int W>
struct Pack {
  using Register = typename Registers<W>::Doubles;
  using Bits = typename Registers<W>::Bits;
  static constexpr int width = W;
  Register r;

  Pack() : r{} {}
  Pack(double x) : r(x - Register{}) {}  // broadcast
  explicit Pack(Register x) : r(x) {}
  static Pack load(const double* p) {
    Pack x;
    std::memcpy(&x.r, p, sizeof(Register));
    return x;
  }
  void store(double* p) const { std::memcpy(p, &r, sizeof(Register)); }
  double operator[](int i) const { return r[i]; }

  Pack& operator+=(const Pack& b) { r += b.r; return *this; }
  Pack& operator-=(const Pack& b) { r -= b.r; return *this; }
  Pack operator-() const { return Pack(-r); }
  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.r + b.r); }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.r - b.r); }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.r * b.r); }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.r / b.r); }
};

}  // namespace
}  // namespace couplet::dynamics
