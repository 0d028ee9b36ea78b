// Inverse dynamics in O(n): the recursive Newton-Euler algorithm.  [RBDA section 5.3]
#pragma once

#include "couplet/dynamics/minimal/recursions/inverse_steps.hpp"
#include "couplet/dynamics/minimal/recursions/tree.hpp"

namespace couplet::dynamics {
namespace {

/// Motion of a quaternion link from that of its parent.
template <class T, class L>
[[gnu::always_inline]] inline LinkMotion<T> moved(const Tree<L>& tree, const L& link,
                                                  const InverseProblem<T>& in,
                                                  const LinkMotion<T>& P, PoseScratch<T>& x) {
  calc_quaternion_pose(tree, link, in.q, x.R, x.p);
  const T *v = in.v + link.iv, *vdot = in.vdot + link.iv;
  const V3<T> rate{v[0], v[1], v[2]};
  LinkMotion<T> B;
  B.w = transposed_times(x.R, P.w) + rate;
  B.alpha = transposed_times(x.R, P.alpha) + cross(B.w, rate) + V3<T>{vdot[0], vdot[1], vdot[2]};
  B.a = transposed_times(x.R, P.a + cross(P.alpha, x.p) + centripetal(P.w, x.p));
  if (link.kind == LinkKind::free)
    B.a =
        B.a + cross(B.w + (B.w - rate), V3<T>{v[3], v[4], v[5]}) + V3<T>{vdot[3], vdot[4], vdot[5]};
  return B;
}

/// Motion of a link with an axis in general.
template <class T, class L>
[[gnu::always_inline]] inline LinkMotion<T> moved(const L& link, const InverseProblem<T>& in,
                                                  const T& c, const T& s, const Gradient<T>& g,
                                                  const LinkMotion<T>& P) {
  const bool plain = link.plain;
  LinkMotion<T> B{
      pulled(link.x, plain, c, s, P.w), pulled(link.x, plain, c, s, P.alpha),
      pulled(link.x, plain, c, s, plus_product(P.a, g.omega, origin_in_parent(link, in.q)))};
  const auto sigma = link.x.sigma, h = link.x.h;
  const T rate = in.v[link.iv], vdot = in.vdot[link.iv];
  const T cx = B.w.y * rate, cy = -(B.w.x * rate);
  B.alpha = B.alpha + sigma * V3<T>{cx, cy, vdot};
  B.a = B.a + h * V3<T>{2.0 * cx, 2.0 * cy, vdot};
  B.w.z += sigma * rate;
  return B;
}

/// Outward: motions, and the forces that they take. A run of links; simple ones in a loop of their
/// own.
template <class T, class L>
[[gnu::noinline]] void sweep_motions(const Tree<L>& tree, const Run& run,
                                     const InverseProblem<T>& in, const InversePointers<T>& ws) {
  const L* const links = tree.links;  // these stay in registers
  const T *const cosine = ws.cosine, *const sine = ws.sine, *const v = in.v, *const vdot = in.vdot;
  InverseScratch<T>* const scratch = ws.links;
  const int end = run.end;
  const LinkMotion<T> world{zero<T>(), zero<T>(), in.base_acceleration};
  LinkMotion<T> B = world;  // of the link before
  Gradient<T> g(B.w, B.alpha);
  for (int i = run.begin; i < end; ++i) {
    for (; i < end && links[i].simple; ++i) {
      const int iv = links[i].iv;
      step_motion(links[i].x, true, cosine[i], sine[i], v[iv], vdot[iv], g, B);
      g = Gradient<T>(B.w, B.alpha);
      scratch[i] = force_of_motion(links[i].x, g, B);
    }
    if (i == end) break;

    const L& link = tree.links[i];
    const T c = ws.cosine[i], s = ws.sine[i];
    if (link.parent != i - 1) {
      B = link.parent < 0 ? world : ws.branches[tree.links[link.parent].branch];
      g = Gradient<T>(B.w, B.alpha);
    }
    if (link.kind == LinkKind::revolute && link.parent < 0)
      B = {{T{}, T{}, in.v[link.iv]},
           {T{}, T{}, in.vdot[link.iv]},
           pulled(link.x, link.plain, c, s, B.a)};
    else if (link.kind == LinkKind::revolute)
      step_motion(link.x, link.plain, c, s, in.v[link.iv], in.vdot[link.iv], g, B);
    else if (has_axis(link))
      B = moved(link, in, c, s, g, B);
    else
      B = moved(tree, link, in, B, ws.poses[link.frame]);
    g = Gradient<T>(B.w, B.alpha);
    ws.links[i] = force_of_motion(link.x, g, B);
    if (link.branch >= 0) ws.branches[link.branch] = B;
  }
}

template <class T, class L>
inline void subtract_body_forces(const Tree<L>& tree, const T* F, const InversePointers<T>& ws) {
  for (int i = 0; i < tree.n; ++i, F += 6) {
    ws.links[i].n = ws.links[i].n - V3<T>{F[0], F[1], F[2]};
    ws.links[i].f = ws.links[i].f - V3<T>{F[3], F[4], F[5]};
  }
}

/// Inward: each joint carries what is outward of it.
template <class T, class L>
[[gnu::noinline]] void sweep_forces(const Tree<L>& tree, const Run& run,
                                    const InverseProblem<T>& in, const InversePointers<T>& ws) {
  const L* const links = tree.links;
  const T *const cosine = ws.cosine, *const sine = ws.sine;
  InverseScratch<T>* const scratch = ws.links;
  T* const torque = in.tau;
  const int begin = run.begin;
  V3<T> n = zero<T>(), f = zero<T>();  // handed over by the link after
  for (int i = run.end - 1; i >= begin; --i) {
    for (; i >= begin && links[i].simple; --i) {
      scratch[i].n = n = n + scratch[i].n;
      scratch[i].f = f = f + scratch[i].f;
      torque[links[i].iv] = n.z;
      push(links[i].x, true, cosine[i], sine[i], origin(links[i].x), n, f);
    }
    if (i < begin) break;

    const L& link = tree.links[i];
    InverseScratch<T>& s = ws.links[i];
    s.n = n = n + s.n;
    s.f = f = f + s.f;
    T* tau = in.tau + link.iv;
    const T c = ws.cosine[i], sn = ws.sine[i];
    if (link.kind == LinkKind::revolute) {
      tau[0] = n.z;
      if (link.parent >= 0) push(link.x, link.plain, c, sn, origin(link.x), n, f);
    } else if (link.kind == LinkKind::helical) {
      tau[0] = link.x.sigma * n.z + link.x.h * f.z;
      push(link.x, link.plain, c, sn, origin_in_parent(link, in.q), n, f);
    } else {
      tau[0] = n.x, tau[1] = n.y, tau[2] = n.z;
      if (link.kind == LinkKind::free) tau[3] = f.x, tau[4] = f.y, tau[5] = f.z;
      const PoseScratch<T>& x = ws.poses[link.frame];
      f = x.R * f;
      n = x.R * n + cross(x.p, f);
    }
    if (link.parent >= 0 && link.parent == i - 1) continue;
    if (link.parent >= 0) {
      InverseScratch<T>& parent = ws.links[link.parent];
      parent.n = parent.n + n;
      parent.f = parent.f + f;
    }
    n = f = zero<T>();
  }
}

/// `limbs` says which runs of links go one by one, and sweeps over the others (limbs.hpp).
template <class T, class Limbs, class L>
[[gnu::always_inline]] inline void inverse_dynamics(const Tree<L>& tree,
                                                    const InverseProblem<T>& in,
                                                    const InversePointers<T>& ws,
                                                    const Limbs& limbs) {
  calc_angles(tree, in.q, ws.cosine, ws.sine);
  for (int r = 0; r < limbs.run_count; ++r) sweep_motions(tree, limbs.runs[r], in, ws);
  limbs.sweep_motions(in, ws);
  if (in.body_forces) subtract_body_forces(tree, in.body_forces, ws);
  limbs.sweep_forces(in, ws);
  for (int r = limbs.run_count - 1; r >= 0; --r) sweep_forces(tree, limbs.runs[r], in, ws);
}

}  // namespace
}  // namespace couplet::dynamics
