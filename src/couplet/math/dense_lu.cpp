#include "couplet/math/dense_lu.hpp"

#include <complex>

namespace couplet::math {

template <class Scalar>
void DenseLu<Scalar>::compute(const Matrix& A) {
  factor_.compute(A);
}

template <class Scalar>
void DenseLu<Scalar>::solve(const Eigen::Ref<const Vector>& b, Vector& x) const {
  if (b.data() == x.data())
    x = factor_.solve(b).eval();
  else
    x = factor_.solve(b);
}

template <class Scalar>
typename DenseLu<Scalar>::Vector DenseLu<Scalar>::solve(const Eigen::Ref<const Vector>& b) const {
  return factor_.solve(b);
}

template <class Scalar>
typename DenseLu<Scalar>::Matrix DenseLu<Scalar>::solve_columns(const Matrix& B) const {
  if (B.size() == 0) return B;  // Eigen looks at the first number
  return factor_.solve(B);
}

template <class Scalar>
typename DenseLu<Scalar>::Vector DenseLu<Scalar>::solve_transposed(const Vector& b) const {
  return factor_.transpose().solve(b);
}

template <class Scalar>
double DenseLu<Scalar>::calc_reciprocal_condition() const {
  return factor_.rcond();
}

template <class Scalar>
typename DenseLu<Scalar>::Vector DenseLu<Scalar>::pivots() const {
  return factor_.matrixLU().diagonal();
}

template <class Scalar>
double DenseLu<Scalar>::calc_smallest_pivot() const {
  return factor_.matrixLU().diagonal().cwiseAbs().minCoeff();
}

template class DenseLu<double>;
template class DenseLu<std::complex<double>>;

}  // namespace couplet::math
