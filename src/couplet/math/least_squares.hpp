// Dense matrices of any shape and rank: solutions that are best, and shortest among the best.
#pragma once

#include <Eigen/QR>
#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::math {

/// A P = Q (T 0; 0 0) Z, the complete orthogonal decomposition.
class LeastSquares {
 public:
  /// Pivots below `threshold` times the largest count as zero; without, what rounding suggests.
  LeastSquares() = default;
  explicit LeastSquares(double threshold) { factor_.setThreshold(threshold); }

  void compute(const MatX& A);
  /// x = A⁺ b: of those with the least |A x - b| the shortest.
  void solve(const VecX& b, VecX& x) const;
  VecX solve(const VecX& b) const;
  MatX make_pseudo_inverse() const;

 private:
  Eigen::CompleteOrthogonalDecomposition<MatX> factor_;
};

/// Columns of A, the most independent first: those that a QR factorisation with column pivoting
/// takes.
std::vector<int> order_columns(const MatX& A);

/// Orthonormal columns that Aᵀ takes to zero, of a matrix of known rank.
MatX make_left_null_space(const MatX& A, int rank);

}  // namespace couplet::math
