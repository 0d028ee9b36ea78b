// The recursions on doubles, compiled once for AVX2 with fused multiply-add and once for any
// x86-64; the better one is chosen when the program starts. COUPLET_ISA=portable forces the latter.
#pragma once

#include "couplet/dynamics/minimal/workspace.hpp"

namespace couplet::dynamics {

struct Kernels {
  const char* name;
  void (*forward_dynamics)(const TreeView&, const ForwardProblem<double>&,
                           const ForwardPointers<double>&);
  void (*inverse_dynamics)(const TreeView&, const InverseProblem<double>&,
                           const InversePointers<double>&);
  void (*mass_matrix)(const TreeView&, int nv, const double* q, const MassMatrixPointers<double>&,
                      double* M, int stride);
  void (*sincos)(int n, const double* angle, double* cosine, double* sine);  // all padded to 4
};

const Kernels& portable_kernels();
const Kernels* avx2_kernels();  // null where the program was built without them
const Kernels& kernels();       // the best that this machine runs

}  // namespace couplet::dynamics
