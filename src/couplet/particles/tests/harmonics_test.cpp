#include "couplet/particles/harmonics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace couplet::particles {
namespace {

/// Orthonormal (up to a factor of the degree) real harmonics by the standard library's Legendre
/// functions.
Eigen::VectorXd harmonics(const Eigen::Vector3d& x, int n) {
  Eigen::VectorXd y(2 * n + 1);
  const double phi = std::atan2(x.y(), x.x());
  for (int m = 0; m <= n; ++m) {
    const double scale = std::exp(0.5 * (std::lgamma(n - m + 1) - std::lgamma(n + m + 1))) *
                         (m ? std::sqrt(2.0) : 1);
    const double legendre =
        std::assoc_legendre(static_cast<unsigned>(n), static_cast<unsigned>(m), x.z() / x.norm());
    y[m] = scale * legendre * std::cos(m * phi);
    if (m) y[n + m] = scale * legendre * std::sin(m * phi);
  }
  return y;
}

TEST(Harmonics, TurnAsTheRotationsSay) {
  const Eigen::Matrix3d Q = (Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, -2, 0.5).normalized()) *
                             Eigen::AngleAxisd(2.1, Eigen::Vector3d::UnitY()))
                                .toRotationMatrix();
  const auto rotations = calc_rotations(Q, 12);
  for (int n = 0; n <= 12; ++n) {
    const Eigen::MatrixXd& R = rotations[static_cast<size_t>(n)];
    const Eigen::Vector3d x(0.3, -0.8, 0.4);
    EXPECT_LT((R * harmonics(x, n) - harmonics(Q * x, n)).norm(), 1e-13) << n;
  }
}

TEST(Harmonics, RotationsAreOrthogonalUpToHighDegrees) {
  const Eigen::Matrix3d Q =
      Eigen::AngleAxisd(1.1, Eigen::Vector3d(0.2, 1, -0.4).normalized()).toRotationMatrix();
  for (const Eigen::MatrixXd& R : calc_rotations(Q, 40)) {
    // Round-off of one entry, which grows with the degree.
    const double few = 1e-13 * static_cast<double>(R.rows());
    EXPECT_LT((R * R.transpose() - Eigen::MatrixXd::Identity(R.rows(), R.rows())).norm(), few);
  }
}

}  // namespace
}  // namespace couplet::particles
