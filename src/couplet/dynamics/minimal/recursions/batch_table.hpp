// The recursions on packs of states for the instruction set that the including file is compiled for.
#pragma once

#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/dynamics/minimal/recursions/carver.hpp"
#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"

namespace couplet::dynamics {
namespace {

/// Rows become columns.
[[gnu::always_inline]] inline void transpose(Pack<2> x[2]) {
  using Bits = Pack<2>::Bits;
  const Pack<2> a = x[0], b = x[1];
  x[0] = Pack<2>(__builtin_shuffle(a.r, b.r, Bits{0, 2}));
  x[1] = Pack<2>(__builtin_shuffle(a.r, b.r, Bits{1, 3}));
}
[[gnu::always_inline]] inline void transpose(Pack<4> x[4]) {
  using Bits = Pack<4>::Bits;
  using Register = Pack<4>::Register;
  const Register ab0 = __builtin_shuffle(x[0].r, x[1].r, Bits{0, 4, 2, 6}),
                 ab1 = __builtin_shuffle(x[0].r, x[1].r, Bits{1, 5, 3, 7}),
                 cd0 = __builtin_shuffle(x[2].r, x[3].r, Bits{0, 4, 2, 6}),
                 cd1 = __builtin_shuffle(x[2].r, x[3].r, Bits{1, 5, 3, 7});
  x[0] = Pack<4>(__builtin_shuffle(ab0, cd0, Bits{0, 1, 4, 5}));
  x[1] = Pack<4>(__builtin_shuffle(ab1, cd1, Bits{0, 1, 4, 5}));
  x[2] = Pack<4>(__builtin_shuffle(ab0, cd0, Bits{2, 3, 6, 7}));
  x[3] = Pack<4>(__builtin_shuffle(ab1, cd1, Bits{2, 3, 6, 7}));
}

/// Number i of W states becomes one pack, put(i, pack). Whole packs are moved: lanes that are written
/// one by one would be waited for.
template <int W, class Put>
[[gnu::always_inline]] inline void gather_each(int n, const double* const* from, const Put& put) {
  int i = 0;
  for (; i + W <= n; i += W) {
    Pack<W> x[W];
    for (int l = 0; l < W; ++l) x[l] = Pack<W>::load(from[l] + i);
    transpose(x);
    for (int l = 0; l < W; ++l) put(i + l, x[l]);
  }
  for (; i < n; ++i) {
    if constexpr (W == 4)
      put(i, Pack<4>(Pack<4>::Register{from[0][i], from[1][i], from[2][i], from[3][i]}));
    else
      put(i, Pack<2>(Pack<2>::Register{from[0][i], from[1][i]}));
  }
}
template <int W, class Get>
[[gnu::always_inline]] inline void scatter_each(int n, const Get& get, double* const* to) {
  int i = 0;
  for (; i + W <= n; i += W) {
    Pack<W> x[W];
    for (int l = 0; l < W; ++l) x[l] = get(i + l);
    transpose(x);
    for (int l = 0; l < W; ++l) x[l].store(to[l] + i);
  }
  for (; i < n; ++i) {
    const Pack<W> x = get(i);
    for (int l = 0; l < W; ++l) to[l][i] = x[l];
  }
}
template <int W>
[[gnu::always_inline]] inline void gather(int n, const double* const* from, Pack<W>* to) {
  gather_each<W>(n, from, [=](int i, const Pack<W>& x) { to[i] = x; });
}
template <int W>
[[gnu::always_inline]] inline void scatter(int n, const Pack<W>* from, double* const* to) {
  scatter_each<W>(n, [=](int i) { return from[i]; }, to);
}

template <int W>
void run_batch_forward(const TreeView& tree, int nq, int nv, const V3<double>& base,
                       const double* const* q, const double* const* v, const double* const* tau,
                       double* const* vdot, double* const* tau_out, double* scratch) {
  using T = Pack<W>;
  const Counts counts(tree);
  Carver memory{reinterpret_cast<char*>(scratch)};
  const LimbView no_limbs{};
  const ForwardPointers<T> ws{memory.take<T>(tree.n),
                              memory.take<T>(tree.n),
                              memory.take<ForwardScratch<T>>(tree.n),
                              memory.take<HeavyScratch<T>>(counts.heavy),
                              memory.take<BranchScratch<T>>(counts.branches),
                              &no_limbs,
                              nullptr};
  for (int b = 0; b < counts.branches; ++b) ws.branches[b].arrivals = Articulated<T>{};
  T *const Q = memory.take<T>(nq), *const V = memory.take<T>(nv),
    *const F = memory.take<T>(nv), *const A = memory.take<T>(nv),
    *const P = memory.take<T>(nv);
  gather(nq, q, Q), gather(nv, v, V), gather(nv, tau, F);
  if (counts.heavy > 0) gather(nv, const_cast<const double* const*>(vdot), A);
  for (int i = 0; counts.heavy > 0 && i < nv; ++i) P[i] = F[i];
  const ForwardProblem<T> in{Q, V, F, nullptr, {T(base.x), T(base.y), T(base.z)}, A, P};
  forward_dynamics(tree, in, ws, NoLimbs(tree, no_limbs, nullptr));
  scatter(nv, A, vdot);
  if (counts.heavy > 0) scatter(nv, P, tau_out);
}

template <int W>
void run_batch_inverse(const TreeView& tree, int nq, int nv, const V3<double>& base,
                       const double* const* q, const double* const* v, const double* const* vdot,
                       double* const* tau, double* scratch) {
  using T = Pack<W>;
  const Counts counts(tree);
  Carver memory{reinterpret_cast<char*>(scratch)};
  const LimbView no_limbs{};
  const InversePointers<T> ws{memory.take<T>(tree.n),
                              memory.take<T>(tree.n),
                              memory.take<InverseScratch<T>>(tree.n),
                              memory.take<PoseScratch<T>>(counts.frames),
                              memory.take<LinkMotion<T>>(counts.branches),
                              &no_limbs,
                              nullptr};
  T *const Q = memory.take<T>(nq), *const V = memory.take<T>(nv),
    *const A = memory.take<T>(nv), *const F = memory.take<T>(nv);
  gather(nq, q, Q), gather(nv, v, V), gather(nv, vdot, A);
  const InverseProblem<T> in{Q, V, A, nullptr, {T(base.x), T(base.y), T(base.z)}, F};
  inverse_dynamics(tree, in, ws, NoLimbs(tree, no_limbs, nullptr));
  scatter(nv, F, tau);
}

template <int W>
constexpr BatchKernels make_batch_kernels() {
  return {W, run_batch_forward<W>, run_batch_inverse<W>,
          [](int n, const double* const* from, double* to) {
            gather_each<W>(n, from, [=](int i, const Pack<W>& x) { x.store(to + W * i); });
          },
          [](int n, const double* from, double* const* to) {
            scatter_each<W>(n, [=](int i) { return Pack<W>::load(from + W * i); }, to);
          }};
}

}  // namespace
}  // namespace couplet::dynamics
