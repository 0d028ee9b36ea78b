// The recursions on dual numbers for the instruction set that the including file is compiled for.
#pragma once

#include "couplet/dynamics/minimal/gradients.hpp"
#include "couplet/dynamics/minimal/recursions/analytic_gradients.hpp"
#include "couplet/dynamics/minimal/recursions/carver.hpp"
#include "couplet/dynamics/minimal/recursions/dual.hpp"
#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"

namespace couplet::dynamics {
namespace {

/// Values with their derivatives along W directions; a missing direction is zero.
template <int W>
[[gnu::always_inline]] inline void gather(int n, const double* value, const double* const* along,
                                          Dual<W>* to) {
  for (int i = 0; i < n; ++i) {
    double d[W];
    for (int l = 0; l < W; ++l) d[l] = along[l] ? along[l][i] : 0.0;
    to[i] = {value[i], Pack<W>::load(d)};
  }
}
template <int W>
[[gnu::always_inline]] inline void scatter(int n, const Dual<W>* from, double* const* along) {
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < W; ++l)
      if (along[l]) along[l][i] = from[i].d[l];
}

template <int W>
void run_dual_forward(const TreeView& tree, int nq, int nv, const V3<double>& base,
                      const DualProblem& in, double* scratch) {
  using T = Dual<W>;
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
  T *const Q = memory.take<T>(nq), *const V = memory.take<T>(nv), *const F = memory.take<T>(nv),
           *const A = memory.take<T>(nv);
  gather(nq, in.q, in.q_along, Q), gather(nv, in.v, in.v_along, V);
  gather(nv, in.third, in.third_along, F);
  forward_dynamics(
      tree, ForwardProblem<T>{Q, V, F, nullptr, {T(base.x), T(base.y), T(base.z)}, A, nullptr}, ws,
      NoLimbs(tree, no_limbs, nullptr));
  scatter(nv, A, in.out_along);
}

template <int W>
void run_dual_inverse(const TreeView& tree, int nq, int nv, const V3<double>& base,
                      const DualProblem& in, double* scratch) {
  using T = Dual<W>;
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
  T *const Q = memory.take<T>(nq), *const V = memory.take<T>(nv), *const A = memory.take<T>(nv),
           *const F = memory.take<T>(nv);
  gather(nq, in.q, in.q_along, Q), gather(nv, in.v, in.v_along, V);
  gather(nv, in.third, in.third_along, A);
  inverse_dynamics(tree, InverseProblem<T>{Q, V, A, nullptr, {T(base.x), T(base.y), T(base.z)}, F},
                   ws, NoLimbs(tree, no_limbs, nullptr));
  scatter(nv, F, in.out_along);
}

template <int W>
constexpr DualKernels make_dual_kernels() {
  return {W, sizeof(Dual<W>) / sizeof(double), run_dual_forward<W>, run_dual_inverse<W>,
          run_gradients<Pack<W>>};
}

}  // namespace
}  // namespace couplet::dynamics
