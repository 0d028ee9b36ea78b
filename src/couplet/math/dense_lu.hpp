// Dense factorisations, each compiled once: Eigen's templates cost seconds of compile time in every
// file that uses them. P A = L U with partial pivoting, for square matrices that are not singular.
#pragma once

#include <Eigen/LU>

namespace couplet::math {

/// Scalar: double or std::complex<double>.
template <class Scalar>
class DenseLu {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  void compute(const Matrix& A);
  /// x = A⁻¹ b. Allocates nothing when x has its size and is not b.
  void solve(const Eigen::Ref<const Vector>& b, Vector& x) const;
  Vector solve(const Eigen::Ref<const Vector>& b) const;
  /// A⁻¹ B
  Matrix solve_columns(const Matrix& B) const;
  /// A⁻ᵀ b
  Vector solve_transposed(const Vector& b) const;

  /// An estimate of 1 / (|A|₁ |A⁻¹|₁).
  double calc_reciprocal_condition() const;
  /// The diagonal of U.
  Vector pivots() const;
  double calc_smallest_pivot() const;

 private:
  Eigen::PartialPivLU<Matrix> factor_;
};

extern template class DenseLu<double>;

}  // namespace couplet::math
