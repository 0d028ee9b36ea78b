// The recursions on packs of states for the instruction set that the including file is compiled for.
#pragma once

#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/dynamics/minimal/recursions/carver.hpp"
#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"

namespace couplet::dynamics {
namespace {

/// Number i of W states becomes one pack.
template <int W>
[[gnu::always_inline]] inline void gather(int n, const double* const* from, Pack<W>* to) {
  for (int i = 0; i < n; ++i) {
    if constexpr (W == 4)
      to[i].r = typename Pack<W>::Register{from[0][i], from[1][i], from[2][i], from[3][i]};
    else
      to[i].r = typename Pack<W>::Register{from[0][i], from[1][i]};
  }
}
template <int W>
[[gnu::always_inline]] inline void scatter(int n, const Pack<W>* from, double* const* to) {
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < W; ++l) to[l][i] = from[i][l];
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
  return {W, run_batch_forward<W>, run_batch_inverse<W>};
}

}  // namespace
}  // namespace couplet::dynamics
