// `auto` changes between its rules where the problem does.
#include <gtest/gtest.h>

#include "conformance.hpp"
#include "sample_problems.hpp"

namespace couplet::integrate {
namespace {

/// q follows cos t, with λ = -1 and -K; K falls from 1000 to 1 at t = 5, and is back at t = 25.
struct Follower {
  static Newton problem() {
    return {1, [](double t, const double* q, const double* v, double* a) {
              const auto step = [&](double at) { return 1 / (1 + std::exp(20 * (at - t))); };
              const double K = 1000 - 999 * (step(5) - step(25));
              a[0] = -K * (q[0] - std::cos(t)) - (K + 1) * (v[0] + std::sin(t)) - std::cos(t);
            }};
  }
  static VecX solution(double t) { return vec({std::cos(t), -std::sin(t)}); }
};

TEST(Auto, GoesWhereTheProblemIsStiffAndBack) {
  for (const double tolerance : {1e-6, 1e-8}) {
    Newton problem = Follower::problem();
    const auto run = [&](const char* name, std::vector<RunNote>* notes = nullptr) {
      Driver driver(problem, check_rule(name), {tolerance, tolerance}, {});
      driver.start(0, Follower::solution(0));
      Silent silent;
      EXPECT_EQ(driver.run(30, silent).ending, Ending::reached);
      EXPECT_LT((driver.rule().y() - Follower::solution(30)).lpNorm<Eigen::Infinity>(),
                10 * tolerance)
          << name;
      if (notes) *notes = driver.notes();
      return driver.rule().counts().steps;
    };
    std::vector<RunNote> notes;
    EXPECT_LT(3 * run("auto", &notes), run("dopri5"));
    ASSERT_EQ(notes.size(), 3u) << tolerance;
    EXPECT_EQ(notes[0].element, "radau5");
    EXPECT_LT(notes[0].t, 1);
    EXPECT_EQ(notes[1].element, "dopri5");
    EXPECT_TRUE(notes[1].t > 5 && notes[1].t < 15) << notes[1].t;
    EXPECT_EQ(notes[2].element, "radau5");
    EXPECT_TRUE(notes[2].t > 24.5 && notes[2].t < 26) << notes[2].t;
  }
}

// Before, at and after its changes.
TEST(Auto, GoesOnFromAnArchiveBitForBit) {
  Newton problem = Follower::problem();
  for (int cut = 3; cut < 240; cut += 7)
    expect_same_bits_from_archive(check_rule("auto"), problem,
                                  {Follower::solution(0), VecX::Zero(2), 30, cut}, DriverOptions{});
}

TEST(Auto, IsDopri5WhereNothingIsStiff) {
  Newton problem = Kepler::problem();
  const auto run = [&](const char* name) {
    Driver driver(problem, check_rule(name), {1e-8, 1e-8}, {});
    driver.start(0, Kepler::solution(0));
    Silent silent;
    EXPECT_EQ(driver.run(6, silent).ending, Ending::reached);
    EXPECT_TRUE(driver.notes().empty());
    return VecX(driver.rule().y());
  };
  EXPECT_EQ(run("auto"), run("dopri5"));
}

}  // namespace
}  // namespace couplet::integrate
