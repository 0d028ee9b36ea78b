// How an articulated inertia (types.hpp) moves from a link to its parent, one elementary step at a
// time.
#pragma once

#include "couplet/dynamics/minimal/recursions/pack.hpp"
#include "couplet/dynamics/minimal/recursions/small.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::dynamics {
namespace {

using model::LinkNumbers;

/// Forces of motion of the rigid link itself: w × I w and w × (w × h).
template <class T, class C>
[[gnu::always_inline]] inline void set_gyroscopic(const LinkNumbers<C>& x, const V3<T>& w, V3<T>& n,
                                                  V3<T>& f) {
  n = cross(w, Sym3<C>{x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz} * w);
  f = centripetal(w, V3<C>{x.hx, x.hy, x.hz});
}

// ---- Turning a 2×2 block by an angle: only its part without trace and antisymmetry turns, by
// twice the angle.   cs = cos·sin, ss = sin²
template <class T>
[[gnu::always_inline]] inline void turn_block(const T& cs, const T& ss, T& xx, T& xy, T& yx,
                                              T& yy) {
  const T difference = xx - yy, sum = xy + yx;
  const T t = ss * difference + cs * sum, u = cs * difference - ss * sum;
  xx -= t;
  yy += t;
  xy += u;
  yx += u;
}
template <class T, class C>
[[gnu::always_inline]] inline void turn_block(const C& cs, const C& ss, T& xx, T& xy, T& yy) {
  const T difference = xx - yy, twice = xy + xy;
  const T t = ss * difference + cs * twice;
  xy += cs * difference - ss * twice;
  xx -= t;
  yy += t;
}
template <class T, class C>
[[gnu::always_inline]] inline void turn_pair(const C& c, const C& s, T& x, T& y) {
  const T t = c * x - s * y;
  y = s * x + c * y;
  x = t;
}

/// To axes from which these are turned about z by the angle with cosine c and sine s.
template <class T, class C>
[[gnu::always_inline]] inline void turn_z(const C& c, const C& s, Articulated<T>& B) {
  const C cs = c * s, ss = s * s;
  turn_block(cs, ss, B.I.xx, B.I.xy, B.I.yy);
  turn_pair(c, s, B.I.xz, B.I.yz);
  turn_block<T>(cs, ss, B.H.xx, B.H.xy, B.H.yx, B.H.yy);
  turn_pair(c, s, B.H.xz, B.H.yz);
  turn_pair(c, s, B.H.zx, B.H.zy);
  turn_block(cs, ss, B.M.xx, B.M.xy, B.M.yy);
  turn_pair(c, s, B.M.xz, B.M.yz);
  turn_z(c, s, B.n);
  turn_z(c, s, B.f);
}
/// The same about x.
template <class T, class C>
[[gnu::always_inline]] inline void turn_x(const C& c, const C& s, Articulated<T>& B) {
  const C cs = c * s, ss = s * s;
  turn_block(cs, ss, B.I.yy, B.I.yz, B.I.zz);
  turn_pair(c, s, B.I.xy, B.I.xz);
  turn_block<T>(cs, ss, B.H.yy, B.H.yz, B.H.zy, B.H.zz);
  turn_pair(c, s, B.H.xy, B.H.xz);
  turn_pair(c, s, B.H.yx, B.H.zx);
  turn_block(cs, ss, B.M.yy, B.M.yz, B.M.zz);
  turn_pair(c, s, B.M.xy, B.M.xz);
  turn_x(c, s, B.n);
  turn_x(c, s, B.f);
}

// ---- To an origin from which this one is shifted by d along one axis:
// H' = H + p× M, I' = I + p× Hᵀ + H' (p×)ᵀ, n' = n + p × f. The three are cyclic copies.
template <class T, class C>
[[gnu::always_inline]] inline void shift_z(const C& d, Articulated<T>& B) {
  Mat3x3<T>& H = B.H;
  const T xx = H.xx - d * B.M.xy, xy = H.xy - d * B.M.yy, yx = H.yx + d * B.M.xx;
  B.I.xz -= d * H.zy;
  B.I.yz += d * H.zx;
  B.I.xx -= d * (H.xy + xy);
  B.I.xy += d * (xx - H.yy);
  B.I.yy += d * (H.yx + yx);
  H.xx = xx, H.xy = xy, H.yx = yx;
  H.xz -= d * B.M.yz;
  H.yy += d * B.M.xy;
  H.yz += d * B.M.xz;
  B.n.x -= d * B.f.y;
  B.n.y += d * B.f.x;
}
template <class T, class C>
[[gnu::always_inline]] inline void shift_x(const C& a, Articulated<T>& B) {
  Mat3x3<T>& H = B.H;
  const T yy = H.yy - a * B.M.yz, yz = H.yz - a * B.M.zz, zy = H.zy + a * B.M.yy;
  B.I.xy -= a * H.xz;
  B.I.xz += a * H.xy;
  B.I.yy -= a * (H.yz + yz);
  B.I.yz += a * (yy - H.zz);
  B.I.zz += a * (H.zy + zy);
  H.yy = yy, H.yz = yz, H.zy = zy;
  H.yx -= a * B.M.xz;
  H.zz += a * B.M.yz;
  H.zx += a * B.M.xy;
  B.n.y -= a * B.f.z;
  B.n.z += a * B.f.y;
}
template <class T, class C>
[[gnu::always_inline]] inline void shift_y(const C& e, Articulated<T>& B) {
  Mat3x3<T>& H = B.H;
  const T zz = H.zz - e * B.M.xz, zx = H.zx - e * B.M.xx, xz = H.xz + e * B.M.zz;
  B.I.yz -= e * H.yx;
  B.I.xy += e * H.yz;
  B.I.zz -= e * (H.zx + zx);
  B.I.xz += e * (zz - H.xx);
  B.I.xx += e * (H.xz + xz);
  H.zz = zz, H.zx = zx, H.xz = xz;
  H.zy -= e * B.M.xy;
  H.xx += e * B.M.xz;
  H.xy += e * B.M.yz;
  B.n.z -= e * B.f.x;
  B.n.x += e * B.f.z;
}

/// Through the constant part of the pose that plain links do not have: T(0, e, 0), Rz(β), Tz(b).
template <class T, class C>
[[gnu::always_inline]] inline void push_extra(const LinkNumbers<C>& x, Articulated<T>& B) {
  shift_y(x.e, B);
  turn_z(value(x.cos_beta), value(x.sin_beta), B);
  shift_z(x.b, B);
}

/// Adds the force that the acceleration c of the link's origin (parent's axes) takes.
template <class T>
[[gnu::always_inline]] inline void accelerate(const V3<T>& c, Articulated<T>& B) {
  B.n = B.n + B.H * c;
  B.f = B.f + B.M * c;
}

template <class T>
[[gnu::always_inline]] inline void add(const Sym3<T>& A, Sym3<T>& B) {
  B.xx += A.xx, B.xy += A.xy, B.xz += A.xz, B.yy += A.yy, B.yz += A.yz, B.zz += A.zz;
}
template <class T>
[[gnu::always_inline]] inline void add(const Mat3x3<T>& A, Mat3x3<T>& B) {
  B.xx += A.xx, B.xy += A.xy, B.xz += A.xz;
  B.yx += A.yx, B.yy += A.yy, B.yz += A.yz;
  B.zx += A.zx, B.zy += A.zy, B.zz += A.zz;
}
template <class T>
[[gnu::always_inline]] inline void add(const Articulated<T>& A, Articulated<T>& B) {
  add(A.I, B.I);
  add(A.H, B.H);
  add(A.M, B.M);
  B.n = B.n + A.n;
  B.f = B.f + A.f;
}
/// Adds the inertia of the rigid link x.
template <class T, class C>
[[gnu::always_inline]] inline void add_rigid(const LinkNumbers<C>& x, Articulated<T>& B) {
  B.I.xx += x.Ixx, B.I.xy += x.Ixy, B.I.xz += x.Ixz;
  B.I.yy += x.Iyy, B.I.yz += x.Iyz, B.I.zz += x.Izz;
  B.H.xy -= x.hz, B.H.xz += x.hy, B.H.yx += x.hz;
  B.H.yz -= x.hx, B.H.zx -= x.hy, B.H.zy += x.hx;
  B.M.xx += x.mass, B.M.yy += x.mass, B.M.zz += x.mass;
}

}  // namespace
}  // namespace couplet::dynamics
