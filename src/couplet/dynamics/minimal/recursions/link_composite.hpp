// Mass matrix by composite rigid bodies in link axes: fewest operations for one state of a short
// chain, and what generated code is made from. [RBDA section 6.2]
//
// composite.hpp has the same algorithm in world axes, whose columns fill the lanes of packs. Here
// composites move inward by plane turns and shifts along axes, as articulated inertias do.
#pragma once

#include "couplet/dynamics/minimal/recursions/inverse.hpp"

namespace couplet::dynamics {
namespace {

/// Composite rigid body of a link and all that are outward of it, about its origin in its axes.
template <class T>
struct CompositeLink {
  T mass;
  V3<T> h;  // mass * centre of mass
  Sym3<T> I;
};

template <class T, class C>
inline void turn_z(const C& c, const C& s, CompositeLink<T>& B) {
  const C cs = c * s, ss = s * s;
  turn_pair(c, s, B.h.x, B.h.y);
  turn_block(cs, ss, B.I.xx, B.I.xy, B.I.yy);
  turn_pair(c, s, B.I.xz, B.I.yz);
}
template <class T, class C>
inline void turn_x(const C& c, const C& s, CompositeLink<T>& B) {
  const C cs = c * s, ss = s * s;
  turn_pair(c, s, B.h.y, B.h.z);
  turn_block(cs, ss, B.I.yy, B.I.yz, B.I.zz);
  turn_pair(c, s, B.I.xy, B.I.xz);
}

/// To an origin from which this one is at d on one axis:  I' = I + (2 p·h + m p²) 1 - p hᵀ - h pᵀ
/// - m p pᵀ,  h' = h + m p.
template <class T, class C>
inline void shift_z(const C& d, CompositeLink<T>& B) {
  const T md = B.mass * d, t = d * (B.h.z + B.h.z + md);
  B.I.xx += t, B.I.yy += t;
  B.I.xz -= d * B.h.x, B.I.yz -= d * B.h.y;
  B.h.z += md;
}
template <class T, class C>
inline void shift_x(const C& a, CompositeLink<T>& B) {
  const T ma = B.mass * a, t = a * (B.h.x + B.h.x + ma);
  B.I.yy += t, B.I.zz += t;
  B.I.xy -= a * B.h.y, B.I.xz -= a * B.h.z;
  B.h.x += ma;
}
template <class T, class C>
inline void shift_y(const C& e, CompositeLink<T>& B) {
  const T me = B.mass * e, t = e * (B.h.y + B.h.y + me);
  B.I.xx += t, B.I.zz += t;
  B.I.xy -= e * B.h.x, B.I.yz -= e * B.h.z;
  B.h.y += me;
}

/// To the parent of a link with an axis.
template <class T, class L>
inline void push(const L& link, const T* q, const T& c, const T& s, CompositeLink<T>& B) {
  const auto& x = link.x;
  turn_z(c, s, B);
  shift_z(T(link.kind == LinkKind::revolute ? T(x.d) : x.d + x.h * q[link.iq]), B);
  turn_x(T(x.cos_alpha), T(x.sin_alpha), B);
  shift_x(T(x.a), B);
  if (link.plain) return;
  shift_y(T(x.e), B);
  turn_z(T(x.cos_beta), T(x.sin_beta), B);
  shift_z(T(x.b), B);
}
/// To the parent of a quaternion link.
template <class T>
inline void push(const PoseScratch<T>& x, CompositeLink<T>& B) {
  B.h = x.R * B.h;
  B.I = rotated(x.R, B.I);
  shift_x(x.p.x, B), shift_y(x.p.y, B), shift_z(x.p.z, B);
}

/// What the link of a freedom feels of a unit rate: the angular and linear part of its axis.
template <class T, class L>
inline void motion_axis(const L& link, int k, V3<T>& w, V3<T>& v) {
  w = v = zero<T>();
  if (has_axis(link)) {
    w.z = T(link.x.sigma), v.z = T(link.x.h);
    return;
  }
  V3<T>& part = k < 3 ? w : v;
  (k % 3 == 0 ? part.x : k % 3 == 1 ? part.y : part.z) = T(1.0);
}

/// M(row, col) for col <= row at M[row * nv + col]; what is not coupled is zero. The angles and the
/// poses are those that inverse dynamics has left in `ws`.
template <class T, class L>
void composite_mass_matrix(const Tree<L>& tree, int nv, const T* q, const InversePointers<T>& ws,
                           CompositeLink<T>* composites, T* M) {
  for (int i = 0; i < nv * nv; ++i) M[i] = T{};
  for (int i = 0; i < tree.n; ++i) {
    const auto& x = tree.links[i].x;
    composites[i] = {T(x.mass),
                     {T(x.hx), T(x.hy), T(x.hz)},
                     {T(x.Ixx), T(x.Ixy), T(x.Ixz), T(x.Iyy), T(x.Iyz), T(x.Izz)}};
  }
  for (int i = tree.n - 1; i >= 0; --i) {
    const L& link = tree.links[i];
    const CompositeLink<T>& B = composites[i];
    for (int k = freedoms(link) - 1; k >= 0; --k) {
      // The force that a unit acceleration of this freedom takes, …
      V3<T> w, v;
      motion_axis(link, k, w, v);
      V3<T> n = B.I * w + cross(B.h, v), f = B.mass * v + cross(w, B.h);
      for (int j = k; j >= 0; --j) {
        motion_axis(link, j, w, v);
        M[(link.iv + k) * nv + link.iv + j] = dot(n, w) + dot(f, v);
      }
      // … as all joints inward of it feel it.
      for (int j = i; tree.links[j].parent >= 0;) {
        const L& child = tree.links[j];
        if (has_axis(child)) {
          push(child.x, child.plain, ws.cosine[j], ws.sine[j], origin_in_parent(child, q), n, f);
        } else {
          const PoseScratch<T>& pose = ws.poses[child.frame];
          f = pose.R * f;
          n = pose.R * n + cross(pose.p, f);
        }
        j = child.parent;
        const L& carrier = tree.links[j];
        for (int c = 0; c < freedoms(carrier); ++c) {
          motion_axis(carrier, c, w, v);
          M[(link.iv + k) * nv + carrier.iv + c] = dot(n, w) + dot(f, v);
        }
      }
    }
    if (link.parent < 0) continue;
    CompositeLink<T> moved = B;
    if (has_axis(link))
      push(link, q, ws.cosine[i], ws.sine[i], moved);
    else
      push(ws.poses[link.frame], moved);
    CompositeLink<T>& P = composites[link.parent];
    P.mass += moved.mass;
    P.h = P.h + moved.h;
    add(moved.I, P.I);
  }
}

/// M = Lᵀ D L from the tips inward, in place: L below the diagonal, 1/D on it. Freedoms that do not
/// carry each other stay zero. [RBDA section 6.5]
template <class T>
void factor_inward(int n, T* M) {
  for (int k = n - 1; k >= 0; --k) {
    const T D_inv = 1.0 / M[k * n + k];
    for (int i = k - 1; i >= 0; --i) {
      const T l = M[k * n + i] * D_inv;
      for (int j = i; j >= 0; --j) M[i * n + j] -= l * M[k * n + j];
      M[k * n + i] = l;
    }
    M[k * n + k] = D_inv;
  }
}
/// x ← M⁻¹ x
template <class T>
void solve_inward(int n, const T* M, T* x) {
  for (int k = n - 1; k >= 0; --k)
    for (int i = k - 1; i >= 0; --i) x[i] -= M[k * n + i] * x[k];
  for (int k = 0; k < n; ++k) x[k] = x[k] * M[k * n + k];
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < k; ++i) x[k] -= M[k * n + i] * x[i];
}

}  // namespace
}  // namespace couplet::dynamics
