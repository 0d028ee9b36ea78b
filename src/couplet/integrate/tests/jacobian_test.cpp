// Derivatives by coloured differences, and the Newton matrices made from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain_problem.hpp"
#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/jacobian/colouring.hpp"
#include "couplet/integrate/stabilised_system.hpp"

namespace couplet::integrate {
namespace {

DescriptorPoint some_point(const Chain& chain, unsigned seed) {
  std::srand(seed);
  const int nv = chain.layout().nv;
  return {0, VecX::Random(2 * nv), VecX::Random(nv), VecX::Random(chain.rows()), VecX(), VecX()};
}

TEST(Colouring, ColumnsOfAGroupShareNoRow) {
  const Chain chain(20);
  const std::vector<std::vector<int>> groups = colour_columns(chain.pattern());
  std::vector<int> times(static_cast<size_t>(chain.pattern().columns), 0);
  for (const std::vector<int>& group : groups) {
    for (const int column : group) ++times[static_cast<size_t>(column)];
    for (const std::vector<int>& row : chain.pattern().rows) {
      int met = 0;
      for (const int column : row)
        met += static_cast<int>(std::count(group.begin(), group.end(), column));
      EXPECT_LE(met, 1);
    }
  }
  EXPECT_THAT(times, testing::Each(1));
}

// The residuals that a Jacobian takes depend on the fullest row, not on the length of the chain:
// one column at a time it would be 7 n + 1.
TEST(Colouring, CostDoesNotGrowWithTheChain) {
  const auto residuals = [](int n) {
    Chain chain(n);
    Counts counts;
    DescriptorJacobian jacobian(chain, chain, {}, counts);
    std::vector<double> values(static_cast<size_t>(jacobian.entries()));
    jacobian.differentiate(some_point(chain, 1), values);
    EXPECT_EQ(counts.jacobians, 1);
    return counts.residuals;
  };
  EXPECT_EQ(residuals(10), residuals(50));
  EXPECT_LE(residuals(10), 14);  // the fullest row, a force, has 6 positions, one v̇ and two λ
}

TEST(DescriptorJacobian, ColouredDifferencesEqualSingleOnes) {
  Chain chain(7);
  Counts counts;
  DescriptorJacobian coloured(chain, chain, {}, counts),
      single(chain, chain, {.coloured = false}, counts);
  std::vector<double> a(static_cast<size_t>(coloured.entries())), b = a;
  for (unsigned seed = 1; seed < 10; ++seed) {
    coloured.differentiate(some_point(chain, seed), a);
    single.differentiate(some_point(chain, seed), b);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-7);  // round-off over an increment of 1.5e-8
  }
  EXPECT_EQ(single.groups(), chain.pattern().columns);
}

/// A form that takes several points at once, of which it makes a loop.
struct ChainInLanes : Chain {
  explicit ChainInLanes(int n, int lanes) : Chain(n), lanes_(lanes) {}
  int lanes() const override { return lanes_; }
  void calc_residuals(std::span<const DescriptorPoint> points,
                      std::span<DescriptorResidual> out) override {
    EXPECT_LE(points.size(), static_cast<size_t>(lanes_));
    ++batches;
    DescriptorForm::calc_residuals(points, out);
  }
  int lanes_, batches = 0;
};

// Blocks change neither the numbers, nor how many residuals they take, nor where the form gives
// what it gives.
TEST(DescriptorJacobian, BlocksOfResidualsGiveTheSameNumbers) {
  Chain chain(7);
  for (const int lanes : {1, 2, 4, 1000}) {
    ChainInLanes in_lanes(7, lanes);
    Counts a_counts, b_counts;
    DescriptorJacobian single(chain, chain, {}, a_counts), blocks(in_lanes, in_lanes, {}, b_counts),
        switched_off(in_lanes, in_lanes, {.batched = false}, a_counts);
    std::vector<double> a(static_cast<size_t>(single.entries())), b = a;
    single.differentiate(some_point(chain, 1), a);
    blocks.differentiate(some_point(chain, 1), b);
    EXPECT_EQ(a, b) << lanes;
    EXPECT_EQ(a_counts.residuals, b_counts.residuals);
    const int expected =
        lanes == 1 ? 0 : (blocks.groups() + lanes) / lanes;  // groups and the point, rounded up
    EXPECT_EQ(in_lanes.batches, expected) << lanes;
    switched_off.differentiate(some_point(chain, 1), b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(in_lanes.batches, expected) << lanes;
  }
}

/// F(t, z, ż) of the stabilised system at a random point, and its Newton matrix applied to a random
/// vector.
template <class Scalar>
void check_newton_matrix(Problem& problem, const VecX& y, Scalar j,
                         const ImplicitOptions& options) {
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  Counts counts;
  StabilisedSystem system(problem, options, counts);
  VecX z, zdot;
  system.calc_consistent(0, y, z, zdot);
  system.differentiate(0, z, zdot);
  system.factorise(j);
  VecX before = z, plus = z, minus = z;
  system.calc_residual(0, z, zdot, before);
  EXPECT_LT(before.lpNorm<Eigen::Infinity>(), 1e-12);
  // A solution Δ of the linear system must give back the right-hand side as a difference of F along
  // (Δ, jΔ).
  Vector right = Vector::Random(z.size());
  Vector delta = right;
  system.solve(delta);
  const auto difference = [&](const VecX& dz, const VecX& dzdot) -> VecX {
    const double e =
        1e-2 / std::max({1.0, dz.lpNorm<Eigen::Infinity>(), dzdot.lpNorm<Eigen::Infinity>()});
    system.calc_residual(0, z + e * dz, zdot + e * dzdot, plus);
    system.calc_residual(0, z - e * dz, zdot - e * dzdot, minus);
    return (plus - minus) / (2 * e);
  };
  Vector again = difference(delta.real(), (j * delta).real()).template cast<Scalar>();
  if constexpr (!std::is_same_v<Scalar, double>)
    again += Scalar(0, 1) * difference(delta.imag(), (j * delta).imag()).template cast<Scalar>();
  EXPECT_LT((again - right).norm() / right.norm(),
            1e-5);  // F is quadratic: only the matrix has errors
}

TEST(StabilisedSystem, NewtonMatrixIsItsDerivative) {
  Chain chain(4);
  VecX y = chain.start();
  for (const bool sparse : {true, false}) {
    check_newton_matrix(chain, y, 10.0, {.sparse = sparse});
    check_newton_matrix(chain, y, 1e3, {.sparse = sparse});
    check_newton_matrix(chain, y, std::complex<double>(20, 30), {.sparse = sparse});
  }
}

// A constraint that is there twice: which of the two carries the load cannot be said.
TEST(StabilisedSystem, SingularMatrixNamesAnUnknown) {
  Chain chain(3, true);
  for (const bool sparse : {true, false}) {
    Counts counts;
    StabilisedSystem system(chain, {.sparse = sparse}, counts);
    const VecX z = VecX::Ones(system.size()), zdot = VecX::Zero(system.size());
    system.differentiate(0, z, zdot);
    try {
      system.factorise(100.0);
      ADD_FAILURE() << "a singular matrix was accepted";
    } catch (const base::ComputationError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("multiplier ")) << sparse;
      EXPECT_THAT(error.what(), testing::HasSubstr("singular")) << sparse;
    }
  }
}

}  // namespace
}  // namespace couplet::integrate
