// What a link on a free revolute joint does in the three sweeps of forward dynamics. T and C may be
// packs: then several links do it side by side (limbs.hpp).
#pragma once

#include "couplet/dynamics/minimal/recursions/link_steps.hpp"

namespace couplet::dynamics {
namespace {

template <class C>
[[gnu::always_inline]] inline V3<C> origin(const LinkNumbers<C>& x) {
  return {x.px, x.py, x.pz};
}

/// b + a × c, with b first: everything after it is a fused multiply-add.
template <class T, class S, class U>
[[gnu::always_inline]] inline V3<T> plus_cross(const V3<T>& b, const V3<S>& a, const V3<U>& c) {
  return {b.x + a.y * c.z - a.z * c.y, b.y + a.z * c.x - a.x * c.z, b.z + a.x * c.y - a.y * c.x};
}

/// Sweep 1: from the parent's angular velocity to the link's own.
template <class T, class C>
[[gnu::always_inline]] inline void step_velocity(const LinkNumbers<C>& x, bool plain, const T& c,
                                                 const T& s, const T& rate, V3<T>& w,
                                                 ForwardScratch<T>& out) {
  out.centripetal = centripetal(w, origin(x));
  w = pulled(x, plain, c, s, w);
  out.cx = w.y * rate;
  out.cy = -(w.x * rate);
  w.z += rate;
  set_gyroscopic(x, w, out.n, out.f);
}

/// Sweep 2: from what arrives at the link to what arrives at its parent.
template <class T, class C>
[[gnu::always_inline]] inline void step_inertia(const LinkNumbers<C>& x, bool plain, const T& c,
                                                const T& s, const T& tau,
                                                ForwardScratch<T>& scratch, Articulated<T>& B) {
  push_revolute(x, plain, c, s, tau, scratch.cx, scratch.cy, B, scratch.joint);
  accelerate(scratch.centripetal, B);
}

/// Sweep 3: from the parent's accelerations to the link's own; returns v̇.
template <class T, class C>
[[gnu::always_inline]] inline T step_acceleration(const LinkNumbers<C>& x, bool plain, const T& c,
                                                  const T& s, const ForwardScratch<T>& scratch,
                                                  V3<T>& alpha, V3<T>& a) {
  const Solved<T>& joint = scratch.joint;
  a = pulled(x, plain, c, s, plus_cross(a + scratch.centripetal, alpha, origin(x)));
  alpha = pulled(x, plain, c, s, alpha);
  alpha.x += scratch.cx;
  alpha.y += scratch.cy;
  // u / D - Uᵀ (α; a) / D, where the z component of U / D is 1
  const T sum = (joint.g - joint.kn.x * alpha.x - joint.kn.y * alpha.y) - dot(joint.kf, a);
  const T vdot = sum - alpha.z;
  alpha.z = sum;
  return vdot;
}

}  // namespace
}  // namespace couplet::dynamics
