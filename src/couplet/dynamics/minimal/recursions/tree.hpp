// The compiled tree as the recursions see it, and the scratch of one evaluation.
#pragma once

#include "couplet/dynamics/minimal/recursions/link_steps.hpp"
#include "couplet/dynamics/minimal/recursions/sincos.hpp"
#include "couplet/dynamics/minimal/workspace.hpp"

namespace couplet::dynamics {
namespace {

using model::Link;
using model::LinkKind;

[[gnu::always_inline]] inline bool has_axis(const Link& link) {
  return link.kind <= LinkKind::helical;
}

[[gnu::always_inline]] inline int freedoms(const Link& link) {
  return has_axis(link) ? 1 : link.kind == LinkKind::spherical ? 3 : 6;
}

template <class T>
[[gnu::always_inline]] inline V3<T> zero() {
  return {T{}, T{}, T{}};
}

/// All links one by one.
struct NoLimbs {
  Run all;
  const Run* runs = &all;
  int run_count = 1;
  NoLimbs(const auto& tree, const LimbView&, const double*) : all{0, tree.n} {}
  void sweep_velocities(const auto&, const auto&) const {}
  void sweep_inertias(const auto&, const auto&) const {}
  void sweep_accelerations(const auto&, const auto&) const {}
  void sweep_motions(const auto&, const auto&) const {}
  void sweep_forces(const auto&, const auto&) const {}
};

/// Cosines and sines of all joint angles; for quaternion links σ and θ0 are zero.
template <class T, class L>
[[gnu::always_inline]] inline void calc_angles(const Tree<L>& tree, const T* q, T* cosine,
                                               T* sine) {
  const auto angle = [&](int i) {
    const L& link = tree.links[i];
    return link.x.theta0 + link.x.sigma * q[link.iq];
  };
  calc_sincos(tree.n, angle, cosine, sine);
}

/// Pose of a quaternion link in its parent: X_PB = X_PF X_FM(q).
template <class T, class L>
[[gnu::always_inline]] inline void calc_quaternion_pose(const Tree<L>& tree, const L& link,
                                                        const T* q, Mat3x3<T>& R, V3<T>& p) {
  const auto& [F, o] = tree.frames[link.frame];
  const Mat3x3<std::remove_cvref_t<decltype(F[0])>> R_PF{F[0], F[1], F[2], F[3], F[4],
                                                         F[5], F[6], F[7], F[8]};
  R = R_PF * quaternion_matrix(q + link.iq);
  p = {T(o[0]), T(o[1]), T(o[2])};
  if (link.kind == LinkKind::free)
    p = p + R_PF * V3<T>{q[link.iq + 4], q[link.iq + 5], q[link.iq + 6]};
}

/// Origin of a link with an axis in its parent's axes.
template <class T, class L>
[[gnu::always_inline]] inline V3<T> origin_in_parent(const L& link, const T* q) {
  const auto& x = link.x;
  if (link.kind == LinkKind::revolute) return {T(x.px), T(x.py), T(x.pz)};
  const T slide = x.h * q[link.iq];
  return {x.px + slide * (x.sin_beta * x.sin_alpha), x.py - slide * (x.cos_beta * x.sin_alpha),
          x.pz + slide * x.cos_alpha};
}

}  // namespace
}  // namespace couplet::dynamics
