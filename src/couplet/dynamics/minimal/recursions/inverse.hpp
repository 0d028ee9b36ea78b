// Inverse dynamics in O(n): the recursive Newton-Euler algorithm.  [RBDA section 5.3]
#pragma once

#include "couplet/dynamics/minimal/recursions/tree.hpp"

namespace couplet::dynamics {
namespace {

template <class T>
struct InverseProblem {
  const T *q, *v, *vdot;
  const T* body_forces;     // (torque, force) on each link at its origin, link axes; may be null
  V3<T> base_acceleration;  // of the world, -g
  T* tau;                   // out
};

/// The motion that is handed outward: w, α, and a of the origin, in the link's axes.
template <class T>
struct LinkMotion {
  V3<T> w, alpha, a;
};

/// Motion of a quaternion link from that of its parent.
template <class T>
[[gnu::always_inline]] inline LinkMotion<T> moved(const TreeView& tree, const Link& link, const InverseProblem<T>& in,
                           const LinkMotion<T>& P, PoseScratch<T>& x) {
  calc_quaternion_pose(tree, link, in.q, x.R, x.p);
  const T *v = in.v + link.iv, *vdot = in.vdot + link.iv;
  const V3<T> rate{v[0], v[1], v[2]};
  LinkMotion<T> B;
  B.w = transposed_times(x.R, P.w) + rate;
  B.alpha = transposed_times(x.R, P.alpha) + cross(B.w, rate) + V3<T>{vdot[0], vdot[1], vdot[2]};
  B.a = transposed_times(x.R, P.a + cross(P.alpha, x.p) + centripetal(P.w, x.p));
  if (link.kind == LinkKind::free)
    B.a = B.a + cross(B.w + (B.w - rate), V3<T>{v[3], v[4], v[5]}) +
          V3<T>{vdot[3], vdot[4], vdot[5]};
  return B;
}

/// Motion of a link with an axis; p is its origin in the parent's axes.
template <class T, class P3>
[[gnu::always_inline]] inline LinkMotion<T> moved(const Link& link, const InverseProblem<T>& in, const V3<P3>& p,
                           const T& c, const T& s, const LinkMotion<T>& P) {
  LinkMotion<T> B;
  B.a = pulled(link.x, link.plain, c, s, P.a + cross(P.alpha, p) + centripetal(P.w, p));
  B.w = pulled(link.x, link.plain, c, s, P.w);
  B.alpha = pulled(link.x, link.plain, c, s, P.alpha);
  const T rate = in.v[link.iv], vdot = in.vdot[link.iv];
  const T cx = B.w.y * rate, cy = -B.w.x * rate;
  if (link.kind == LinkKind::revolute) {
    B.alpha = B.alpha + V3<T>{cx, cy, vdot};
    B.w.z += rate;
  } else {
    const double sigma = link.x.sigma, h = link.x.h;
    B.alpha = B.alpha + sigma * V3<T>{cx, cy, vdot};
    B.a = B.a + h * V3<T>{2.0 * cx, 2.0 * cy, vdot};
    B.w.z += sigma * rate;
  }
  return B;
}

/// Outward: motions, and the forces that they take.
template <class T>
[[gnu::always_inline]] inline void sweep_motions(const TreeView& tree, const InverseProblem<T>& in,
                          const InversePointers<T>& ws) {
  const LinkMotion<T> world{zero<T>(), zero<T>(), in.base_acceleration};
  LinkMotion<T> B = world;  // of the link before
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    InverseScratch<T>& s = ws.links[i];
    if (link.parent != i - 1) {
      const InverseScratch<T>& parent = ws.links[link.parent < 0 ? 0 : link.parent];
      B = link.parent < 0 ? world : LinkMotion<T>{parent.w, parent.alpha, parent.a};
    }
    if (link.kind == LinkKind::revolute)
      B = moved(link, in, fixed_origin(link), ws.cosine[i], ws.sine[i], B);
    else if (has_axis(link))
      B = moved(link, in, origin_in_parent(link, in.q), ws.cosine[i], ws.sine[i], B);
    else
      B = moved(tree, link, in, B, ws.poses[link.frame]);

    const LinkNumbers<double>& x = link.x;
    const Sym3<double> I{x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz};
    const V3<double> h{x.hx, x.hy, x.hz};
    V3<T> n = I * B.alpha + cross(B.w, I * B.w) + cross(h, B.a);
    V3<T> f = x.mass * B.a + cross(B.alpha, h) + centripetal(B.w, h);
    if (in.body_forces) {
      const T* F = in.body_forces + 6 * i;
      n = n - V3<T>{F[0], F[1], F[2]};
      f = f - V3<T>{F[3], F[4], F[5]};
    }
    s.w = B.w;
    s.alpha = B.alpha;
    s.a = B.a;
    s.n = n;
    s.f = f;
  }
}

/// Inward: each joint carries what is outward of it.
template <class T>
[[gnu::always_inline]] inline void sweep_forces(const TreeView& tree, const InverseProblem<T>& in,
                         const InversePointers<T>& ws) {
  V3<T> n = zero<T>(), f = zero<T>();  // handed over by the link after
  for (int i = tree.n - 1; i >= 0; --i) {
    const Link& link = tree.links[i];
    InverseScratch<T>& s = ws.links[i];
    n = n + s.n;
    f = f + s.f;
    s.n = n;
    s.f = f;
    T* tau = in.tau + link.iv;
    const T c = ws.cosine[i], sn = ws.sine[i];
    if (link.kind == LinkKind::revolute) {
      tau[0] = n.z;
      push(link.x, link.plain, c, sn, link.x.d, n, f);
    } else if (link.kind == LinkKind::helical) {
      tau[0] = link.x.sigma * n.z + link.x.h * f.z;
      push(link.x, link.plain, c, sn, T(link.x.d + link.x.h * in.q[link.iq]), n, f);
    } else {
      tau[0] = n.x, tau[1] = n.y, tau[2] = n.z;
      if (link.kind == LinkKind::free) tau[3] = f.x, tau[4] = f.y, tau[5] = f.z;
      const PoseScratch<T>& x = ws.poses[link.frame];
      f = x.R * f;
      n = x.R * n + cross(x.p, f);
    }
    if (link.parent == i - 1) continue;
    if (link.parent >= 0) {
      InverseScratch<T>& parent = ws.links[link.parent];
      parent.n = parent.n + n;
      parent.f = parent.f + f;
    }
    n = f = zero<T>();
  }
}

template <class T>
[[gnu::always_inline]] inline void inverse_dynamics(const TreeView& tree, const InverseProblem<T>& in,
                             const InversePointers<T>& ws) {
  calc_angles(tree, in.q, ws.cosine, ws.sine);
  sweep_motions(tree, in, ws);
  sweep_forces(tree, in, ws);
}

}  // namespace
}  // namespace couplet::dynamics
