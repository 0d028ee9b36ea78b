#include "couplet/dynamics/substructure/joint_space.hpp"

#include <cmath>

namespace couplet::dynamics {

using math::Cols6;
using math::Vec6;

// S = Q (R; 0): D are the last columns of Q, B = Q₁ R⁻ᵀ.
void JointSpace::split(const Cols6& S) {
  const Eigen::Index n = S.cols();
  Cols6 R = S, reflected(6, n);  // I - 2 u uᵀ, one column each
  for (Eigen::Index k = 0; k < n; ++k) {
    Vec6 u = R.col(k);
    u.head(k).setZero();
    const double size = u.norm();
    u[k] += u[k] < 0 ? -size : size;
    u /= u.norm();
    reflected.col(k) = u;
    for (Eigen::Index j = k; j < n; ++j) R.col(j) -= 2 * u.dot(R.col(j)) * u;
  }
  const auto column_of_Q = [&](Eigen::Index j) {
    Vec6 x = Vec6::Unit(j);
    for (Eigen::Index k = n; k-- > 0;) x -= 2 * reflected.col(k).dot(x) * Vec6(reflected.col(k));
    return x;
  };
  D.resize(6, 6 - n);
  B.resize(6, n);
  for (Eigen::Index j = n; j < 6; ++j) D.col(j - n) = column_of_Q(j);
  for (Eigen::Index j = n; j-- > 0;) {  // B Rᵀ = Q₁, the last column first
    Vec6 x = column_of_Q(j);
    for (Eigen::Index i = j + 1; i < n; ++i) x -= R(j, i) * Vec6(B.col(i));
    B.col(j) = x / R(j, j);
  }
}

}  // namespace couplet::dynamics
