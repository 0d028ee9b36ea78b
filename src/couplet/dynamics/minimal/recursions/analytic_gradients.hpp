// Derivatives of inverse dynamics in closed form, and those of forward dynamics from them.
// [S. Singh, R. P. Russell, P. M. Wensing, IEEE Robotics Autom. Lett. 7(2), 2022]
//
// All spatial vectors are in world axes about one fixed point near the mechanism. With λ the link
// before, C what is composed of a link and all outward of it, and j a freedom that carries i:
//   ψ' = V_λ × S,  ψ" = A_λ × S + V_λ × ψ',  S' = V × S,  B = ½ (V×* I - I V× + (I V) ×̄*)
//   ∂τ_i/∂q_j = S_iᵀ (2 B_C ψ'_j + I_C ψ"_j)     ∂τ_i/∂v_j = S_iᵀ (2 B_C S_j + I_C (ψ' + S')_j)
//   ∂τ_j/∂q_i = S_jᵀ (2 B_C ψ'_i + I_C ψ"_i + S_i ×* f_C)     (j on another link than i)
//   ∂τ_j/∂v_i = S_jᵀ (2 B_C S_i + I_C (ψ' + S')_i)
// For a rigid body with momentum (n; p) most of B vanishes:
//   2 B = [E - n×, 0; -2 p×, 0],   E = w× I + (w× I)ᵀ - h vᵀ - v hᵀ + 2 (v·h) 1
// The freedoms that carry i are neighbours in memory, several in each pack.
#pragma once

#include "couplet/dynamics/minimal/gradients.hpp"
#include "couplet/dynamics/minimal/recursions/carver.hpp"
#include "couplet/dynamics/minimal/recursions/composite.hpp"
#include "couplet/dynamics/minimal/recursions/link_composite.hpp"

namespace couplet::dynamics {
namespace {

struct Spatial {
  V3<double> w, v;  // angular and linear part; of forces: torque and force
};
inline Spatial operator+(const Spatial& a, const Spatial& b) { return {a.w + b.w, a.v + b.v}; }
inline Spatial operator*(double s, const Spatial& a) { return {s * a.w, s * a.v}; }
/// V × S
inline Spatial cross(const Spatial& V, const Spatial& S) {
  return {cross(V.w, S.w), cross(V.w, S.v) + cross(V.v, S.w)};
}
/// V ×* F
inline Spatial cross_force(const Spatial& V, const Spatial& F) {
  return {cross(V.w, F.w) + cross(V.v, F.v), cross(V.w, F.v)};
}

/// A rigid body, or what is composed of several.
struct GradientBody {
  double mass;
  V3<double> h;
  Sym3<double> I, E;
  Spatial momentum, force;

