// What a link on a quaternion joint (spherical, free) does in the sweeps of forward dynamics.
#pragma once

#include "couplet/dynamics/minimal/recursions/tree.hpp"

namespace couplet::dynamics {
namespace {

/// Sweep 1. Returns the link's angular velocity; c_P is its origin's centripetal acceleration.
template <class T, class L>
[[gnu::always_inline]] inline V3<T> move_quaternion(const Tree<L>& tree, const L& link, const T* q,
                                                    const T* speeds, const V3<T>& w_P,
                                                    HeavyScratch<T>& x, V3<T>& c_P) {
  calc_quaternion_pose(tree, link, q, x.R, x.p);
  c_P = centripetal(w_P, x.p);
  const T* v = speeds + link.iv;
  const V3<T> rate{v[0], v[1], v[2]};
  const V3<T> w = transposed_times(x.R, w_P) + rate;
  x.cn = cross(w, rate);
  x.cf = link.kind == LinkKind::free ? cross(w + (w - rate), V3<T>{v[3], v[4], v[5]}) : zero<T>();
  return w;
}

/// Hᵀ-like products with the factors of a symmetric matrix: Y = L⁻¹ H, Z = D⁻¹ Y, column by column.
template <class T>
struct Factored {
  V3<T> y0, y1, y2, z0, z1, z2;
  Factored(const Ldl3<T>& D, const V3<T>& h0, const V3<T>& h1, const V3<T>& h2)
      : y0(D.forward(h0)),
        y1(D.forward(h1)),
        y2(D.forward(h2)),
        z0(scaled(D, y0)),
        z1(scaled(D, y1)),
        z2(scaled(D, y2)) {}
  static V3<T> scaled(const Ldl3<T>& D, const V3<T>& y) {
    return {D.d0 * y.x, D.d1 * y.y, D.d2 * y.z};
  }
  Sym3<T> reduced(const Sym3<T>& A) const {  // A - Hᵀ D⁻¹ H
    return {A.xx - dot(y0, z0), A.xy - dot(y0, z1), A.xz - dot(y0, z2),
            A.yy - dot(y1, z1), A.yz - dot(y1, z2), A.zz - dot(y2, z2)};
  }
  V3<T> applied(const V3<T>& y) const { return {dot(z0, y), dot(z1, y), dot(z2, y)}; }
};

/// Sweep 2: frees a spherical joint (S = [1; 0]); only M - Hᵀ I⁻¹ H is felt by the parent, at the
/// joint: with its centripetal acceleration c, a force f = f0 + M c there, and its torque p × f.
template <class T>
[[gnu::always_inline]] inline void push_spherical(const V3<T>& tau, const V3<T>& c,
                                                  HeavyScratch<T>& x, Articulated<T>& B) {
  const Ldl3<T> D(B.I);
  const V3<T> u = tau - B.n;
  const Factored<T> F(D, {B.H.xx, B.H.yx, B.H.zx}, {B.H.xy, B.H.yy, B.H.zy},
                      {B.H.xz, B.H.yz, B.H.zz});
  x.P.H = B.H;
  x.l = {D.l10, D.l20, D.l21};
  x.d = {D.d0, D.d1, D.d2};
  x.u = u;
  const V3<T> p = x.p;
  const Sym3<T> M = rotated(x.R, F.reduced(B.M));
  B.f = x.R * (B.f + F.applied(D.forward(u))) + M * c;
  B.n = x.R * tau + cross(p, B.f);
  // H = p× M, I = p× M (p×)ᵀ = p× Hᵀ
  const V3<T> c0 = cross(p, V3<T>{M.xx, M.xy, M.xz}), c1 = cross(p, V3<T>{M.xy, M.yy, M.yz}),
              c2 = cross(p, V3<T>{M.xz, M.yz, M.zz});
  const V3<T> i0 = cross(p, V3<T>{c0.x, c1.x, c2.x}), i1 = cross(p, V3<T>{c0.y, c1.y, c2.y}),
              i2 = cross(p, V3<T>{c0.z, c1.z, c2.z});
  B.M = M;
  B.H = {c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z};
  B.I = {i0.x, i0.y, i0.z, i1.y, i1.z, i2.z};
}

/// Sweep 2: a free link takes P A = τ - Z by itself (translations eliminated first); its parent
/// feels only the force applied between them.
template <class T>
[[gnu::always_inline]] inline void push_free(const T* tau, HeavyScratch<T>& x, Articulated<T>& B) {
  const V3<T> tn{tau[0], tau[1], tau[2]}, tf{tau[3], tau[4], tau[5]};
  const V3<T> rn = tn - B.n, rf = tf - B.f;
  const Ldl3<T> D(B.M);
  const Factored<T> F(D, {B.H.xx, B.H.xy, B.H.xz}, {B.H.yx, B.H.yy, B.H.yz},
                      {B.H.zx, B.H.zy, B.H.zz});
  x.alpha = Ldl3<T>(F.reduced(B.I)).solve(rn - F.applied(D.forward(rf)));
  x.a = D.solve(rf - transposed_times(B.H, x.alpha));
  B = Articulated<T>{};
  B.f = x.R * tf;
  B.n = x.R * tn + cross(x.p, B.f);
}

/// Sweep 3: from the parent's accelerations (in) to the link's own (out).
template <class T>
[[gnu::always_inline]] inline void accelerate_quaternion(const Link& link, const HeavyScratch<T>& x,
                                                         const V3<T>& centripetal, V3<T>& alpha,
                                                         V3<T>& a, T* vdot) {
  const V3<T> alpha_0 = transposed_times(x.R, alpha) + x.cn;  // with v̇ = 0
  const V3<T> a_0 = transposed_times(x.R, a + cross(alpha, x.p) + centripetal) + x.cf;
  if (link.kind == LinkKind::spherical) {
    alpha = Ldl3<T>(x.l, x.d).solve(x.u - x.P.H * a_0);
    a = a_0;
  } else {
    alpha = x.alpha;
    a = x.a;
    vdot[3] = a.x - a_0.x, vdot[4] = a.y - a_0.y, vdot[5] = a.z - a_0.z;
  }
  vdot[0] = alpha.x - alpha_0.x, vdot[1] = alpha.y - alpha_0.y, vdot[2] = alpha.z - alpha_0.z;
}

}  // namespace
}  // namespace couplet::dynamics
