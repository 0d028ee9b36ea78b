// Andrews' squeezing mechanism with implicit rules: 1e6 rad/s² on 1e-6 kg m², where many codes for
// index 2 and 3 fail.
#include <gtest/gtest.h>

#include <cmath>

#include "couplet/integrate/driver.hpp"
#include "problems/andrews.hpp"

namespace couplet::verification {
namespace {

class Silent final : public integrate::Observer {
 public:
  void on_step(integrate::Rule&) override {}
};

// Positions at 0.03 s; two formulations and three integrators agree to 2e-15.
constexpr double end[] = {15.810771195153709,   -15.756371058411842, 0.040822240119645822,
                          -0.53473011634207956, 0.52440996587995407, 0.53473011634207956,
                          1.0480807410419379};

TEST(ImplicitAndrews, StaysWithinTenTolerances) {
  for (const char* name : {"ida", "radau5"})
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      Andrews problem;
      integrate::Driver driver(problem, integrate::check_rule(name), {tolerance, tolerance}, {});
      driver.start(0, Andrews::start());
      Silent silent;
      const integrate::Outcome outcome = driver.run(0.03, silent);
      ASSERT_EQ(outcome.ending, integrate::Ending::reached) << name << ": " << outcome.message;
      for (int i = 0; i < 7; ++i)
        EXPECT_NEAR(driver.rule().y()[i], end[i], 10 * tolerance) << name << " " << i;
      const integrate::Counts& counts = driver.rule().counts();
      EXPECT_LT(2 * counts.jacobians, counts.factorizations) << name;
      EXPECT_LE(counts.evaluations, 3) << name;  // accelerations: at the start only
    }
}

// Round-off of positions shows in the velocities divided by h, and no iteration gets rid of it:
// that is no failure.
TEST(ImplicitAndrews, GeneralisedAlphaIsOfOrderTwo) {
  double error[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    Andrews problem;
    integrate::Driver driver(problem, integrate::check_rule("generalised-alpha"), {},
                             {.step = 1e-5 / (1 << k)});
    driver.start(0, Andrews::start());
    Silent silent;
    const integrate::Outcome outcome = driver.run(0.03, silent);
    ASSERT_EQ(outcome.ending, integrate::Ending::reached) << outcome.message;
    for (int i = 0; i < 7; ++i)
      error[k] = std::max(error[k], std::abs(driver.rule().y()[i] - end[i]));
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.3) << error[0];
}

// Its crank turns five times: derivatives are good for many steps, and round-off in the speeds is
// no sign that they are not.
TEST(ImplicitAndrews, GeneralisedAlphaKeepsItsDerivatives) {
  Andrews problem;
  integrate::Driver driver(problem, integrate::check_rule("generalised-alpha"), {}, {.step = 1e-5});
  driver.start(0, Andrews::start());
  Silent silent;
  ASSERT_EQ(driver.run(0.03, silent).ending, integrate::Ending::reached);
  EXPECT_LT(10 * driver.rule().counts().jacobians, driver.rule().counts().steps);
}

TEST(ImplicitAndrews, GeneralisedAlphaStaysWithinTenTolerances) {
  for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
    Andrews problem;
    integrate::Driver driver(problem, integrate::check_rule("generalised-alpha"),
                             {tolerance, tolerance}, {});
    driver.start(0, Andrews::start());
    Silent silent;
    const integrate::Outcome outcome = driver.run(0.03, silent);
    ASSERT_EQ(outcome.ending, integrate::Ending::reached) << outcome.message;
    for (int i = 0; i < 7; ++i) EXPECT_NEAR(driver.rule().y()[i], end[i], 10 * tolerance) << i;
    const integrate::Counts& counts = driver.rule().counts();
    EXPECT_LT(10 * counts.jacobians, counts.factorizations);
    EXPECT_LE(counts.evaluations, 4);  // accelerations: at the start only
  }
}

}  // namespace
}  // namespace couplet::verification
