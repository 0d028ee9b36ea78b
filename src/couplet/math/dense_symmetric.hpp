// Dense symmetric matrices, of which the lower triangle is read.
#pragma once

#include <Eigen/Cholesky>

#include "couplet/math/spatial.hpp"

namespace couplet::math {

/// A = L Lᵀ of a positive definite matrix.
class DenseCholesky {
 public:
  /// False when A is not positive definite.
  [[nodiscard]] bool compute(const MatX& A);
  /// b becomes A⁻¹ b. Allocates nothing.
  void solve_in_place(VecX& b) const;
  VecX solve(const VecX& b) const;
  /// The diagonal of L; after a failure, of what was done, beginning with pivots > 0.
  VecX pivots() const;

 private:
  Eigen::LLT<MatX> factor_;
};

/// A⁻¹ b by Pᵀ L D Lᵀ P: A is semidefinite, of either sign.
VecX solve_symmetric(const MatX& A, const VecX& b);

/// In ascending order.
Vec3 eigenvalues_of_symmetric(const Mat3& A);

}  // namespace couplet::math
