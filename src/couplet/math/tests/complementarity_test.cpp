// Lemke's method against the definition and against all choices of what is zero.
#include "couplet/math/complementarity.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "couplet/math/dense_lu.hpp"

namespace couplet::math {
namespace {

// Numbers are of size 1, conditions below 1e4.
constexpr double exact = 1e-9;

MatX random_definite(int n, int rank, std::mt19937& random) {
  std::normal_distribution<double> normal;
  MatX B(n, rank);
  for (double& x : B.reshaped()) x = normal(random);
  return B * B.transpose() + (rank < n ? 0 : 0.05) * MatX::Identity(n, n);
}

VecX random_vector(Eigen::Index n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  VecX x(n);
  for (double& each : x) each = normal(random);
  return x;
}

/// The only one of the 2ⁿ choices of z > 0 that fits.
std::optional<VecX> try_all(const MatX& A, const VecX& b) {
  for (unsigned choice = 0; choice < 1u << b.size(); ++choice) {
    std::vector<Eigen::Index> set;
    for (Eigen::Index i = 0; i < b.size(); ++i)
      if (choice >> i & 1u) set.push_back(i);
    VecX z = VecX::Zero(b.size());
    if (!set.empty()) {
      DenseLu<double> lu;
      lu.compute(A(set, set));
      z(set) = lu.solve(-b(set));
    }
    if (z.minCoeff() >= -exact && (A * z + b).minCoeff() >= -exact) return z;
  }
  return std::nullopt;
}

TEST(Complementarity, IsTheOnlyChoiceThatFits) {
  std::mt19937 random(1);
  for (int sample = 0; sample < 400; ++sample) {
    const int n = 1 + sample % 7;
    const MatX A = random_definite(n, n, random);
    const VecX b = random_vector(n, random);
    VecX z;
    ASSERT_TRUE(solve_complementarity(A, b, z));
    const std::optional<VecX> expected = try_all(A, b);
    ASSERT_TRUE(expected);
    EXPECT_LT((z - *expected).lpNorm<Eigen::Infinity>(), exact * (1 + expected->norm())) << n;
  }
}

// Rows that depend on each other, as stops of one loop do: z is not unique, A z is.
TEST(Complementarity, IsSolvedWhereRowsDependOnEachOther) {
  std::mt19937 random(2);
  for (int sample = 0; sample < 300; ++sample) {
    const int n = 2 + sample % 12, rank = 1 + sample % 3;
    const MatX A = random_definite(n, std::min(rank, n), random);
    const VecX b = random_vector(n, random).cwiseAbs() - A * random_vector(n, random).cwiseAbs();
    VecX z;
    ASSERT_TRUE(solve_complementarity(A, b, z)) << n << " " << rank;
    const VecX w = A * z + b;
    const double size = 1 + z.norm() * A.norm();
    EXPECT_GE(z.minCoeff(), 0);
    EXPECT_GE(w.minCoeff(), -exact * size);
    EXPECT_LT(std::abs(w.dot(z)), exact * size * (1 + z.norm()));
  }
}

TEST(Complementarity, TellsWhereThereIsNone) {
  VecX z;
  EXPECT_FALSE(solve_complementarity(MatX::Zero(1, 1), VecX::Constant(1, -1), z));
  MatX tied(2, 2);
  tied << 1, -1, -1, 1;  // what one stop gives the other one takes
  EXPECT_FALSE(solve_complementarity(tied, VecX::Constant(2, -1), z));
  EXPECT_TRUE(solve_complementarity(tied, (VecX(2) << -1, 1).finished(), z));
  EXPECT_TRUE(solve_complementarity(MatX(0, 0), VecX(0), z));
}

}  // namespace
}  // namespace couplet::math
