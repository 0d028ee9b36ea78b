// The table of kernels for the instruction set that the including file is compiled for.
#pragma once

#include "couplet/dynamics/minimal/kernels.hpp"
#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"
#include "couplet/dynamics/minimal/recursions/mass_matrix.hpp"

namespace couplet::dynamics {
namespace {

V3<double> upward(const V3<double>& g) { return {-g.x, -g.y, -g.z}; }

void run_forward(const TreeView& tree, const ForwardArguments& in,
                 const ForwardPointers<double>& ws) {
  forward_dynamics(tree,
                   ForwardProblem<double>{in.q, in.v, in.tau, in.body_forces, upward(in.gravity),
                                          in.vdot, in.tau_prescribed},
                   ws);
}

void run_inverse(const TreeView& tree, const InverseArguments& in,
                 const InversePointers<double>& ws) {
  inverse_dynamics(
      tree,
      InverseProblem<double>{in.q, in.v, in.vdot, in.body_forces, upward(in.gravity), in.tau}, ws);
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
