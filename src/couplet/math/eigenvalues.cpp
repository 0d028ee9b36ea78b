#include "couplet/math/eigenvalues.hpp"

#include <Eigen/Eigenvalues>

namespace couplet::math {

std::vector<EigenPair> find_eigenvalues(const MatX& A) {
  const Eigen::EigenSolver<MatX> solver(A);
  std::vector<EigenPair> pairs;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const Eigen::VectorXcd vector = solver.eigenvectors().col(i);
    pairs.push_back({solver.eigenvalues()[i], {vector.begin(), vector.end()}});
  }
  return pairs;
}

}  // namespace couplet::math
