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

V3<double> upward(const V3<double>& g) { return {-g.x, -g.y, -g.z}; }

// Limbs run side by side where four doubles make a register. Forces on links are few then, and rare.
void run_forward(const TreeView& tree, const ForwardArguments& in,
                 const ForwardPointers<double>& ws) {
  const ForwardProblem<double> problem{in.q,    in.v,   in.tau, in.body_forces, upward(in.gravity),
                                       in.vdot, in.tau_prescribed};
#ifdef __AVX2__
  if (ws.limbs.group_count > 0 && !in.body_forces)
    return forward_dynamics_of_limbs(tree, problem, ws);
#endif
  forward_dynamics(tree, problem, ws);
}

void run_inverse(const TreeView& tree, const InverseArguments& in,
                 const InversePointers<double>& ws) {
  const InverseProblem<double> problem{in.q, in.v, in.vdot, in.body_forces, upward(in.gravity),
                                       in.tau};
#ifdef __AVX2__
  if (ws.limbs.group_count > 0 && !in.body_forces)
    return inverse_dynamics_of_limbs(tree, problem, ws);
#endif
  inverse_dynamics(tree, problem, ws);
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
            calc_sincos(n, [=](int i) { return angle[i]; }, cosine, sine);
          }};
}

}  // namespace
}  // namespace couplet::dynamics
