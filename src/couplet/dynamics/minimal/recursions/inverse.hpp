// Inverse dynamics in O(n): the recursive Newton-Euler algorithm.  [RBDA section 5.3]
#pragma once

#include "couplet/dynamics/minimal/recursions/forward_steps.hpp"
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

/// How the acceleration of points grows with their distance r from the origin: a + Ω r, with
/// Ω r = α × r + w × (w × r). The products of w serve the torque, too.
template <class T>
struct Gradient {
  T xx, yy, zz;  // squares of w
  T yz, zx, xy;  // products of w
  Mat3x3<T> omega;

  [[gnu::always_inline]] Gradient(const V3<T>& w, const V3<T>& alpha)
      : xx(w.x * w.x), yy(w.y * w.y), zz(w.z * w.z), yz(w.y * w.z), zx(w.z * w.x), xy(w.x * w.y),
        omega{-(yy + zz),   xy - alpha.z, zx + alpha.y,
              xy + alpha.z, -(zz + xx),   yz - alpha.x,
              zx - alpha.y, yz + alpha.x, -(xx + yy)} {}

  /// I α + w × I w
  [[gnu::always_inline]] V3<T> torque(const Sym3<double>& I, const V3<T>& alpha) const {
    return {(I.zz - I.yy) * yz + I.xx * alpha.x - I.xy * omega.zx + I.xz * omega.yx + I.yz * (yy - zz),
            (I.xx - I.zz) * zx + I.yy * alpha.y - I.yz * omega.xy + I.xy * omega.zy + I.xz * (zz - xx),
            (I.yy - I.xx) * xy + I.zz * alpha.z - I.xz * omega.yz + I.yz * omega.xz + I.xy * (xx - yy)};
  }
};

/// b + A r, with b first: everything after it is a fused multiply-add.
template <class T, class S>
[[gnu::always_inline]] inline V3<T> plus_product(const V3<T>& b, const Mat3x3<T>& A, const V3<S>& r) {
  return {b.x + A.xx * r.x + A.xy * r.y + A.xz * r.z, b.y + A.yx * r.x + A.yy * r.y + A.yz * r.z,
          b.z + A.zx * r.x + A.zy * r.y + A.zz * r.z};
}
/// Motion of a link with an axis, from the motion of its parent and the acceleration of its origin,
/// both in the parent's axes.
template <class T>
[[gnu::always_inline]] inline LinkMotion<T> moved(const Link& link, const InverseProblem<T>& in, const T& c, const T& s,
                                                  const LinkMotion<T>& P) {
  const bool plain = link.plain;
  LinkMotion<T> B{pulled(link.x, plain, c, s, P.w), pulled(link.x, plain, c, s, P.alpha),
                  pulled(link.x, plain, c, s, P.a)};
  const T rate = in.v[link.iv], vdot = in.vdot[link.iv];
  if (link.kind == LinkKind::revolute) {
    B.alpha = {B.alpha.x + B.w.y * rate, B.alpha.y - B.w.x * rate, B.alpha.z + vdot};
    B.w.z += rate;
  } else {
    const T cx = B.w.y * rate, cy = -B.w.x * rate;
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
  LinkMotion<T> B = world;           // of the link before
  Gradient<T> g(world.w, world.alpha);
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    InverseScratch<T>& s = ws.links[i];
    if (link.parent != i - 1) {
      B = link.parent < 0 ? world : ws.branches[tree.links[link.parent].branch];
      g = Gradient<T>(B.w, B.alpha);
    }
    if (link.kind == LinkKind::revolute) {
      B.a = plus_product(B.a, g.omega, fixed_origin(link));
      B = moved(link, in, ws.cosine[i], ws.sine[i], B);
    } else if (has_axis(link)) {
      B.a = plus_product(B.a, g.omega, origin_in_parent(link, in.q));
      B = moved(link, in, ws.cosine[i], ws.sine[i], B);
    } else {
      B = moved(tree, link, in, B, ws.poses[link.frame]);
    }
    g = Gradient<T>(B.w, B.alpha);
    if (link.branch >= 0) ws.branches[link.branch] = B;

    const LinkNumbers<double>& x = link.x;
    const V3<double> h{x.hx, x.hy, x.hz};
    const Sym3<double> I{x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz};
    V3<T> n = plus_cross(g.torque(I, B.alpha), h, B.a);
    V3<T> f = plus_product(x.mass * B.a, g.omega, h);
    if (in.body_forces) {
      const T* F = in.body_forces + 6 * i;
      n = n - V3<T>{F[0], F[1], F[2]};
      f = f - V3<T>{F[3], F[4], F[5]};
    }
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
