// A problem without constraints, seen through the descriptor form: the same rates, and a residual
// that they solve.
#include "couplet/integrate/explicit_descriptor.hpp"

#include <gtest/gtest.h>

#include "sample_problems.hpp"

namespace couplet::integrate {
namespace {

TEST(ExplicitDescriptor, RatesSolveTheResidual) {
  Newton problem = Kepler::problem();
  std::unique_ptr<ExplicitDescriptor> adapter;
  DescriptorForm& form = descriptor_of(problem, adapter);
  ASSERT_EQ(&form, adapter.get());
  const VecX y = Kepler::solution(0.7);
  VecX ydot = VecX::Zero(4), stage = ydot, lambda, s;
  form.calc_consistent(0.7, y, ydot, lambda, s);
  form.calc_half_explicit(0.7, y, 0.8, y, 0.1, stage, lambda);
  EXPECT_EQ(stage, ydot);
  EXPECT_EQ(lambda.size(), form.rows());
  DescriptorResidual residual;
  form.calc_residual({0.7, y, ydot.tail(2), lambda, s, {}}, residual);
  EXPECT_EQ(residual.force, VecX::Zero(2));
  form.calc_residual({0.7, y, ydot.tail(2) + vec({1, 2}), lambda, s, {}}, residual);
  EXPECT_NEAR((residual.force - vec({1, 2})).norm(), 0, 1e-15);
}

// Each column of each row that a difference quotient finds is in the pattern.
TEST(ExplicitDescriptor, PatternHoldsEveryDependence) {
  Newton problem = Kepler::problem();
  ExplicitDescriptor form(problem);
  const DescriptorPattern& pattern = form.pattern();
  ASSERT_EQ(pattern.rows.size(), 2u);
  EXPECT_EQ(pattern.columns, 6);
  EXPECT_EQ(pattern.rows[0], (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(pattern.rows[1], (std::vector<int>{0, 1, 2, 3, 5}));
}

}  // namespace
}  // namespace couplet::integrate
