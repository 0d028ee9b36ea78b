// Many states of one mechanism: forward and inverse dynamics of several at once, in the lanes of
// packs, by the same recursions as for one.
#pragma once

#include "couplet/dynamics/minimal/recursive.hpp"

namespace couplet::dynamics {

/// The recursions on packs, compiled like kernels.hpp for two instruction sets.
struct BatchKernels {
  int width;  // states at once
  /// One pack of states: q[l], v[l], … are the arrays of state l.
  void (*forward_dynamics)(const TreeView&, int nq, int nv, const V3<double>& base_acceleration,
                           const double* const* q, const double* const* v, const double* const* tau,
                           double* const* vdot, double* const* tau_out, double* scratch);
  void (*inverse_dynamics)(const TreeView&, int nq, int nv, const V3<double>& base_acceleration,
                           const double* const* q, const double* const* v,
                           const double* const* vdot, double* const* tau, double* scratch);
  /// Arrays of `width` states to one with number i of state l at [width i + l], and back.
  void (*interleave)(int n, const double* const* from, double* to);
  void (*separate)(int n, const double* from, double* const* to);
};
const BatchKernels& portable_batch_kernels();
const BatchKernels* avx2_batch_kernels();  // null where the program was built without them
const BatchKernels& batch_kernels();       // to go with kernels()

constexpr int widest_batch = 4;

class BatchDynamics {
 public:
  explicit BatchDynamics(const Mechanism& mechanism,
                         const BatchKernels& kernels = batch_kernels());

  int width() const { return kernels_.width; }

  /// A column is a state. Gravity is that of the mechanism, no other forces than tau act. Where a
  /// joint is prescribed, vdot is read and tau_out gets the force (it may be tau itself); results
  /// that are not finite are left as they are. Allocates nothing.
  void calc_forward_dynamics(const MatX& q, const MatX& v, const MatX& tau, MatX& vdot,
                             MatX& tau_out);
  void calc_inverse_dynamics(const MatX& q, const MatX& v, const MatX& vdot, MatX& tau);

 private:
  template <class Call>
  void for_each_pack(Eigen::Index count, Call call) const;

  const Mechanism& mechanism_;
  const BatchKernels& kernels_;
  AlignedVector<double> scratch_;
};

}  // namespace couplet::dynamics
