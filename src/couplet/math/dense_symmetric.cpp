#include "couplet/math/dense_symmetric.hpp"

#include <Eigen/Eigenvalues>

namespace couplet::math {

bool DenseCholesky::compute(const MatX& A) {
  factor_.compute(A);
  return factor_.info() == Eigen::Success;
}

void DenseCholesky::solve_in_place(VecX& b) const { factor_.solveInPlace(b); }

VecX DenseCholesky::solve(const VecX& b) const { return factor_.solve(b); }

VecX DenseCholesky::pivots() const { return factor_.matrixLLT().diagonal(); }

VecX solve_symmetric(const MatX& A, const VecX& b) { return A.ldlt().solve(b); }

Vec3 eigenvalues_of_symmetric(const Mat3& A) {
  return Eigen::SelfAdjointEigenSolver<Mat3>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace couplet::math
