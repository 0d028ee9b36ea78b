// λ of all rows of the constraints from λ of those that count: where constraints are redundant they
// share what they carry, with the least norm.
#pragma once

#include "couplet/dynamics/minimal/constraints/constraint_solver.hpp"
#include "couplet/math/least_squares.hpp"

namespace couplet::dynamics {

class Shares {
 public:
  Shares(const Mechanism& mechanism, const ConstraintSolver& constraints);

  /// The rows have been evaluated at another state, all of them.
  void begin() { factorised_ = false; }
  /// λ of all rows with the least norm among those with the same Gᵀλ; valid until the next call.
  const VecX& calc(const VecX& counted);

 private:
  bool all_count() const;
  void factorise();

  const Mechanism& mechanism_;
  const ConstraintSolver& constraints_;
  bool factorised_ = false;
  math::LeastSquares smallest_{1e-9};
  VecX lambda_;
};

}  // namespace couplet::dynamics