  Spatial times_inertia(const Spatial& S) const {
    return {I * S.w + cross(h, S.v), mass * S.v + cross(S.w, h)};
  }
  Spatial times_2b(const Spatial& S) const {
    return {E * S.w - cross(momentum.w, S.w), 2.0 * cross(S.w, momentum.v)};
  }
  V3<double> angular_2b_transposed_times(const Spatial& S) const {  // its linear part is zero
    return E * S.w + cross(momentum.w, S.w) + 2.0 * cross(momentum.v, S.v);
  }
  void add(const GradientBody& b) {
    mass += b.mass;
    h = h + b.h;
    dynamics::add(b.I, I), dynamics::add(b.E, E);
    momentum = momentum + b.momentum, force = force + b.force;
  }
};

inline GradientBody gradient_body(double mass, const Composite<double>& x, const Spatial& V,
                                  const Spatial& A) {
  GradientBody B{mass, x.h, x.I, {}, {}, {}};
  const V3<double> a = cross(V.w, V3<double>{x.I.xx, x.I.xy, x.I.xz}),
                   b = cross(V.w, V3<double>{x.I.xy, x.I.yy, x.I.yz}),
                   c = cross(V.w, V3<double>{x.I.xz, x.I.yz, x.I.zz});  // columns of w× I
  const V3<double>&h = x.h, &v = V.v;
  const double twice = 2 * dot(v, h);
  B.E = {2 * a.x - 2 * h.x * v.x + twice,   a.y + b.x - h.x * v.y - v.x * h.y,
         a.z + c.x - h.x * v.z - v.x * h.z, 2 * b.y - 2 * h.y * v.y + twice,
         b.z + c.y - h.y * v.z - v.y * h.z, 2 * c.z - 2 * h.z * v.z + twice};
  B.momentum = B.times_inertia(V);
  B.force = B.times_inertia(A) + cross_force(V, B.momentum);
  return B;
}

/// Six numbers of each freedom, one array each.
struct Rows {
  double* row[6];
  void set(int k, const Spatial& S) const {
    row[0][k] = S.w.x, row[1][k] = S.w.y, row[2][k] = S.w.z;
    row[3][k] = S.v.x, row[4][k] = S.v.y, row[5][k] = S.v.z;
  }
  Spatial at(int k) const {
    return {{row[0][k], row[1][k], row[2][k]}, {row[3][k], row[4][k], row[5][k]}};
  }
  template <class P>
  [[gnu::always_inline]] P angular(const V3<double>& F, int k) const {
    return F.x * load<P>(row[0] + k) + F.y * load<P>(row[1] + k) + F.z * load<P>(row[2] + k);
  }
  template <class P>
  [[gnu::always_inline]] P power(const Spatial& F, int k) const {
    return angular<P>(F.w, k) + F.v.x * load<P>(row[3] + k) + F.v.y * load<P>(row[4] + k) +
           F.v.z * load<P>(row[5] + k);
  }
};

/// Everything that the second half needs, and its results: rows of (∂τ/∂q, ∂τ/∂v, …), and M.
struct GradientArrays {
  int stride, padded;  // of X and M
  Rows S, psi1, psi2, sum;
  double *X, *M;
  int* before;  // the freedom that carries this one next, -1: none
};

/// The lanes of freedoms [k, k + lanes) that carry freedom i.
template <class P>
[[gnu::always_inline]] inline void fill_pairs(const GradientArrays& a, int nv, int i, int k,
                                              const V3<double>& t1, const Spatial& t2,
                                              const Spatial& uq, const Spatial& uv) {
  double* const row = a.X + static_cast<long>(i) * a.stride;
  store(P(a.psi1.angular<P>(t1, k) + a.psi2.power<P>(t2, k)), row + k);
  store(P(a.S.angular<P>(t1, k) + a.sum.power<P>(t2, k)), row + nv + k);
  store(P(a.S.power<P>(t2, k)), a.M + static_cast<long>(i) * a.padded + k);
  double by_q[lanes<P>], by_v[lanes<P>];
  store(P(a.S.power<P>(uq, k)), by_q), store(P(a.S.power<P>(uv, k)), by_v);
  for (int l = 0; l < lanes<P>; ++l) {
    double* const column = a.X + static_cast<long>(k + l) * a.stride + i;
    column[0] = by_q[l];
    column[nv] = by_v[l];
  }
}

template <class P>
void fill_freedom(const GradientArrays& a, int nv, int i, int own_first, const GradientBody& B) {
  const Spatial S = a.S.at(i), psi1 = a.psi1.at(i);
  const V3<double> t1 = B.angular_2b_transposed_times(S);
  const Spatial t2 = B.times_inertia(S);
  const Spatial at_rest = B.times_2b(psi1) + B.times_inertia(a.psi2.at(i));
  const Spatial uv = B.times_2b(S) + B.times_inertia(a.sum.at(i));
  const Spatial uq = at_rest + cross_force(S, B.force);
  for (int k = i; k >= own_first; --k)  // freedoms of the same joint turn with each other
    fill_pairs<double>(a, nv, i, k, t1, t2, at_rest, uv);
  for (int last = a.before[own_first]; last >= 0;) {  // runs of neighbours
    int first = last;
    while (a.before[first] == first - 1 && first > 0) --first;
    int k = first;
    for (; k + lanes<P> <= last + 1; k += lanes<P>) fill_pairs<P>(a, nv, i, k, t1, t2, uq, uv);
    for (; k <= last; ++k) fill_pairs<double>(a, nv, i, k, t1, t2, uq, uv);
    last = a.before[first];
  }
}

/// X[to] -= factor X[from], for whole rows.
template <class P>
[[gnu::always_inline]] inline void subtract_row(double factor, const double* from, double* to,
                                                int n) {
  const P f(factor);
  for (int k = 0; k < n; k += lanes<P>) store(P(load<P>(to + k) - f * load<P>(from + k)), to + k);
}

/// X ← M⁻¹ X with M = Lᵀ D L, along the tree only. [RBDA section 6.5]
template <class P>
void solve_rows(const GradientArrays& a, int nv) {
  double* const M = a.M;
  const long w = a.padded, stride = a.stride;
  const int* const before = a.before;
  for (int k = nv - 1; k >= 0; --k) {
    const double D_inv = 1 / M[k * w + k];
    for (int i = before[k]; i >= 0; i = before[i]) {
      const double l = M[k * w + i] * D_inv;
      for (int j = i; j >= 0; j = before[j]) M[i * w + j] -= l * M[k * w + j];
      M[k * w + i] = l;
      subtract_row<P>(l, a.X + k * stride, a.X + i * stride, a.stride);
    }
    M[k * w + k] = D_inv;
  }
  for (int k = 0; k < nv; ++k) {
    double* const row = a.X + k * stride;
    const P D_inv(M[k * w + k]);
    for (int c = 0; c < a.stride; c += lanes<P>) store(P(D_inv * load<P>(row + c)), row + c);
    for (int i = before[k]; i >= 0; i = before[i])
      subtract_row<P>(M[k * w + i], a.X + i * stride, row, a.stride);
  }
}

/// Outward: motions of links and freedoms; inward: what they make of τ.
template <class P>
void fill_gradients(const TreeView& tree, int nv, const V3<double>& base, const GradientProblem& in,
                    const GradientArrays& a, double* cosine, double* sine,
                    MovingFrame<V3<double>>* frames, Spatial* V, Spatial* A, GradientBody* bodies) {
  calc_angles(tree, in.q, cosine, sine);
  const Spatial still{{0, 0, 0}, {0, 0, 0}}, up{{0, 0, 0}, base};
  V3<double> origin{0, 0, 0};
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    const int P_ = link.parent;
    MovingFrame<V3<double>>& B = frames[i];
    B = P_ < 0 ? MovingFrame<V3<double>>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}} : frames[P_];
    advance(tree, link, in.q, cosine[i], sine[i], B);
    if (i == 0) origin = B.p;
    const V3<double> p = B.p - origin;
    const Spatial &V_P = P_ < 0 ? still : V[P_], &A_P = P_ < 0 ? up : A[P_];
    Spatial rate = still, push = still;
    const int n = freedoms(link);
    for (int k = 0; k < n; ++k) {
      V3<double> w, v;
      motion_axis(link, k, w, v);
      const V3<double> axis = along(B, w.x, w.y, w.z);
      const Spatial S{axis, cross(p, axis) + along(B, v.x, v.y, v.z)};
      const Spatial psi1 = cross(V_P, S);
      const int f = link.iv + k;
      a.S.set(f, S), a.psi1.set(f, psi1);
      a.psi2.set(f, cross(A_P, S) + cross(V_P, psi1));
      rate = rate + in.v[f] * S;
      push = push + in.vdot[f] * S;
      a.before[f] = k > 0 ? f - 1 : P_ < 0 ? -1 : tree.links[P_].iv + freedoms(tree.links[P_]) - 1;
    }
    V[i] = V_P + rate;
    A[i] = A_P + push + cross(V[i], rate);
    for (int k = 0; k < n; ++k) {
      const int f = link.iv + k;
      a.sum.set(f, a.psi1.at(f) + cross(V[i], a.S.at(f)));
    }
    const auto& x = link.x;
    const Mat3x3<double> R{B.x.x, B.y.x, B.z.x, B.x.y, B.y.y, B.z.y, B.x.z, B.y.z, B.z.z};
    const Composite<double> body = in_world(R, p, x.mass, V3<double>{x.hx, x.hy, x.hz},
                                            Sym3<double>{x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz});
    bodies[i] = gradient_body(x.mass, body, V[i], A[i]);
  }
  for (int i = tree.n - 1; i >= 0; --i) {
    const Link& link = tree.links[i];
    for (int k = link.iv + freedoms(link) - 1; k >= link.iv; --k)
      fill_freedom<P>(a, nv, k, link.iv, bodies[i]);
    if (link.parent >= 0) bodies[link.parent].add(bodies[i]);
  }
}

