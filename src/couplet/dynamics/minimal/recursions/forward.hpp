// Recursive forward dynamics in O(n): the articulated-body algorithm in three sweeps.
//
// R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3; M. Otter et al., 1994, section 6;
// POEMS: the recursive solver of founding paper 000. Written for canonical frames (mechanism.hpp) and
// accelerations of points: gravity is an upward acceleration of the world.
#pragma once

#include "couplet/dynamics/minimal/recursions/tree.hpp"

namespace couplet::dynamics {
namespace {

template <class T>
struct ForwardProblem {
  const T *q, *v;
  const T* tau;             // generalised forces; outputs where a joint is prescribed
  const T* body_forces;     // (torque, force) on each link at its origin, link axes; may be null
  V3<T> base_acceleration;  // of the world, -g
  T* vdot;                  // inputs where a joint is prescribed
  T* tau_prescribed;        // out; may be null when nothing is prescribed
};

/// Sweep 1, outward: angular velocities, forces of motion, velocity-dependent accelerations.
template <class T>
inline void sweep_velocities(const TreeView& tree, const ForwardProblem<T>& in, const T* cosine,
                             const T* sine, ForwardScratch<T>* scratch,
                             QuaternionScratch<T>* quaternions) {
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    ForwardScratch<T>& s = scratch[i];
    const V3<T> w_P = link.parent < 0 ? V3<T>{T{}, T{}, T{}} : scratch[link.parent].w;
    if (has_axis(link)) {
      s.centripetal = link.kind == LinkKind::revolute
                          ? centripetal(w_P, V3<double>{link.x.px, link.x.py, link.x.pz})
                          : centripetal(w_P, origin_in_parent(link, in.q));
      s.w = w_P;
      pull(link.x, link.plain, cosine[i], sine[i], s.w);
      const T rate = in.v[link.iv];
      s.cx = s.w.y * rate;
      s.cy = -s.w.x * rate;
      s.w.z += link.x.sigma * rate;
    } else {
      QuaternionScratch<T>& x = quaternions[link.frame];
      calc_quaternion_pose(tree, link, in.q, x.R, x.p);
      s.centripetal = centripetal(w_P, x.p);
      const T* v = in.v + link.iv;
      const V3<T> rate{v[0], v[1], v[2]};
      s.w = transposed_times(x.R, w_P) + rate;
      x.cn = cross(s.w, rate);
      x.cf = {T{}, T{}, T{}};
      if (link.kind == LinkKind::free)
        x.cf = cross(s.w + (s.w - rate), V3<T>{v[3], v[4], v[5]});
    }
    set_gyroscopic(link.x, s.w, s.P.n, s.P.f);
    if (in.body_forces) {
      const T* F = in.body_forces + 6 * i;
      s.P.n = s.P.n - V3<T>{F[0], F[1], F[2]};
      s.P.f = s.P.f - V3<T>{F[3], F[4], F[5]};
    }
  }
}

/// Hands the articulated inertia of a link over to its parent.
template <class T>
inline void arrive(const TreeView& tree, const Link& link, Articulated<T>& B,
                   ForwardScratch<T>* scratch) {
  Articulated<T>& P = scratch[link.parent].P;
  P.n = P.n + B.n;
  P.f = P.f + B.f;
  if (!link.first_child) return add_inertia(B, P);
  add_rigid(tree.links[link.parent].x, B);
  P.I = B.I;
  P.H = B.H;
  P.M = B.M;
}

/// A prescribed joint carries its acceleration along: nothing is freed.
template <class T>
inline void carry(const LinkNumbers<double>& x, const T& vdot, V3<T> cn, V3<T> cf,
                  Articulated<T>& B) {
  cn.z += x.sigma * vdot;
  cf.z += x.h * vdot;
  B.n = B.n + B.I * cn + B.H * cf;
  B.f = B.f + transposed_times(B.H, cn) + B.M * cf;
}

/// Velocity-dependent acceleration of a link with an axis, beyond the parent's: σ c and 2 h c.
template <class T>
inline void helical_bias(const LinkNumbers<double>& x, const ForwardScratch<T>& s, V3<T>& cn,
                         V3<T>& cf) {
  cn = {x.sigma * s.cx, x.sigma * s.cy, T{}};
  cf = {2.0 * x.h * s.cx, 2.0 * x.h * s.cy, T{}};
}

/// Frees a spherical joint (S = [1; 0]): only M - Hᵀ I⁻¹ H is felt by the parent.
template <class T>
inline void push_spherical(const QuaternionScratch<T>& x, const V3<T>& tau, ForwardScratch<T>& s,
                           Articulated<T>& B) {
  const Ldl3<T> D(s.P.I);
  const V3<T> u = tau - s.P.n;
  const Mat3x3<T>& H = s.P.H;
  const V3<T> y0 = D.forward({H.xx, H.yx, H.zx}), y1 = D.forward({H.xy, H.yy, H.zy}),
              y2 = D.forward({H.xz, H.yz, H.zz});
  const V3<T> z0{D.d0 * y0.x, D.d1 * y0.y, D.d2 * y0.z}, z1{D.d0 * y1.x, D.d1 * y1.y, D.d2 * y1.z},
      z2{D.d0 * y2.x, D.d1 * y2.y, D.d2 * y2.z};
  const Sym3<T>& M = s.P.M;
  const Sym3<T> freed{M.xx - dot(y0, z0), M.xy - dot(y0, z1), M.xz - dot(y0, z2),
                      M.yy - dot(y1, z1), M.yz - dot(y1, z2), M.zz - dot(y2, z2)};
  const V3<T> yu = D.forward(u);
  B.f = x.R * (s.P.f + V3<T>{dot(z0, yu), dot(z1, yu), dot(z2, yu)});
  B.n = x.R * tau + cross(x.p, B.f);
  B.M = rotated(x.R, freed);
  // H = p× M, I = p× M (p×)ᵀ = H (p×)ᵀ
  const V3<T>& p = x.p;
  const V3<T> c0 = cross(p, V3<T>{B.M.xx, B.M.xy, B.M.xz}),
              c1 = cross(p, V3<T>{B.M.xy, B.M.yy, B.M.yz}),
              c2 = cross(p, V3<T>{B.M.xz, B.M.yz, B.M.zz});
  B.H = {c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z};
  const V3<T> i0 = cross(p, V3<T>{B.H.xx, B.H.xy, B.H.xz}),
              i1 = cross(p, V3<T>{B.H.yx, B.H.yy, B.H.yz}),
              i2 = cross(p, V3<T>{B.H.zx, B.H.zy, B.H.zz});
  B.I = {i0.x, i0.y, i0.z, i1.y, i1.z, i2.z};
  accelerate(s.centripetal, B);
  // kept for sweep 3: the factors of D and u
  s.joint.Un = {D.l10, D.l20, D.l21};
  s.joint.Uf = {D.d0, D.d1, D.d2};
  s.P.n = u;
}

/// Sweep 2, inward: articulated inertias and bias forces.
template <class T>
inline void sweep_inertias(const TreeView& tree, const ForwardProblem<T>& in, const T* cosine,
                           const T* sine, ForwardScratch<T>* scratch,
                           QuaternionScratch<T>* quaternions) {
  for (int i = tree.n - 1; i >= 0; --i) {
    const Link& link = tree.links[i];
    ForwardScratch<T>& s = scratch[i];
    if (link.leaf) set_rigid(link.x, s.P);
    const T* tau = in.tau + link.iv;
    Articulated<T> B;
    if (link.kind == LinkKind::free) {
      if (link.parent < 0) continue;  // floats: the parent feels only the applied force
      const QuaternionScratch<T>& x = quaternions[link.frame];
      B.f = x.R * V3<T>{tau[3], tau[4], tau[5]};
      B.n = x.R * V3<T>{tau[0], tau[1], tau[2]} + cross(x.p, B.f);
      const T zero{};
      B.I = B.M = {zero, zero, zero, zero, zero, zero};
      B.H = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
      arrive(tree, link, B, scratch);
      continue;
    }
    if (link.kind == LinkKind::spherical) {
      push_spherical(quaternions[link.frame], V3<T>{tau[0], tau[1], tau[2]}, s, B);
      if (link.parent >= 0) arrive(tree, link, B, scratch);
      continue;
    }
    B = s.P;
    if (link.kind == LinkKind::revolute && !is_prescribed(link)) {
      push_revolute(link.x, link.plain, cosine[i], sine[i], tau[0], s.cx, s.cy, B, s.joint);
    } else {
      V3<T> cn, cf;
      helical_bias(link.x, s, cn, cf);
      if (is_prescribed(link))
        carry(link.x, in.vdot[link.iv], cn, cf, B);
      else
        reduce_helical(link.x, tau[0], cn, cf, B, s.joint);
      push(link.x, link.plain, cosine[i], sine[i], T(link.x.d + link.x.h * in.q[link.iq]), B);
    }
    if (link.parent < 0) continue;
    accelerate(s.centripetal, B);
    arrive(tree, link, B, scratch);
  }
}

/// P A = r for a link that nothing holds: block elimination, translations first.
template <class T>
inline void solve_free(const Articulated<T>& P, const V3<T>& rn, const V3<T>& rf, V3<T>& alpha,
                       V3<T>& a) {
  const Ldl3<T> M(P.M);
  const Mat3x3<T>& H = P.H;
  const V3<T> y0 = M.forward({H.xx, H.xy, H.xz}), y1 = M.forward({H.yx, H.yy, H.yz}),
              y2 = M.forward({H.zx, H.zy, H.zz});
  const V3<T> z0{M.d0 * y0.x, M.d1 * y0.y, M.d2 * y0.z}, z1{M.d0 * y1.x, M.d1 * y1.y, M.d2 * y1.z},
      z2{M.d0 * y2.x, M.d1 * y2.y, M.d2 * y2.z};
  const Sym3<T> S{P.I.xx - dot(y0, z0), P.I.xy - dot(y0, z1), P.I.xz - dot(y0, z2),
                  P.I.yy - dot(y1, z1), P.I.yz - dot(y1, z2), P.I.zz - dot(y2, z2)};
  const V3<T> yf = M.forward(rf);
  alpha = Ldl3<T>(S).solve(rn - V3<T>{dot(z0, yf), dot(z1, yf), dot(z2, yf)});
  a = M.solve(rf - transposed_times(H, alpha));
}

template <class T>
inline void accelerate_quaternion(const Link& link, const ForwardProblem<T>& in,
                                  const QuaternionScratch<T>& x, const V3<T>& alpha_P,
                                  const V3<T>& a_P, ForwardScratch<T>& s) {
  const V3<T> alpha = transposed_times(x.R, alpha_P) + x.cn;
  const V3<T> a = transposed_times(x.R, a_P + cross(alpha_P, x.p) + s.centripetal) + x.cf;
  const T* tau = in.tau + link.iv;
  T* vdot = in.vdot + link.iv;
  if (link.kind == LinkKind::spherical) {
    Ldl3<T> D(s.joint.Un, s.joint.Uf);
    s.alpha = D.solve(s.P.n - s.P.H * a);
    s.a = a;
  } else {
    solve_free(s.P, V3<T>{tau[0], tau[1], tau[2]} - s.P.n, V3<T>{tau[3], tau[4], tau[5]} - s.P.f,
               s.alpha, s.a);
    vdot[3] = s.a.x - a.x, vdot[4] = s.a.y - a.y, vdot[5] = s.a.z - a.z;
  }
  vdot[0] = s.alpha.x - alpha.x, vdot[1] = s.alpha.y - alpha.y, vdot[2] = s.alpha.z - alpha.z;
}

/// Sweep 3, outward: accelerations.
template <class T>
inline void sweep_accelerations(const TreeView& tree, const ForwardProblem<T>& in, const T* cosine,
                                const T* sine, ForwardScratch<T>* scratch,
                                QuaternionScratch<T>* quaternions) {
  const T zero{};
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    ForwardScratch<T>& s = scratch[i];
    const bool root = link.parent < 0;
    const V3<T> alpha_P = root ? V3<T>{zero, zero, zero} : scratch[link.parent].alpha;
    const V3<T> a_P = root ? in.base_acceleration : scratch[link.parent].a;
    if (!has_axis(link)) {
      accelerate_quaternion(link, in, quaternions[link.frame], alpha_P, a_P, s);
      continue;
    }
    const bool revolute = link.kind == LinkKind::revolute;
    V3<T> alpha = alpha_P;
    V3<T> a = a_P + s.centripetal +
              (revolute ? cross(alpha_P, V3<double>{link.x.px, link.x.py, link.x.pz})
                        : cross(alpha_P, origin_in_parent(link, in.q)));
    pull(link.x, link.plain, cosine[i], sine[i], alpha);
    pull(link.x, link.plain, cosine[i], sine[i], a);
    if (revolute && !is_prescribed(link)) {
      alpha.x += s.cx;
      alpha.y += s.cy;
      const T vdot = (s.joint.u - dot(s.joint.Un, alpha) - dot(s.joint.Uf, a)) * s.joint.D_inv;
      in.vdot[link.iv] = vdot;
      alpha.z += vdot;
    } else {
      V3<T> cn, cf;
      helical_bias(link.x, s, cn, cf);
      alpha = alpha + cn;
      a = a + cf;
      if (!is_prescribed(link))
        in.vdot[link.iv] =
            (s.joint.u - dot(s.joint.Un, alpha) - dot(s.joint.Uf, a)) * s.joint.D_inv;
      alpha.z += link.x.sigma * in.vdot[link.iv];
      a.z += link.x.h * in.vdot[link.iv];
      if (is_prescribed(link)) {
        const V3<T> n = s.P.n + s.P.I * alpha + s.P.H * a;
        const V3<T> f = s.P.f + transposed_times(s.P.H, alpha) + s.P.M * a;
        in.tau_prescribed[link.iv] = link.x.sigma * n.z + link.x.h * f.z;
      }
    }
    s.alpha = alpha;
    s.a = a;
  }
}

template <class T>
inline void forward_dynamics(const TreeView& tree, const ForwardProblem<T>& in,
                             const ForwardPointers<T>& ws) {
  calc_angles(tree, in.q, ws.angle, ws.cosine, ws.sine);
  sweep_velocities(tree, in, ws.cosine, ws.sine, ws.links, ws.quaternions);
  sweep_inertias(tree, in, ws.cosine, ws.sine, ws.links, ws.quaternions);
  sweep_accelerations(tree, in, ws.cosine, ws.sine, ws.links, ws.quaternions);
}

}  // namespace
}  // namespace couplet::dynamics
