// The table of kernels for the instruction set that the including file is compiled for.
#pragma once

#include "couplet/dynamics/minimal/kernels.hpp"
#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"
#ifdef __AVX2__
#include "couplet/dynamics/minimal/recursions/limbs.hpp"
#endif
#include "couplet/dynamics/minimal/recursions/mass_matrix.hpp"

namespace couplet::dynamics {
namespace {

#ifdef __AVX2__  // four doubles make a register
using Limbs = LimbsInLanes;
#else
using Limbs = NoLimbs;
#endif

void run_forward(const TreeView& tree, const ForwardProblem<double>& in,
                 const ForwardPointers<double>& ws) {
  forward_dynamics(tree, in, ws, Limbs(tree, *ws.limbs, in.body_forces));
}

void run_inverse(const TreeView& tree, const InverseProblem<double>& in,
                 const InversePointers<double>& ws) {
  inverse_dynamics(tree, in, ws, Limbs(tree, *ws.limbs, in.body_forces));
}

template <int width>
void run_mass_matrix(const TreeView& tree, int nv, const double* q,
                     const MassMatrixPointers<double>& ws, double* M, int stride) {
  mass_matrix<Pack<width>>(tree, nv, q, ws, M, stride);
}

template <int width>
constexpr Kernels make_kernels(const char* name) {
  return {name, run_forward, run_inverse, run_mass_matrix<width>,
          [](int n, const double* angle, double* cosine, double* sine) {
            calc_sincos(n, angle, cosine, sine);
          }};
}

}  // namespace
}  // namespace couplet::dynamics