template <class P>
void run_gradients(const TreeView& tree, int nv, const V3<double>& base, const GradientProblem& in,
                   double* scratch) {
  Carver memory{reinterpret_cast<char*>(scratch)};
  const int padded = (nv + 3) / 4 * 4, stride = (3 * nv + 3) / 4 * 4, links = (tree.n + 3) / 4 * 4;
  double *const cosine = memory.take<double>(links), *const sine = memory.take<double>(links);
  GradientArrays a{stride, padded, {}, {}, {}, {}, nullptr, nullptr, nullptr};
  for (Rows* rows : {&a.S, &a.psi1, &a.psi2, &a.sum})
    for (double*& row : rows->row) row = memory.take<double>(padded);
  a.X = memory.take<double>(nv * stride), a.M = memory.take<double>(nv * padded);
  auto* const frames = memory.take<MovingFrame<V3<double>>>(tree.n);
  auto *const V = memory.take<Spatial>(tree.n), *const A = memory.take<Spatial>(tree.n);
  auto* const bodies = memory.take<GradientBody>(tree.n);
  a.before = memory.take<int>(nv + nv % 2);
  for (long i = 0; i < static_cast<long>(nv) * stride; ++i) a.X[i] = 0;
  if (!in.forward)
    for (long i = 0; i < static_cast<long>(nv) * padded; ++i) a.M[i] = 0;
  fill_gradients<P>(tree, nv, base, in, a, cosine, sine, frames, V, A, bodies);
  const double sign = in.forward ? -1 : 1;
  if (in.forward) {
    for (int i = 0; i < nv; ++i) a.X[static_cast<long>(i) * stride + 2 * nv + i] = -1;
    solve_rows<P>(a, nv);
  }
  for (int i = 0; i < nv; ++i) {
    const double* const row = a.X + static_cast<long>(i) * stride;
    for (int k = 0; k < nv; ++k) {
      in.by_q[k * nv + i] = sign * row[k];
      in.by_v[k * nv + i] = sign * row[nv + k];
      if (in.forward) in.by_third[k * nv + i] = -row[2 * nv + k];
    }
    for (int k = 0; !in.forward && k <= i; ++k)
      in.by_third[k * nv + i] = in.by_third[i * nv + k] = a.M[static_cast<long>(i) * padded + k];
  }
}

}  // namespace
}  // namespace couplet::dynamics
