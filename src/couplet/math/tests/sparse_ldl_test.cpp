#include "couplet/math/sparse_ldl.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

namespace couplet::math {
namespace {

struct Matrix {
  std::vector<std::vector<int>> neighbours;
  std::vector<double> entries;
  MatX dense;
};

/// B Bᵀ with a sparse B of n rows; every row that is a multiple of three repeats the sum of the two
/// before it.
Matrix random_gram(int n, bool dependent, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatX B = MatX::Zero(n, 2 * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j) B(i, (2 * i + j) % (2 * n)) = uniform(random);
  for (int i = 3; dependent && i < n; i += 3) B.row(i) = B.row(i - 1) + B.row(i - 2);
  Matrix out{{}, {}, B * B.transpose()};
  for (int i = 0; i < n; ++i) {
    out.neighbours.emplace_back();
    for (int j = 0; j < i; ++j)
      if (out.dense(i, j) != 0)
        out.neighbours.back().push_back(j), out.entries.push_back(out.dense(i, j));
    out.entries.push_back(out.dense(i, i));
  }
  return out;
}

TEST(SparseLdl, SolvesAsADenseFactorisationDoes) {
  std::mt19937_64 random(1);
  for (int n = 1; n < 40; ++n) {
    const Matrix A = random_gram(n, false, random);
    const VecX b = VecX::LinSpaced(n, -1, 2);
    for (const bool reorder : {false, true}) {
      SparseLdl ldl;
      ldl.analyse(A.neighbours, reorder);
      EXPECT_EQ(ldl.factorise(A.entries), 0);
      VecX x = b;
      ldl.solve(x);
      EXPECT_LT((A.dense * x - b).norm(), 1e-10 * (1 + x.norm())) << n;
    }
  }
}

TEST(SparseLdl, LeavesOutRowsThatDependOnEarlierOnes) {
  std::mt19937_64 random(2);
  for (int n = 4; n < 40; ++n) {
    const Matrix A = random_gram(n, true, random);
    SparseLdl ldl;
    ldl.analyse(A.neighbours, false);
    EXPECT_EQ(ldl.factorise(A.entries, 1e-11), (n - 1) / 3) << n;
    for (int i = 3; i < n; i += 3) EXPECT_TRUE(ldl.left_out(i));
    VecX x = A.dense * VecX::Ones(n);  // solvable, with x = 0 in the rows left out
    const VecX b = x;
    ldl.solve(x);
    EXPECT_LT((A.dense * x - b).norm(), 1e-9 * b.norm());
  }
}

}  // namespace
}  // namespace couplet::math
