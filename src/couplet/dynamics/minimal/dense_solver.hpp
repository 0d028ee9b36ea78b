// Solves M v̇ + h = τ with a dense, symmetric positive definite M: prescribed joints have a given v̇
// and an unknown τ, mimic joints follow others. v̇ = G v̇_independent + known, Gᵀ M G v̇_i = Gᵀ (τ - h
// - M known).
#pragma once

#include "couplet/math/dense_symmetric.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::dynamics {

using math::MatX;
using math::VecX;
using model::Mechanism;

class DenseSolver {
 public:
  explicit DenseSolver(const Mechanism& mechanism);

  /// Reads the lower triangle of M, which must stay until it is solved with. Throws
  /// ComputationError, naming the freedom, when M is not positive definite.
  void factorise(const MatX& M, double t);
  /// Entries of vdot and tau of prescribed joints are input and output.
  void solve(const VecX& h, VecX& tau, VecX& vdot);

 private:
  [[noreturn]] void explain() const;

  const Mechanism& mechanism_;
  std::vector<int> independent_;  // freedoms that move freely
  bool reduced_ = false;          // there are others
  const MatX* M_ = nullptr;
  double t_ = 0;
  MatX G_, Mr_;
  VecX rhs_, reduced_rhs_, known_;
  math::DenseCholesky factor_;
};

}  // namespace couplet::dynamics
