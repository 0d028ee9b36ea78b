#include "couplet/math/least_squares.hpp"

namespace couplet::math {

void LeastSquares::compute(const MatX& A) { factor_.compute(A); }

void LeastSquares::solve(const VecX& b, VecX& x) const { x = factor_.solve(b); }

VecX LeastSquares::solve(const VecX& b) const { return factor_.solve(b); }

MatX LeastSquares::make_pseudo_inverse() const { return factor_.pseudoInverse(); }

std::vector<int> order_columns(const MatX& A) {
  const Eigen::ColPivHouseholderQR<MatX> factor(A);
  const auto& indices = factor.colsPermutation().indices();
  return {indices.data(), indices.data() + indices.size()};
}

MatX make_left_null_space(const MatX& A, int rank) {
  MatX last = MatX::Zero(A.rows(), A.rows() - rank);
  last.bottomRows(last.cols()).setIdentity();
  if (A.cols() == 0) return last;
  const Eigen::ColPivHouseholderQR<MatX> factor(A);
  return factor.householderQ() * last;
}

}  // namespace couplet::math
