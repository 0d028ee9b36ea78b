// Many states of one mechanism: forward and inverse dynamics of several at once, in the lanes of
// packs, by the same recursions as for one.
#pragma once

#include <span>
#include <vector>

#include "couplet/dynamics/minimal/recursive.hpp"

namespace couplet::dynamics {

/// What all packs of a batch have in common.
struct BatchProblem {
  TreeView tree;
  int nq, nv;
  int heavy, branches, frames;  // how many of each scratch there are
  V3<double> base;              // acceleration of the world, -g
};

/// Angles that are sums of coordinates: Σ factor · q[coordinate] over the terms [end[i-1], end[i]),
/// plus offset[i].
struct AngleSums {
  std::vector<double> offset;
  std::vector<int> end;
  std::vector<int> coordinate;
  std::vector<double> factor;
};

/// The recursions on packs, compiled like kernels.hpp for two instruction sets.
struct BatchKernels {
  int width;  // states at once
  /// `count` states, one after the other in each array.
  void (*forward_dynamics)(const BatchProblem&, int count, const double* q, const double* v,
                           const double* tau, double* vdot, double* tau_out, double* scratch);
  void (*inverse_dynamics)(const BatchProblem&, int count, const double* q, const double* v,
                           const double* vdot, double* tau, double* scratch);
  /// The same, where each state has a mechanism of its own: same links, other numbers.
  void (*varied_forward_dynamics)(const BatchProblem&, const Mechanism* const* variants, int count,
                                  const double* q, const double* v, const double* tau, double* vdot,
                                  double* tau_out, double* scratch);
  void (*varied_inverse_dynamics)(const BatchProblem&, const Mechanism* const* variants, int count,
                                  const double* q, const double* v, const double* vdot, double* tau,
                                  double* scratch);
  /// n numbers of each of the states first, first + 1, … (of `count`) to packs one after the other
  /// with number i of the l-th state of a pack at [width i + l], and back. The last state fills the
  /// last pack up.
  void (*interleave)(int n, int packs, int first, int count, const double* from, double* to);
  void (*separate)(int n, int packs, int first, int count, const double* from, double* to);
  /// Cosines and sines of the angles of each of so many packs of nq coordinates.
  void (*sincos)(const AngleSums& angles, int nq, int packs, const double* q, double* cosine,
                 double* sine);
};
const BatchKernels& portable_batch_kernels();
const BatchKernels* avx2_batch_kernels();  // null where the program was built without them
const BatchKernels& batch_kernels();       // to go with kernels()

class BatchDynamics {
 public:
  /// Throws UserError, naming it, for a closed loop, a constraint or a mimic joint.
  explicit BatchDynamics(const Mechanism& mechanism, const BatchKernels& kernels = batch_kernels());

  int width() const { return kernels_.width; }

  /// A column is a state. Gravity is that of the mechanism, no other forces than tau act. Where a
  /// joint is prescribed, vdot is read and tau_out gets the force (it may be tau itself); results
  /// that are not finite are left as they are. Allocates nothing.
  void calc_forward_dynamics(const MatX& q, const MatX& v, const MatX& tau, MatX& vdot,
                             MatX& tau_out);
  void calc_inverse_dynamics(const MatX& q, const MatX& v, const MatX& vdot, MatX& tau);

  /// The same with parameters of its own for each state: column k is a state of variants[k], which
  /// differs from the mechanism in numbers only (model::ParametricMechanism makes such ones).
  void calc_forward_dynamics(std::span<const Mechanism* const> variants, const MatX& q,
                             const MatX& v, const MatX& tau, MatX& vdot, MatX& tau_out);
  void calc_inverse_dynamics(std::span<const Mechanism* const> variants, const MatX& q,
                             const MatX& v, const MatX& vdot, MatX& tau);

 private:
  void check_forward(const MatX& q, const MatX& v, const MatX& tau, const MatX& vdot,
                     const MatX& tau_out) const;
  void check_inverse(const MatX& q, const MatX& v, const MatX& vdot, const MatX& tau) const;
  void check_variants(std::span<const Mechanism* const> variants, Eigen::Index count) const;

  BatchProblem problem_;
  const BatchKernels& kernels_;
  AlignedVector<double> scratch_;
};

}  // namespace couplet::dynamics
