// A few doubles in one register: W states, or W links, evaluated by the same code as one.
#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>

#include "couplet/dynamics/minimal/recursions/types.hpp"

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
  Pack(const Lanes<W>& lanes) { std::memcpy(&r, lanes.x, sizeof r); }
  static Pack load(const double* p) {
    Pack x;
    std::memcpy(&x.r, p, sizeof(Register));
    return x;
  }
  void store(double* p) const { std::memcpy(p, &r, sizeof(Register)); }
  double operator[](int i) const { return r[i]; }

  Pack& operator+=(const Pack& b) {
    r += b.r;
    return *this;
  }
  Pack& operator-=(const Pack& b) {
    r -= b.r;
    return *this;
  }
  Pack operator-() const { return Pack(-r); }
  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.r + b.r); }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.r - b.r); }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.r * b.r); }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.r / b.r); }
};

/// A number of a link as something to calculate with.
template <class C>
[[gnu::always_inline]] inline C value(const C& x) {
  return x;
}
template <int W>
[[gnu::always_inline]] inline Pack<W> value(const Lanes<W>& x) {
  return x;
}

/// A scalar is a pack of one lane, for scalars that do not come in packs.
template <class P, class T>
[[gnu::always_inline]] inline P load(const T* p) {
  if constexpr (std::is_same_v<P, T>)
    return *p;
  else
    return P::load(p);
}
template <class P, class T>
[[gnu::always_inline]] inline void store(const P& x, T* p) {
  if constexpr (std::is_same_v<P, T>)
    *p = x;
  else
    x.store(p);
}
template <class P>
constexpr int lanes = 1;
template <int W>
constexpr int lanes<Pack<W>> = W;

/// Lane i of the result: the sum of lanes i, i + 1, … of x.
[[gnu::always_inline]] inline Pack<2> sum_onward(const Pack<2>& x) {
  return x + Pack<2>(__builtin_shufflevector(x.r, Pack<2>().r, 1, 2));
}
[[gnu::always_inline]] inline Pack<4> sum_onward(const Pack<4>& x) {
  const Pack<4>::Register zero{};
  const auto beyond = [&](const Pack<4>& y) {
    return __builtin_shufflevector(y.r, zero, 2, 3, 4, 5);
  };
  const Pack<4> pairs = x + Pack<4>(__builtin_shufflevector(x.r, beyond(x), 1, 4, 3, 6));
  return pairs + Pack<4>(beyond(pairs));
}

template <class T>
[[gnu::always_inline]] inline T sum_onward(const T& x) {
  return x;
}

/// Three numbers of each of W neighbours, `stride` apart: number k of all of them in out[k].
[[gnu::always_inline]] inline void load_across(const double* p, int stride, Pack<2> out[3]) {
  const Pack<2> a = Pack<2>::load(p), b = Pack<2>::load(p + stride);
  out[0] = Pack<2>(__builtin_shufflevector(a.r, b.r, 0, 2));
  out[1] = Pack<2>(__builtin_shufflevector(a.r, b.r, 1, 3));
  out[2] = Pack<2>(Pack<2>::Register{p[2], p[stride + 2]});
}
[[gnu::always_inline]] inline void load_across(const double* p, int stride, Pack<4> out[3]) {
  using Register = Pack<4>::Register;
  const Pack<4> a = Pack<4>::load(p), b = Pack<4>::load(p + stride),
                c = Pack<4>::load(p + 2 * stride), d = Pack<4>::load(p + 3 * stride);
  const Register ab = __builtin_shufflevector(a.r, b.r, 0, 4, 2, 6);  // a0 b0 a2 b2
  const Register cd = __builtin_shufflevector(c.r, d.r, 0, 4, 2, 6);
  out[0] = Pack<4>(__builtin_shufflevector(ab, cd, 0, 1, 4, 5));
  out[1] =
      Pack<4>(__builtin_shufflevector(__builtin_shufflevector(a.r, b.r, 1, 5, 3, 7),
                                      __builtin_shufflevector(c.r, d.r, 1, 5, 3, 7), 0, 1, 4, 5));
  out[2] = Pack<4>(__builtin_shufflevector(ab, cd, 2, 3, 6, 7));
}
template <class T>
[[gnu::always_inline]] inline void load_across(const T* p, int, T out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = p[k];
}

}  // namespace
}  // namespace couplet::dynamics
