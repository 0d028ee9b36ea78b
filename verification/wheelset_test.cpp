// The wheelset of the test set for initial value problem solvers: contact points as algebraic
// unknowns, creep forces that depend on the multipliers. An index-2 problem that few
// general-purpose codes solve.
#include "problems/wheelset.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "couplet/integrate/driver.hpp"

namespace couplet::verification {
namespace {

using namespace integrate;

class Silent final : public Observer {
 public:
  void on_step(Rule&) override {}
};

// At t = 10 s, from an index-1 implementation with the contact points eliminated, tolerance 1e-8.
// Initial positions are published with five digits and miss the constraints by 5e-10 m: how that is
// made good moves the phase of the motion. Our runs converge (radau5 at 1e-10, dop853 at 1e-9: 1e-7
// apart) to values up to 6e-6 from these; with the 5e-10 m kept they come within 1e-6 of the
// reference's own run of that kind, which differs from these by 2e-6, and the published vector
// (DASSL, tolerance 1e-9) by up to 8e-6. So five digits can be asked for.
constexpr double reference[] = {8.6355385057787e-03,  1.3038387616867e-05, -9.3635824620510e-05,
                                -1.3642299195750e-02, 1.5292929250248e-03, -7.6985310449302e-02,
                                -2.5151113222184e-04, 2.0541189114633e-03, -2.3904831733888e-01,
                                -1.3633457184579e-02, -2.4421381283718e-01};
constexpr double contacts[] = {3.783961737436928e-4, 0.14173214928782818, -3.366674579569696e-4,
                               -0.15949425719612403};
constexpr double multipliers[] = {101.24044475850498, 56.28563388564649};  // N, with our sign
constexpr double trusted = 1e-5;

class WheelsetTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Rules, WheelsetTest,
                         testing::Values("ida", "radau5", "dop853", "gbs", "cvode-bdf",
                                         "cvode-adams", "abm", "dopri5"),
                         [](const auto& rule) {
                           std::string name = rule.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(WheelsetTest, HuntsAsPublished) {
  Wheelset wheelset;
  Driver driver(wheelset, check_rule(GetParam()), {1e-7, 1e-7}, {});
  driver.start(0, Wheelset::start());
  Silent silent;
  const Outcome outcome = driver.run(10, silent);
  ASSERT_EQ(outcome.ending, Ending::reached) << outcome.message;
  const VecX y = driver.rule().y();
  const Layout& layout = wheelset.layout();
  for (int i = 0; i < 11; ++i)
    EXPECT_NEAR(y[i] / reference[i], 1, trusted) << layout.component(i).name;

  VecX ydot = VecX::Zero(11), lambda, s;
  wheelset.calc_consistent(10, y, ydot, lambda, s);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(s[i] / contacts[i], 1, trusted) << "contact " << i;
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(lambda[i] / multipliers[i], 1, trusted) << "multiplier " << i;

  // DASSL took 58510 steps, 95533 residuals without those for 10218 Jacobians, at tolerance 1e-9.
  const Counts& counts = driver.rule().counts();
  RecordProperty("residuals", std::to_string(counts.residuals));
  if (counts.jacobians > 0) {
    EXPECT_LT(2 * counts.jacobians, counts.factorizations);
  }
}

// The accelerations of the problem's description, for its rounded initial values: four digits.
TEST(Wheelset, StartsAsPublished) {
  Wheelset wheelset;
  VecX y = Wheelset::start(), ydot = VecX::Zero(11), lambda, s;
  wheelset.project(0, y);
  EXPECT_LT((y - Wheelset::start()).lpNorm<Eigen::Infinity>(), 5e-9);
  wheelset.calc_consistent(0, y, ydot, lambda, s);
  EXPECT_NEAR(ydot[5], -1.975258894011285, 1e-5);
  EXPECT_NEAR(ydot[8], -5.533362821731549, 5e-5);
  EXPECT_NEAR(ydot[10], -2.132968724380927, 1e-3);
  EXPECT_NEAR(lambda[0], 83.593, 5e-3);
  EXPECT_NEAR(lambda[1], 74.144, 5e-3);

  // The residual agrees: another evaluation of the same equations.
  DescriptorPoint point{0, y, ydot.segment(5, 5), lambda, s, {}};
  DescriptorResidual residual;
  wheelset.calc_residual(point, residual);
  EXPECT_LT(residual.force.lpNorm<Eigen::Infinity>(), 1e-10);
  EXPECT_NEAR(residual.xdot[0], ydot[10], 1e-12);
  EXPECT_LT(residual.algebraic.lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_LT(residual.position.lpNorm<Eigen::Infinity>(), 1e-15);
}

}  // namespace
}  // namespace couplet::verification
