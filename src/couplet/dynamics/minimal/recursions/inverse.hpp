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

/// Motion of a quaternion link.
template <class T>
inline void move_quaternion(const TreeView& tree, const Link& link, const InverseProblem<T>& in,
                            const V3<T>& w_P, const V3<T>& alpha_P, const V3<T>& a_P,
                            QuaternionScratch<T>& x, InverseScratch<T>& s) {
  calc_quaternion_pose(tree, link, in.q, x.R, x.p);
  const T *v = in.v + link.iv, *vdot = in.vdot + link.iv;
  const V3<T> rate{v[0], v[1], v[2]};
  s.w = transposed_times(x.R, w_P) + rate;
  s.alpha = transposed_times(x.R, alpha_P) + cross(s.w, rate) + V3<T>{vdot[0], vdot[1], vdot[2]};
  s.a = transposed_times(x.R, a_P + cross(alpha_P, x.p) + centripetal(w_P, x.p));
  if (link.kind == LinkKind::free)
    s.a = s.a + cross(s.w + (s.w - rate), V3<T>{v[3], v[4], v[5]}) +
          V3<T>{vdot[3], vdot[4], vdot[5]};
}

/// Motion of a link with an axis. p: its origin in the parent's axes.
template <class T, class P>
inline void move_axis(const Link& link, const InverseProblem<T>& in, const V3<P>& p, const T& c,
                      const T& sn, const V3<T>& w_P, const V3<T>& alpha_P, const V3<T>& a_P,
                      InverseScratch<T>& s) {
  s.w = w_P;
  s.alpha = alpha_P;
  s.a = a_P + cross(alpha_P, p) + centripetal(w_P, p);
  pull(link.x, link.plain, c, sn, s.w);
  pull(link.x, link.plain, c, sn, s.alpha);
  pull(link.x, link.plain, c, sn, s.a);
  const T rate = in.v[link.iv], vdot = in.vdot[link.iv];
  const T cx = s.w.y * rate, cy = -s.w.x * rate;
  if (link.kind == LinkKind::revolute) {
    s.alpha.x += cx;
    s.alpha.y += cy;
    s.alpha.z += vdot;
    s.w.z += rate;
  } else {
    const double sigma = link.x.sigma, h = link.x.h;
    s.alpha.x += sigma * cx;
    s.alpha.y += sigma * cy;
    s.alpha.z += sigma * vdot;
    s.a.x += 2.0 * h * cx;
    s.a.y += 2.0 * h * cy;
    s.a.z += h * vdot;
    s.w.z += sigma * rate;
  }
}

/// Force that the motion of the link itself takes.
template <class T>
inline void set_inertial_force(const LinkNumbers<double>& x, InverseScratch<T>& s) {
  const Sym3<double> I{x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz};
  const V3<double> h{x.hx, x.hy, x.hz};
  s.n = I * s.alpha + cross(s.w, I * s.w) + cross(h, s.a);
  s.f = x.mass * s.a + cross(s.alpha, h) + centripetal(s.w, h);
}

template <class T>
inline void inverse_dynamics(const TreeView& tree, const InverseProblem<T>& in,
                             const InversePointers<T>& ws) {
  calc_angles(tree, in.q, ws.angle, ws.cosine, ws.sine);
  const T *cosine = ws.cosine, *sine = ws.sine;
  InverseScratch<T>* scratch = ws.links;
  QuaternionScratch<T>* quaternions = ws.quaternions;
  const T zero{};
  const V3<T> none{zero, zero, zero};

  // Outward: motions and the forces they take.
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    InverseScratch<T>& s = scratch[i];
    const bool root = link.parent < 0;
    const V3<T> w_P = root ? none : scratch[link.parent].w;
    const V3<T> alpha_P = root ? none : scratch[link.parent].alpha;
    const V3<T> a_P = root ? in.base_acceleration : scratch[link.parent].a;
    if (link.kind == LinkKind::revolute)
      move_axis(link, in, V3<double>{link.x.px, link.x.py, link.x.pz}, cosine[i], sine[i], w_P,
                alpha_P, a_P, s);
    else if (has_axis(link))
      move_axis(link, in, origin_in_parent(link, in.q), cosine[i], sine[i], w_P, alpha_P, a_P, s);
    else
      move_quaternion(tree, link, in, w_P, alpha_P, a_P, quaternions[link.frame], s);
    set_inertial_force(link.x, s);
    if (in.body_forces) {
      const T* F = in.body_forces + 6 * i;
      s.n = s.n - V3<T>{F[0], F[1], F[2]};
      s.f = s.f - V3<T>{F[3], F[4], F[5]};
    }
  }

  // Inward: each joint carries what is outward of it.
  for (int i = tree.n - 1; i >= 0; --i) {
    const Link& link = tree.links[i];
    const InverseScratch<T>& s = scratch[i];
    V3<T> n = s.n, f = s.f;
    T* tau = in.tau + link.iv;
    if (link.kind == LinkKind::revolute) {
      tau[0] = n.z;
      if (link.parent < 0) continue;
      push(link.x, link.plain, cosine[i], sine[i], link.x.d, n, f);
    } else if (link.kind == LinkKind::helical) {
      tau[0] = link.x.sigma * n.z + link.x.h * f.z;
      if (link.parent < 0) continue;
      push(link.x, link.plain, cosine[i], sine[i], T(link.x.d + link.x.h * in.q[link.iq]), n, f);
    } else {
      tau[0] = n.x, tau[1] = n.y, tau[2] = n.z;
      if (link.kind == LinkKind::free) tau[3] = f.x, tau[4] = f.y, tau[5] = f.z;
      if (link.parent < 0) continue;
      const QuaternionScratch<T>& x = quaternions[link.frame];
      f = x.R * f;
      n = x.R * n + cross(x.p, f);
    }
    InverseScratch<T>& parent = scratch[link.parent];
    parent.n = parent.n + n;
    parent.f = parent.f + f;
  }
}

}  // namespace
}  // namespace couplet::dynamics
