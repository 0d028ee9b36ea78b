// The recursions on packs of states for the instruction set that the including file is compiled for.
#pragma once

#include <algorithm>

#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"

namespace couplet::dynamics {
namespace {

/// Hands out parts of the scratch memory. Only packs are ever stored there.
template <int W>
struct Carver {
  char* next;
  template <class X>
  X* take(int count) {
    X* part = reinterpret_cast<X*>(next);
    next += static_cast<long>(sizeof(X)) * count;
    return part;
  }
};

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

/// How many of each scratch there are.
struct Counts {
  int heavy = 0, branches = 0, frames = 0;
  explicit Counts(const TreeView& tree) {
    for (int i = 0; i < tree.n; ++i) {
      heavy = std::max(heavy, tree.links[i].heavy + 1);
      branches = std::max(branches, tree.links[i].branch + 1);
      frames = std::max(frames, tree.links[i].frame + 1);
    }
  }
};

template <int W>
void run_batch_forward(const TreeView& tree, int nq, int nv, const V3<double>& base,
                       const double* const* q, const double* const* v, const double* const* tau,
                       double* const* vdot, double* const* tau_out, double* scratch) {
  using T = Pack<W>;
  const Counts counts(tree);
  Carver<W> memory{reinterpret_cast<char*>(scratch)};
  const LimbView no_limbs{};
  const ForwardPointers<T> ws{memory.template take<T>(tree.n),
                              memory.template take<T>(tree.n),
                              memory.template take<ForwardScratch<T>>(tree.n),
                              memory.template take<HeavyScratch<T>>(counts.heavy),
                              memory.template take<BranchScratch<T>>(counts.branches),
                              &no_limbs,
                              nullptr};
  for (int b = 0; b < counts.branches; ++b) ws.branches[b].arrivals = Articulated<T>{};
  T *const Q = memory.template take<T>(nq), *const V = memory.template take<T>(nv),
    *const F = memory.template take<T>(nv), *const A = memory.template take<T>(nv),
    *const P = memory.template take<T>(nv);
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
  Carver<W> memory{reinterpret_cast<char*>(scratch)};
  const LimbView no_limbs{};
  const InversePointers<T> ws{memory.template take<T>(tree.n),
                              memory.template take<T>(tree.n),
                              memory.template take<InverseScratch<T>>(tree.n),
                              memory.template take<PoseScratch<T>>(counts.frames),
                              memory.template take<LinkMotion<T>>(counts.branches),
                              &no_limbs,
                              nullptr};
  T *const Q = memory.template take<T>(nq), *const V = memory.template take<T>(nv),
    *const A = memory.template take<T>(nv), *const F = memory.template take<T>(nv);
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
