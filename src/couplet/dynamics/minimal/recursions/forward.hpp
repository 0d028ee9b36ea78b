// Recursive forward dynamics in O(n): the articulated-body algorithm in three sweeps.
//
// R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3; M. Otter et al., 1994, section 6;
// POEMS: the recursive solver of founding paper 000. Written for canonical frames (mechanism.hpp) and
// accelerations of points: gravity is an upward acceleration of the world. Links are ordered depth
// first, so along a chain everything is handed on in registers; only branches meet in memory.
#pragma once

#include "couplet/dynamics/minimal/recursions/quaternion_steps.hpp"

namespace couplet::dynamics {
namespace {

template <class T>
struct ForwardProblem {
  const T *q, *v;
  const T* tau;             // generalised forces
  const T* body_forces;     // (torque, force) on each link at its origin, link axes; may be null
  V3<T> base_acceleration;  // of the world, -g
  T* vdot;                  // out; inputs where a joint is prescribed
  T* tau_prescribed;        // out where a joint is prescribed
};

/// Sweep 1, outward: angular velocities, forces of motion, velocity-dependent accelerations.
template <class T>
inline void sweep_velocities(const TreeView& tree, const ForwardProblem<T>& in,
                             const ForwardPointers<T>& ws) {
  V3<T> w = zero<T>();  // of the link before
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    ForwardScratch<T>& s = ws.links[i];
    if (link.parent != i - 1) w = link.parent < 0 ? zero<T>() : ws.links[link.parent].w;
    if (has_axis(link)) {
      const V3<T> c_P = link.kind == LinkKind::revolute
                            ? centripetal(w, fixed_origin(link))
                            : centripetal(w, origin_in_parent(link, in.q));
      w = pulled(link.x, link.plain, ws.cosine[i], ws.sine[i], w);
      const T rate = in.v[link.iv];
      s.cx = w.y * rate;
      s.cy = -w.x * rate;
      w.z += link.x.sigma * rate;
      s.centripetal = c_P;
    } else {
      w = move_quaternion(tree, link, in.q, in.v, w, ws.heavy[link.heavy], s.centripetal);
    }
    V3<T> n, f;
    set_gyroscopic(link.x, w, n, f);
    if (in.body_forces) {
      const T* F = in.body_forces + 6 * i;
      n = n - V3<T>{F[0], F[1], F[2]};
      f = f - V3<T>{F[3], F[4], F[5]};
    }
    s.w = w;
    s.n = n;
    s.f = f;
  }
}

/// Velocity-dependent acceleration of a link with an axis, beyond the parent's: σ c and 2 h c.
template <class T>
inline void helical_bias(const LinkNumbers<double>& x, const ForwardScratch<T>& s, V3<T>& cn,
                         V3<T>& cf) {
  cn = {x.sigma * s.cx, x.sigma * s.cy, T{}};
  cf = {2.0 * x.h * s.cx, 2.0 * x.h * s.cy, T{}};
}

/// A joint that slides, or one whose motion is prescribed and that carries its acceleration along.
template <class T>
inline void push_helical(const Link& link, const ForwardProblem<T>& in, const T& c, const T& s,
                         const ForwardPointers<T>& ws, ForwardScratch<T>& scratch,
                         Articulated<T>& B) {
  const LinkNumbers<double>& x = link.x;
  V3<T> cn, cf;
  helical_bias(x, scratch, cn, cf);
  if (link.prescribed) {
    ws.heavy[link.heavy].P = B;
    cn.z += x.sigma * in.vdot[link.iv];
    cf.z += x.h * in.vdot[link.iv];
    B.n = B.n + B.I * cn + B.H * cf;
    B.f = B.f + transposed_times(B.H, cn) + B.M * cf;
  } else {
    reduce_helical(x, in.tau[link.iv], cn, cf, B, scratch.joint);
  }
  push(x, link.plain, c, s, T(x.d + x.h * in.q[link.iq]), B);
}

/// Sweep 2, inward: articulated inertias and bias forces.
template <class T>
inline void sweep_inertias(const TreeView& tree, const ForwardProblem<T>& in,
                           const ForwardPointers<T>& ws) {
  Articulated<T> B;
  for (int i = tree.n - 1; i >= 0; --i) {
    const Link& link = tree.links[i];
    ForwardScratch<T>& s = ws.links[i];
    const bool chained = i + 1 < tree.n && tree.links[i + 1].parent == i;  // B comes from there
    if (chained) {
      add_rigid(link.x, B);
      B.n = B.n + s.n;
      B.f = B.f + s.f;
    } else {
      set_rigid(link.x, B);
      B.n = s.n;
      B.f = s.f;
    }
    if (link.branch >= 0) add(ws.branches[link.branch], B);

    const T* tau = in.tau + link.iv;
    if (link.kind == LinkKind::revolute && !link.prescribed)
      push_revolute(link.x, link.plain, ws.cosine[i], ws.sine[i], tau[0], s.cx, s.cy, B, s.joint);
    else if (has_axis(link))
      push_helical(link, in, ws.cosine[i], ws.sine[i], ws, s, B);
    else if (link.kind == LinkKind::spherical)
      push_spherical(V3<T>{tau[0], tau[1], tau[2]}, ws.heavy[link.heavy], B);
    else
      push_free(tau, ws.heavy[link.heavy], B, s.alpha, s.a);

    if (link.parent < 0) continue;
    accelerate(s.centripetal, B);
    if (link.parent == i - 1) continue;
    Articulated<T>& arrivals = ws.branches[tree.links[link.parent].branch];
    if (link.first_arrival)
      arrivals = B;
    else
      add(B, arrivals);
  }
}

/// Sweep 3, outward: accelerations.
template <class T>
inline void sweep_accelerations(const TreeView& tree, const ForwardProblem<T>& in,
                                const ForwardPointers<T>& ws) {
  V3<T> alpha = zero<T>(), a = in.base_acceleration;  // of the link before
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    ForwardScratch<T>& s = ws.links[i];
    if (link.parent != i - 1) {
      alpha = link.parent < 0 ? zero<T>() : ws.links[link.parent].alpha;
      a = link.parent < 0 ? in.base_acceleration : ws.links[link.parent].a;
    }
    if (!has_axis(link)) {
      accelerate_quaternion(link, ws.heavy[link.heavy], s, alpha, a, in.vdot + link.iv);
      s.alpha = alpha;
      s.a = a;
      continue;
    }
    const bool revolute = link.kind == LinkKind::revolute;
    a = a + s.centripetal +
        (revolute ? cross(alpha, fixed_origin(link)) : cross(alpha, origin_in_parent(link, in.q)));
    alpha = pulled(link.x, link.plain, ws.cosine[i], ws.sine[i], alpha);
    a = pulled(link.x, link.plain, ws.cosine[i], ws.sine[i], a);
    if (revolute && !link.prescribed) {
      alpha.x += s.cx;
      alpha.y += s.cy;
      const T vdot = (s.joint.u - dot(s.joint.Un, alpha) - dot(s.joint.Uf, a)) * s.joint.D_inv;
      alpha.z += vdot;
      in.vdot[link.iv] = vdot;
    } else {
      V3<T> cn, cf;
      helical_bias(link.x, s, cn, cf);
      alpha = alpha + cn;
      a = a + cf;
      if (!link.prescribed)
        in.vdot[link.iv] =
            (s.joint.u - dot(s.joint.Un, alpha) - dot(s.joint.Uf, a)) * s.joint.D_inv;
      alpha.z += link.x.sigma * in.vdot[link.iv];
      a.z += link.x.h * in.vdot[link.iv];
      if (link.prescribed) {
        const Articulated<T>& P = ws.heavy[link.heavy].P;
        const V3<T> n = P.n + P.I * alpha + P.H * a;
        const V3<T> f = P.f + transposed_times(P.H, alpha) + P.M * a;
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
  calc_angles(tree, in.q, ws.cosine, ws.sine);
  sweep_velocities(tree, in, ws);
  sweep_inertias(tree, in, ws);
  sweep_accelerations(tree, in, ws);
}

}  // namespace
}  // namespace couplet::dynamics
