#include <Eigen/SVD>

#include "couplet/math/least_squares.hpp"

namespace couplet::math {

MatX make_left_singular_vectors(const MatX& A) {
  return Eigen::BDCSVD<MatX>(A, Eigen::ComputeFullU).matrixU();
}

}  // namespace couplet::math
