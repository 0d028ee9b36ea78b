// Gradients of inverse and forward dynamics, exact to rounding: in closed form, and by the
// recursions on dual numbers, several directions at once in the lanes of a pack.
//
// Derivatives with respect to q are taken along the speeds, dq = N(q) e: by q itself for joints
// without quaternions, and nv columns in any case.
#pragma once

#include "couplet/dynamics/minimal/recursive.hpp"

namespace couplet::dynamics {

/// One evaluation along several directions; null is a direction of zeros.
struct DualProblem {
  const double *q, *v, *third;  // third: τ of forward, v̇ of inverse dynamics
  const double *q_along[4], *v_along[4], *third_along[4];
  double* out_along[4];  // null: not wanted
};

/// ∂τ/∂(q, v, v̇) of inverse or ∂v̇/∂(q, v, τ) of forward dynamics, each nv × nv by columns.
struct GradientProblem {
  bool forward;
  const double *q, *v, *vdot;
  double *by_q, *by_v, *by_third;
};

struct DualKernels {
  int width;      // directions at once
  size_t scalar;  // a dual number is as large as so many doubles
  using Kernel = void (*)(const TreeView&, int nq, int nv, const V3<double>& base_acceleration,
                          const DualProblem&, double* scratch);
  Kernel forward_dynamics, inverse_dynamics;
  void (*gradients)(const TreeView&, int nv, const V3<double>& base_acceleration,
                    const GradientProblem&, double* scratch);  // in closed form
};
const DualKernels& portable_dual_kernels();
const DualKernels* avx2_dual_kernels();  // null where the program was built without them
const DualKernels& dual_kernels();       // to go with kernels()

struct InverseGradients {
  MatX by_q, by_v, by_vdot;  // of τ; by_vdot is the mass matrix
};
struct ForwardGradients {
  MatX by_q, by_v, by_tau;  // of v̇
};

/// Of the tree under tau and uniform gravity: no force elements of the model.
class GradientWorkspace {
 public:
  /// Throws UserError, naming it, for a closed loop, a constraint or a mimic joint.
  explicit GradientWorkspace(const Mechanism& mechanism,
                             const DualKernels& kernels = dual_kernels());

  void calc_inverse_gradients(const State& state, const VecX& vdot, InverseGradients& out);

  /// ∂v̇/∂x = -M⁻¹ ∂ID/∂x, ∂v̇/∂τ = M⁻¹. Throws ComputationError when a freedom has no inertia,
  /// UserError for prescribed motions.
  void calc_forward_gradients(const State& state, const VecX& tau, ForwardGradients& out);
  /// The same by dual numbers through the recursions: an independent second opinion.
  void calc_inverse_gradients_by_duals(const State& state, const VecX& vdot, InverseGradients& out);
  void calc_forward_gradients_by_duals(const State& state, const VecX& tau, ForwardGradients& out);

 private:
  void differentiate(DualKernels::Kernel kernel, const State& state, const VecX& third, MatX& by_q,
                     MatX& by_v, MatX* by_third);
  void calc_directions(const VecX& q);

  const Mechanism& mechanism_;
  const DualKernels& kernels_;
  AlignedVector<double> scratch_;
  RecursiveWorkspace<double> forward_;
  MatX directions_, identity_;  // of q, one column a speed
  VecX vdot_, tau_, qdot_;
};

}  // namespace couplet::dynamics
