// 3-vectors and 3×3 matrices of any scalar, written out: what the recursions are made of.
//
// Everything in recursions/ has internal linkage, because the same templates are compiled once per
// instruction set (kernels_avx2.cpp, kernels_portable.cpp) and must not be merged by the linker.
#pragma once

#include <cmath>

#include "couplet/dynamics/minimal/recursions/types.hpp"

namespace couplet::dynamics {
namespace {

template <class T>
[[gnu::always_inline]] inline V3<T> operator+(const V3<T>& a, const V3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
[[gnu::always_inline]] inline V3<T> operator-(const V3<T>& a, const V3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T, class S>
[[gnu::always_inline]] inline V3<T> operator*(const S& s, const V3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T, class S>
[[gnu::always_inline]] inline T dot(const V3<T>& a, const V3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T, class S>
[[gnu::always_inline]] inline auto cross(const V3<T>& a, const V3<S>& b) {
  using R = decltype(a.x * b.x);
  return V3<R>{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// w × (w × p) = w (w·p) - p (w·w)
template <class T, class C>
[[gnu::always_inline]] inline V3<T> centripetal(const V3<T>& w, const V3<C>& p) {
  const T wp = dot(w, p);
  const T ww = dot(w, w);
  return {w.x * wp - p.x * ww, w.y * wp - p.y * ww, w.z * wp - p.z * ww};
}

/// Rz(angle) v, in place, given cosine and sine.
template <class T, class C>
[[gnu::always_inline]] inline void turn_z(const C& c, const C& s, V3<T>& v) {
  const T x = c * v.x - s * v.y;
  v.y = s * v.x + c * v.y;
  v.x = x;
}
/// Rz(angle)ᵀ v, in place.
template <class T, class C>
[[gnu::always_inline]] inline void unturn_z(const C& c, const C& s, V3<T>& v) {
  const T x = c * v.x + s * v.y;
  v.y = c * v.y - s * v.x;
  v.x = x;
}
template <class T, class C>
[[gnu::always_inline]] inline void turn_x(const C& c, const C& s, V3<T>& v) {
  const T y = c * v.y - s * v.z;
  v.z = s * v.y + c * v.z;
  v.y = y;
}
template <class T, class C>
[[gnu::always_inline]] inline void unturn_x(const C& c, const C& s, V3<T>& v) {
  const T y = c * v.y + s * v.z;
  v.z = c * v.z - s * v.y;
  v.y = y;
}

template <class T, class S>
[[gnu::always_inline]] inline V3<T> operator*(const Sym3<S>& A, const V3<T>& v) {
  return {A.xx * v.x + A.xy * v.y + A.xz * v.z, A.xy * v.x + A.yy * v.y + A.yz * v.z,
          A.xz * v.x + A.yz * v.y + A.zz * v.z};
}
template <class T, class S>
[[gnu::always_inline]] inline V3<T> operator*(const Mat3x3<S>& A, const V3<T>& v) {
  return {A.xx * v.x + A.xy * v.y + A.xz * v.z, A.yx * v.x + A.yy * v.y + A.yz * v.z,
          A.zx * v.x + A.zy * v.y + A.zz * v.z};
}
/// Aᵀ v
template <class T, class S>
[[gnu::always_inline]] inline V3<T> transposed_times(const Mat3x3<S>& A, const V3<T>& v) {
  return {A.xx * v.x + A.yx * v.y + A.zx * v.z, A.xy * v.x + A.yy * v.y + A.zy * v.z,
          A.xz * v.x + A.yz * v.y + A.zz * v.z};
}
template <class T, class S>
[[gnu::always_inline]] inline Mat3x3<T> operator*(const Mat3x3<S>& A, const Mat3x3<T>& B) {
  const V3<T> x = A * V3<T>{B.xx, B.yx, B.zx}, y = A * V3<T>{B.xy, B.yy, B.zy},
              z = A * V3<T>{B.xz, B.yz, B.zz};
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/// R A Rᵀ for any A.
template <class T>
[[gnu::always_inline]] inline Mat3x3<T> rotated(const Mat3x3<T>& R, const Mat3x3<T>& A) {
  const Mat3x3<T> RA = R * A;
  const V3<T> x = R * V3<T>{RA.xx, RA.xy, RA.xz}, y = R * V3<T>{RA.yx, RA.yy, RA.yz},
              z = R * V3<T>{RA.zx, RA.zy, RA.zz};
  return {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
}
/// R A Rᵀ for symmetric A.
template <class T, class S>
[[gnu::always_inline]] inline Sym3<T> rotated(const Mat3x3<T>& R, const Sym3<S>& A) {
  const V3<T> rx{R.xx, R.xy, R.xz}, ry{R.yx, R.yy, R.yz}, rz{R.zx, R.zy, R.zz};
  const V3<T> ax = A * rx, ay = A * ry, az = A * rz;
  return {dot(rx, ax), dot(rx, ay), dot(rx, az), dot(ry, ay), dot(ry, az), dot(rz, az)};
}

/// Rotation matrix of a quaternion (w, x, y, z) of any length.
template <class T>
[[gnu::always_inline]] inline Mat3x3<T> quaternion_matrix(const T* q) {
  const T w = q[0], x = q[1], y = q[2], z = q[3];
  const T s = 2.0 / (w * w + x * x + y * y + z * z);
  return {1.0 - s * (y * y + z * z), s * (x * y - w * z),       s * (x * z + w * y),
          s * (x * y + w * z),       1.0 - s * (x * x + z * z), s * (y * z - w * x),
          s * (x * z - w * y),       s * (y * z + w * x),       1.0 - s * (x * x + y * y)};
}

/// A = L D Lᵀ of a symmetric positive definite 3×3 matrix, kept as L below the diagonal and 1/D.
template <class T>
struct Ldl3 {
  T l10, l20, l21, d0, d1, d2;  // d: inverses of the pivots

  Ldl3(const V3<T>& l, const V3<T>& d)  // from kept factors
      : l10(l.x), l20(l.y), l21(l.z), d0(d.x), d1(d.y), d2(d.z) {}
  explicit Ldl3(const Sym3<T>& A) {
    d0 = 1.0 / A.xx;
    l10 = A.xy * d0;
    l20 = A.xz * d0;
    d1 = 1.0 / (A.yy - l10 * A.xy);
    const T a21 = A.yz - l20 * A.xy;
    l21 = a21 * d1;
    d2 = 1.0 / (A.zz - l20 * A.xz - l21 * a21);
  }
  V3<T> forward(const V3<T>& b) const {  // L⁻¹ b
    const T y = b.y - l10 * b.x;
    return {b.x, y, b.z - l20 * b.x - l21 * y};
  }
  V3<T> solve(const V3<T>& b) const {
    const V3<T> y = forward(b);
    const T z = d2 * y.z;
    const T yy = d1 * y.y - l21 * z;
    return {d0 * y.x - l10 * yy - l20 * z, yy, z};
  }
};

}  // namespace
}  // namespace couplet::dynamics
