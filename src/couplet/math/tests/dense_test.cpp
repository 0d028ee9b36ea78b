// Dense factorisations by what defines them.
#include <gtest/gtest.h>

#include <complex>

#include "couplet/math/dense_lu.hpp"
#include "couplet/math/dense_symmetric.hpp"
#include "couplet/math/least_squares.hpp"

namespace couplet::math {
namespace {

constexpr double exact = 1e-12;  // relative; random matrices of this size have conditions below 1e3

MatX random_matrix(int rows, int columns, unsigned seed) {
  std::srand(seed);
  return MatX::Random(rows, columns);
}

TEST(DenseLu, Solves) {
  const MatX A = random_matrix(12, 12, 1), B = random_matrix(12, 3, 2);
  DenseLu<double> lu;
  lu.compute(A);
  VecX x = B.col(0);
  lu.solve(x, x);  // in place
  EXPECT_LT((A * x - B.col(0)).norm(), exact);
  EXPECT_EQ(lu.solve(B.col(0)), x);
  EXPECT_LT((A * lu.solve_columns(B) - B).norm(), exact);
  EXPECT_LT((A.transpose() * lu.solve_transposed(B.col(1)) - B.col(1)).norm(), exact);
  EXPECT_NEAR(std::abs(lu.pivots().prod() / A.determinant()), 1, exact);
  EXPECT_EQ(lu.calc_smallest_pivot(), lu.pivots().cwiseAbs().minCoeff());
  EXPECT_GT(lu.calc_reciprocal_condition(), 1e-4);
  lu.compute(MatX::Identity(3, 3));
  EXPECT_EQ(lu.calc_reciprocal_condition(), 1);
}

TEST(DenseLu, SolvesWithComplexNumbers) {
  using Complex = std::complex<double>;
  const DenseLu<Complex>::Matrix A =
      random_matrix(7, 7, 3).cast<Complex>() + Complex(0, 1) * random_matrix(7, 7, 4);
  const DenseLu<Complex>::Vector b = random_matrix(7, 1, 5).cast<Complex>();
  DenseLu<Complex> lu;
  lu.compute(A);
  EXPECT_LT((A * lu.solve(b) - b).norm(), exact);
}

TEST(DenseSymmetric, CholeskySolvesOrSaysThatItCannot) {
  const MatX J = random_matrix(6, 9, 6), A = J * J.transpose();
  const VecX b = random_matrix(6, 1, 7);
  DenseCholesky cholesky;
  ASSERT_TRUE(cholesky.compute(A));
  VecX x = b;
  cholesky.solve_in_place(x);
  EXPECT_LT((A * x - b).norm(), exact);
  EXPECT_EQ(cholesky.solve(b), x);
  EXPECT_LT((A * solve_symmetric(A, b) - b).norm(), exact);
  EXPECT_LT((-A * solve_symmetric(-A, b) - b).norm(), exact);
  MatX indefinite = MatX::Identity(4, 4);
  indefinite(2, 2) = -1;
  EXPECT_FALSE(cholesky.compute(indefinite));
  EXPECT_GT(cholesky.pivots()[1], 0);
  EXPECT_LE(cholesky.pivots()[2], 0);
}

TEST(DenseSymmetric, EigenvaluesOfATurnedDiagonal) {
  const Mat3 R = rotation(Vec3(1, 2, 3).normalized(), 0.7);
  const Vec3 found = eigenvalues_of_symmetric(R * Vec3(3, 1, 2).asDiagonal() * R.transpose());
  EXPECT_LT((found - Vec3(1, 2, 3)).norm(), exact);
}

// Rank 3 of 5 rows and 6 columns: A x = b for b in the range, and x has no part that A does not
// see, x = Aᵀ y.
TEST(LeastSquares, IsTheShortestOfTheBest) {
  const MatX left = random_matrix(5, 3, 8), right = random_matrix(3, 6, 9), A = left * right;
  LeastSquares factor(1e-10);
  factor.compute(A);
  const VecX inside = A * random_matrix(6, 1, 10), any = random_matrix(5, 1, 11);
  EXPECT_LT((A * factor.solve(inside) - inside).norm(), exact);
  EXPECT_LT((A.transpose() * (A * factor.solve(any) - any)).norm(),
            exact);  // the rest is normal to the range
  const MatX unseen = make_left_null_space(A.transpose(), 3);
  EXPECT_EQ(unseen.cols(), 3);
  EXPECT_LT((A * unseen).norm(), exact);
  EXPECT_LT((unseen.transpose() * factor.solve(any)).norm(), exact);
  EXPECT_LT((factor.make_pseudo_inverse() * any - factor.solve(any)).norm(), exact);
  VecX x;
  factor.solve(any, x);
  EXPECT_EQ(x, factor.solve(any));
}

TEST(LeastSquares, TheMostIndependentColumnsComeFirst) {
  MatX A = MatX::Zero(3, 4);
  A(0, 0) = 1;
  A(0, 1) = 5;  // along column 0, and longer
  A(1, 2) = 2;
  A(2, 3) = 3;
  EXPECT_EQ(order_columns(A), (std::vector<int>{1, 3, 2, 0}));
}

}  // namespace
}  // namespace couplet::math
