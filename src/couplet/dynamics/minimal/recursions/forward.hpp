// Recursive forward dynamics in O(n): the articulated-body algorithm in three sweeps.
//
// R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3; M. Otter et al., 1994,
// section 6; the recursive solver of POEMS (K. Anderson et al., 2007). Written for canonical frames
// (mechanism.hpp) and accelerations of points: gravity is an upward acceleration of the world.
// Links are ordered depth first, so along a chain everything is handed on in registers; only
// branches meet in memory.
//
// A sweep takes a run of links. Simple links, most of them, have an inner loop of their own.
#pragma once

#include "couplet/dynamics/minimal/recursions/forward_steps.hpp"
#include "couplet/dynamics/minimal/recursions/quaternion_steps.hpp"

namespace couplet::dynamics {
namespace {

/// A joint that turns freely: what the steps are written for.
[[gnu::always_inline]] inline bool turns_freely(const Link& link) {
  return link.kind == LinkKind::revolute && !link.prescribed;
}

/// Sweep 1, outward: angular velocities, forces of motion, velocity-dependent accelerations.
template <class T, class L>
[[gnu::noinline]] void sweep_velocities(const Tree<L>& tree, const Run& run,
                                        const ForwardProblem<T>& in, const ForwardPointers<T>& ws) {
  const L* const links = tree.links;  // these stay in registers
  const T *const cosine = ws.cosine, *const sine = ws.sine, *const v = in.v;
  ForwardScratch<T>* const scratch = ws.links;
  const int end = run.end;
  V3<T> w = zero<T>();  // of the link before
  for (int i = run.begin; i < end; ++i) {
    for (; i < end && links[i].simple; ++i)
      step_velocity(links[i].x, true, cosine[i], sine[i], v[links[i].iv], w, scratch[i]);
    if (i == end) break;

    const L& link = tree.links[i];
    ForwardScratch<T>& s = ws.links[i];
    if (link.parent != i - 1)
      w = link.parent < 0 ? zero<T>() : ws.branches[tree.links[link.parent].branch].motion.w;
    if (turns_freely(link) && link.parent < 0) {  // about its axis: forces of motion across it only
      s = {};
      w = {T{}, T{}, in.v[link.iv]};
    } else if (turns_freely(link)) {
      step_velocity(link.x, link.plain, ws.cosine[i], ws.sine[i], in.v[link.iv], w, s);
    } else if (has_axis(link)) {
      s.centripetal = centripetal(w, origin_in_parent(link, in.q));
      w = pulled(link.x, link.plain, ws.cosine[i], ws.sine[i], w);
      const T rate = in.v[link.iv];
      s.cx = w.y * rate;
      s.cy = -(w.x * rate);
      w.z += link.x.sigma * rate;
      set_gyroscopic(link.x, w, s.n, s.f);
    } else {
      w = move_quaternion(tree, link, in.q, in.v, w, ws.heavy[link.heavy], s.centripetal);
      set_gyroscopic(link.x, w, s.n, s.f);
    }
    if (link.branch >= 0) ws.branches[link.branch].motion.w = w;
  }
}

/// Applied forces count against the forces of motion.
template <class T, class L>
inline void subtract_body_forces(const Tree<L>& tree, const T* F, const ForwardPointers<T>& ws) {
  for (int i = 0; i < tree.n; ++i, F += 6) {
    ws.links[i].n = ws.links[i].n - V3<T>{F[0], F[1], F[2]};
    ws.links[i].f = ws.links[i].f - V3<T>{F[3], F[4], F[5]};
  }
}

/// Velocity-dependent acceleration of a link with an axis, beyond the parent's: σ c and 2 h c.
template <class T, class C>
inline void helical_bias(const LinkNumbers<C>& x, const ForwardScratch<T>& s, V3<T>& cn,
                         V3<T>& cf) {
  cn = {x.sigma * s.cx, x.sigma * s.cy, T{}};
  cf = {2.0 * x.h * s.cx, 2.0 * x.h * s.cy, T{}};
}

/// A joint that slides, or one whose motion is prescribed and that carries its acceleration along.
template <class T, class L>
inline void push_helical(const L& link, const ForwardProblem<T>& in, const T& c, const T& s,
                         const ForwardPointers<T>& ws, ForwardScratch<T>& scratch,
                         Articulated<T>& B) {
  const auto& x = link.x;
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

/// Adds the link itself to what arrives from outward of it.
template <class T, class L>
[[gnu::always_inline]] inline void add_link(const L& link, const ForwardScratch<T>& s,
                                            Articulated<T>& B) {
  add_rigid(link.x, B);
  B.n = B.n + s.n;
  B.f = B.f + s.f;
}

/// A joint on the world: nothing feels its inertia any more, and only its axis can accelerate.
template <class T>
[[gnu::always_inline]] inline void solve_root(const T& tau, const Articulated<T>& B,
                                              Solved<T>& out) {
  const T D_inv = 1.0 / B.I.zz;
  out.kn.x = D_inv * B.I.xz, out.kn.y = D_inv * B.I.yz;
  out.kf = D_inv * V3<T>{B.H.zx, B.H.zy, B.H.zz};
  out.g = D_inv * (tau - B.n.z);
}

template <class T, class L>
[[gnu::always_inline]] inline T accelerate_root(const L& link, const T& c, const T& s,
                                                const Solved<T>& joint, V3<T>& alpha, V3<T>& a) {
  a = pulled(link.x, link.plain, c, s, a);
  const T vdot = joint.g - dot(joint.kf, a);
  alpha = {T{}, T{}, vdot};
  return vdot;
}

/// Sweep 2, inward: articulated inertias and bias forces.
template <class T, class L>
[[gnu::noinline]] void sweep_inertias(const Tree<L>& tree, const Run& run,
                                      const ForwardProblem<T>& in, const ForwardPointers<T>& ws) {
  const L* const links = tree.links;
  const T *const cosine = ws.cosine, *const sine = ws.sine, *const torque = in.tau;
  ForwardScratch<T>* const scratch = ws.links;
  const int begin = run.begin;
  Articulated<T> B{};  // what arrives from the link after
  for (int i = run.end - 1; i >= begin; --i) {
    for (; i >= begin && links[i].simple; --i) {
      add_link(links[i], scratch[i], B);
      step_inertia(links[i].x, true, cosine[i], sine[i], torque[links[i].iv], scratch[i], B);
    }
    if (i < begin) break;

    const L& link = tree.links[i];
    ForwardScratch<T>& s = ws.links[i];
    add_link(link, s, B);
    if (link.branch >= 0) {
      Articulated<T>& arrivals = ws.branches[link.branch].arrivals;
      add(arrivals, B);
      arrivals = {};
    }
    const T* tau = in.tau + link.iv;
    if (turns_freely(link) && link.parent < 0)
      solve_root(tau[0], B, s.joint);
    else if (turns_freely(link))
      push_revolute(link.x, link.plain, ws.cosine[i], ws.sine[i], tau[0], s.cx, s.cy, B, s.joint);
    else if (has_axis(link))
      push_helical(link, in, ws.cosine[i], ws.sine[i], ws, s, B);
    else if (link.kind == LinkKind::spherical)
      push_spherical(V3<T>{tau[0], tau[1], tau[2]}, s.centripetal, ws.heavy[link.heavy], B);
    else
      push_free(tau, ws.heavy[link.heavy], B);

    if (link.parent >= 0) {
      if (has_axis(link)) accelerate(s.centripetal, B);
      if (link.parent == i - 1) continue;
      add(B, ws.branches[tree.links[link.parent].branch].arrivals);
    }
    B = {};
  }
}

/// Sweep 3 for a joint that slides or is prescribed.
template <class T, class L>
inline void accelerate_helical(const L& link, const ForwardProblem<T>& in, const T& c, const T& s,
                               const ForwardPointers<T>& ws, const ForwardScratch<T>& scratch,
                               V3<T>& alpha, V3<T>& a) {
  a = pulled(link.x, link.plain, c, s,
             a + scratch.centripetal + cross(alpha, origin_in_parent(link, in.q)));
  alpha = pulled(link.x, link.plain, c, s, alpha);
  V3<T> cn, cf;
  helical_bias(link.x, scratch, cn, cf);
  alpha = alpha + cn;
  a = a + cf;
  T& vdot = in.vdot[link.iv];
  const Solved<T>& joint = scratch.joint;
  if (!link.prescribed) vdot = joint.g - dot(joint.kn, alpha) - dot(joint.kf, a);
  alpha.z += link.x.sigma * vdot;
  a.z += link.x.h * vdot;
  if (!link.prescribed) return;
  const Articulated<T>& P = ws.heavy[link.heavy].P;
  const V3<T> n = P.n + P.I * alpha + P.H * a;
  const V3<T> f = P.f + transposed_times(P.H, alpha) + P.M * a;
  in.tau_prescribed[link.iv] = link.x.sigma * n.z + link.x.h * f.z;
}

/// Sweep 3, outward: accelerations.
template <class T, class L>
[[gnu::noinline]] void sweep_accelerations(const Tree<L>& tree, const Run& run,
                                           const ForwardProblem<T>& in,
                                           const ForwardPointers<T>& ws) {
  const L* const links = tree.links;
  const T *const cosine = ws.cosine, *const sine = ws.sine;
  const ForwardScratch<T>* const scratch = ws.links;
  T* const vdot = in.vdot;
  const int end = run.end;
  V3<T> alpha = zero<T>(), a = in.base_acceleration;  // of the link before
  for (int i = run.begin; i < end; ++i) {
    for (; i < end && links[i].simple; ++i)
      vdot[links[i].iv] =
          step_acceleration(links[i].x, true, cosine[i], sine[i], scratch[i], alpha, a);
    if (i == end) break;

    const L& link = tree.links[i];
    const ForwardScratch<T>& s = ws.links[i];
    if (link.parent < 0) {
      alpha = zero<T>();
      a = in.base_acceleration;
    } else if (link.parent != i - 1) {
      const LinkMotion<T>& parent = ws.branches[tree.links[link.parent].branch].motion;
      alpha = parent.alpha;
      a = parent.a;
    }
    if (turns_freely(link) && link.parent < 0)
      in.vdot[link.iv] = accelerate_root(link, ws.cosine[i], ws.sine[i], s.joint, alpha, a);
    else if (turns_freely(link))
      in.vdot[link.iv] =
          step_acceleration(link.x, link.plain, ws.cosine[i], ws.sine[i], s, alpha, a);
    else if (has_axis(link))
      accelerate_helical(link, in, ws.cosine[i], ws.sine[i], ws, s, alpha, a);
    else
      accelerate_quaternion(link, ws.heavy[link.heavy], s.centripetal, alpha, a, in.vdot + link.iv);
    if (link.branch >= 0) {
      ws.branches[link.branch].motion.alpha = alpha;
      ws.branches[link.branch].motion.a = a;
    }
  }
}

/// `limbs` says which runs of links go one by one, and sweeps over the others (limbs.hpp).
template <class T, class Limbs, class L>
[[gnu::always_inline]] inline void forward_dynamics(const Tree<L>& tree,
                                                    const ForwardProblem<T>& in,
                                                    const ForwardPointers<T>& ws,
                                                    const Limbs& limbs) {
  calc_angles(tree, in.q, ws.cosine, ws.sine);
  for (int r = 0; r < limbs.run_count; ++r) sweep_velocities(tree, limbs.runs[r], in, ws);
  limbs.sweep_velocities(in, ws);
  if (in.body_forces) subtract_body_forces(tree, in.body_forces, ws);
  limbs.sweep_inertias(in, ws);
  for (int r = limbs.run_count - 1; r >= 0; --r) sweep_inertias(tree, limbs.runs[r], in, ws);
  for (int r = 0; r < limbs.run_count; ++r) sweep_accelerations(tree, limbs.runs[r], in, ws);
  limbs.sweep_accelerations(in, ws);
}

}  // namespace
}  // namespace couplet::dynamics
