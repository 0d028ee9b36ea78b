// What one link does in a sweep: across its joint outward (motions) and inward (forces, inertias).
//
// The pose of a link in its parent is Tz(b) Rz(β) T(a, e, 0) Rx(α) Tz(d) Rz(θ) (mechanism.hpp): two
// plane turns instead of a product of matrices. T is the scalar of the state, C that of the numbers
// of the link; both may be packs with one link per lane.
#pragma once

#include "couplet/dynamics/minimal/recursions/articulated.hpp"

namespace couplet::dynamics {
namespace {

/// A vector from the parent's axes to the link's.
template <class T, class C>
[[gnu::always_inline]] inline V3<T> pulled(const LinkNumbers<C>& x, bool plain, const T& c,
                                           const T& s, V3<T> v) {
  if (!plain) unturn_z(x.cos_beta, x.sin_beta, v);
  unturn_x(x.cos_alpha, x.sin_alpha, v);
  unturn_z(c, s, v);
  return v;
}

/// A force on the link, to the parent's axes and origin; p is the link's origin there.
template <class T, class C, class P>
[[gnu::always_inline]] inline void push(const LinkNumbers<C>& x, bool plain, const T& c, const T& s,
                                        const V3<P>& p, V3<T>& n, V3<T>& f) {
  turn_z(c, s, f);
  turn_z(c, s, n);
  turn_x(x.cos_alpha, x.sin_alpha, f);
  turn_x(x.cos_alpha, x.sin_alpha, n);
  if (!plain) {
    turn_z(x.cos_beta, x.sin_beta, f);
    turn_z(x.cos_beta, x.sin_beta, n);
  }
  n = n + cross(p, f);
}

/// An articulated inertia, in general. d is the slide along the joint's axis.
template <class T, class C, class D>
[[gnu::always_inline]] inline void push(const LinkNumbers<C>& x, bool plain, const T& c, const T& s,
                                        const D& d, Articulated<T>& B) {
  turn_z(c, s, B);
  shift_z(d, B);
  turn_x(value(x.cos_alpha), value(x.sin_alpha), B);
  shift_x(x.a, B);
  if (!plain) push_extra(x, B);
}

/// Frees a revolute joint (S = z): its row and column of the articulated inertia vanish, 15 numbers
/// are left. `cx`, `cy` is the velocity-dependent angular acceleration; then to the parent.
template <class T, class C>
[[gnu::always_inline]] inline void push_revolute(const LinkNumbers<C>& x, bool plain, const T& c,
                                                 const T& s, const T& tau, const T& cx, const T& cy,
                                                 Articulated<T>& B, Solved<T>& out) {
  // P - U Uᵀ / D,   Z + Pplus c + U u / D                                  [RBDA (7.23), (7.24)]
  const V3<T> Un{B.I.xz, B.I.yz, B.I.zz}, Uf{B.H.zx, B.H.zy, B.H.zz};
  const T D_inv = 1.0 / B.I.zz;
  const T kx = Un.x * D_inv, ky = Un.y * D_inv, g = (tau - B.n.z) * D_inv;
  out.kn.x = kx, out.kn.y = ky, out.g = g;
  Sym3<T>& M = B.M;
  T Ixx = B.I.xx - kx * Un.x, Ixy = B.I.xy - kx * Un.y, Iyy = B.I.yy - ky * Un.y;
  V3<T> h0{B.H.xx - kx * Uf.x, B.H.xy - kx * Uf.y, B.H.xz - kx * Uf.z};  // rows of H
  V3<T> h1{B.H.yx - ky * Uf.x, B.H.yy - ky * Uf.y, B.H.yz - ky * Uf.z};
  const V3<T> kf = D_inv * Uf;
  out.kf = kf;
  M.xx -= kf.x * Uf.x, M.xy -= kf.x * Uf.y, M.xz -= kf.x * Uf.z;
  M.yy -= kf.y * Uf.y, M.yz -= kf.y * Uf.z, M.zz -= kf.z * Uf.z;
  V3<T> n{B.n.x + Ixx * cx + Ixy * cy + Un.x * g, B.n.y + Ixy * cx + Iyy * cy + Un.y * g, tau};
  V3<T> f{B.f.x + h0.x * cx + h1.x * cy + Uf.x * g, B.f.y + h0.y * cx + h1.y * cy + Uf.y * g,
          B.f.z + h0.z * cx + h1.z * cy + Uf.z * g};

  // Rz(θ)
  const T cs = c * s, ss = s * s;
  turn_block(cs, ss, Ixx, Ixy, Iyy);
  turn_block<T>(cs, ss, h0.x, h0.y, h1.x, h1.y);
  turn_pair(c, s, h0.z, h1.z);
  turn_block(cs, ss, M.xx, M.xy, M.yy);
  turn_pair(c, s, M.xz, M.yz);
  turn_z(c, s, n);
  turn_z(c, s, f);

  // Tz(d), while the z row is still zero
  const T d = T(x.d);
  const V3<T> r0{h0.x - d * M.xy, h0.y - d * M.yy, h0.z - d * M.yz};
  const V3<T> r1{h1.x + d * M.xx, h1.y + d * M.xy, h1.z + d * M.xz};
  Ixx -= d * (h0.y + r0.y);
  Ixy += d * (r0.x - h1.y);
  Iyy += d * (h1.x + r1.x);
  n.x -= d * f.y;
  n.y += d * f.x;

  // Rx(α)
  const auto ca = value(x.cos_alpha), sa = value(x.sin_alpha);
  const T Iy = ca * Iyy, Iz = sa * Iyy;
  B.I = {Ixx, ca * Ixy, sa * Ixy, ca * Iy, sa * Iy, sa * Iz};
  V3<T> q0 = r0, q1 = r1;
  turn_x(ca, sa, q0);
  turn_x(ca, sa, q1);
  B.H = {q0.x, q0.y, q0.z, ca * q1.x, ca * q1.y, ca * q1.z, sa * q1.x, sa * q1.y, sa * q1.z};
  turn_block(ca * sa, sa * sa, M.yy, M.yz, M.zz);
  turn_pair(ca, sa, M.xy, M.xz);
  turn_x(ca, sa, n);
  turn_x(ca, sa, f);
  B.n = n;
  B.f = f;

  shift_x(x.a, B);
  if (!plain) push_extra(x, B);
}

/// Frees a joint with S = (σ z; h z). c = (cn; cf) is the velocity-dependent acceleration of the
/// link in its own axes, without the parent's part.
template <class T, class C>
[[gnu::always_inline]] inline void reduce_helical(const LinkNumbers<C>& x, const T& tau,
                                                  const V3<T>& cn, const V3<T>& cf,
                                                  Articulated<T>& B, Solved<T>& out) {
  const T sigma = T(x.sigma), h = T(x.h);
  const V3<T> Un{sigma * B.I.xz + h * B.H.xz, sigma * B.I.yz + h * B.H.yz,
                 sigma * B.I.zz + h * B.H.zz};
  const V3<T> Uf{sigma * B.H.zx + h * B.M.xz, sigma * B.H.zy + h * B.M.yz,
                 sigma * B.H.zz + h * B.M.zz};
  const T D_inv = 1.0 / (sigma * Un.z + h * Uf.z);
  const T u = tau - sigma * B.n.z - h * B.f.z;
  const V3<T> kn = D_inv * Un, kf = D_inv * Uf;
  out = {kn, kf, D_inv * u};
  B.I.xx -= kn.x * Un.x, B.I.xy -= kn.x * Un.y, B.I.xz -= kn.x * Un.z;
  B.I.yy -= kn.y * Un.y, B.I.yz -= kn.y * Un.z, B.I.zz -= kn.z * Un.z;
  B.H.xx -= kn.x * Uf.x, B.H.xy -= kn.x * Uf.y, B.H.xz -= kn.x * Uf.z;
  B.H.yx -= kn.y * Uf.x, B.H.yy -= kn.y * Uf.y, B.H.yz -= kn.y * Uf.z;
  B.H.zx -= kn.z * Uf.x, B.H.zy -= kn.z * Uf.y, B.H.zz -= kn.z * Uf.z;
  B.M.xx -= kf.x * Uf.x, B.M.xy -= kf.x * Uf.y, B.M.xz -= kf.x * Uf.z;
  B.M.yy -= kf.y * Uf.y, B.M.yz -= kf.y * Uf.z, B.M.zz -= kf.z * Uf.z;
  B.n = B.n + B.I * cn + B.H * cf + u * kn;
  B.f = B.f + transposed_times(B.H, cn) + B.M * cf + u * kf;
}

}  // namespace
}  // namespace couplet::dynamics
