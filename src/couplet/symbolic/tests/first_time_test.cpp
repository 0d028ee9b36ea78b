// Bounds hold wherever a function is looked at, and the first time is found however short.
#include "couplet/symbolic/first_time.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/parse.hpp"

namespace couplet::symbolic {
namespace {

constexpr double pi = std::numbers::pi, never = std::numeric_limits<double>::infinity();
const std::vector<std::string> names{"t", "p"};

TEST(Bounds, HoldEverywhereInTheInterval) {
  const char* const expressions[] = {"t*t - 3*t",
                                     "t^3 - p",
                                     "(t - 1)^2",
                                     "1/(t + 40)",
                                     "p/t",
                                     "sin(2*t)",
                                     "cos(t - p)",
                                     "tan(t/9)",
                                     "atan2(t, p)",
                                     "acos(t/50)",
                                     "asin(-t/50)",
                                     "exp(-t*t)",
                                     "log(t*t + 1)",
                                     "sqrt(t + 40)",
                                     "cosh(t/7)*tanh(t)",
                                     "sinh(t/9) + atan(t)",
                                     "abs(t - 2)",
                                     "sign(t)",
                                     "min(t, p)",
                                     "max(t*t, 3)",
                                     "floor(t/2)",
                                     "ceil(t)",
                                     "mod(t, 3)",
                                     "mod(t, -2.5)",
                                     "t < p",
                                     "t <= 2",
                                     "not (t < 2)",
                                     "t < 2 or t > 3",
                                     "t > 2 and t < 3",
                                     "t != 2",
                                     "if t > 1 then t else -p",
                                     "noevent(t)^-2",
                                     "t^2.5",
                                     "2^t",
                                     "(t*t)^t"};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> where(-30, 30), width(0, 3), share(0, 1);
  for (const char* text : expressions) {
    const Expr e = parse(text);
    ASSERT_TRUE(Bounds::cover(e));
    Bounds bounds(std::span(&e, 1), names);
    const Tape tape(std::span(&e, 1), names);
    for (int i = 0; i < 300; ++i) {
      const double a = where(random), b = a + std::pow(width(random), 3);
      Interval found;
      bounds.calc(std::array{0.0, 1.5}, {a, b}, {&found, 1});
      const double t = i % 5 == 0 ? b : a + share(random) * (b - a);
      const double value = tape.evaluate(std::array{t, 1.5}).front();
      const double slack = 1e-12 * std::abs(value);  // round-off
      if (std::isnan(value)) continue;
      EXPECT_LE(found.low, value + slack) << text << " in " << a << ", " << b;
      EXPECT_GE(found.high, value - slack) << text << " in " << a << ", " << b;
    }
  }
}

double first_time(const char* text, double t, double p = 0) {
  const Expr e = parse(text);
  FirstTime search(e, differentiate(e, Expr::symbol("t")), names);
  return search.find(std::array{t, p}, t);
}

TEST(FirstTime, IsFoundHoweverShortItIs) {
  EXPECT_NEAR(first_time("(t - 40)^2 - 1e-10", 0), 40 - 1e-5, 1e-13);
  EXPECT_NEAR(first_time("(t - 1e5)^2 - 1e-12", 1), 1e5 - 1e-6, 1e-10);
  EXPECT_NEAR(first_time("0.5 - exp(-((t - 40)/1e-6)^2)", 0), 40 - 1e-6 * std::sqrt(std::log(2)),
              1e-13);
  EXPECT_NEAR(first_time("0.999999 - sin(t)", 3), 2.5 * pi - std::acos(0.999999), 1e-9);
  EXPECT_NEAR(first_time("sin(t)", 1), pi, 1e-15);
}

TEST(FirstTime, IsNeverWhereItDoesNotCome) {
  for (const char* text :
       {"1.001 - sin(t)", "exp(-t)", "(t - 3)^2", "t^2 + 1", "2 + sin(t)*cos(3*t)", "sqrt(3 - t)"})
    EXPECT_EQ(first_time(text, 0), never) << text;
  EXPECT_EQ(first_time("t^2 - 1", 2), never);
  EXPECT_NEAR(first_time("t^2 - 1", -5), -1, 1e-15);
}

// A run that goes on finds the time that the run that was interrupted had found, bit by bit.
TEST(FirstTime, DoesNotDependOnWhereTheSearchBegins) {
  const double t = first_time("0.3 - sin(t^1.5)", 20);
  for (const double share : {0.1, 0.5, 0.9, 0.999999})
    EXPECT_EQ(first_time("0.3 - sin(t^1.5)", 20 + share * (t - 20)), t);
}

TEST(FirstTime, StaysUntilWhatItDependsOnChanges) {
  const Expr e = parse("p - exp(t)");
  FirstTime search(e, differentiate(e, Expr::symbol("t")), names);
  const double t = search.find(std::array{0.0, 2.0}, 0);
  EXPECT_NEAR(t, std::log(2), 1e-15);
  EXPECT_EQ(search.find(std::array{t, 2.0}, t), t);  // due
  EXPECT_NEAR(search.find(std::array{0.5, 3.0}, 0.5), std::log(3), 1e-15);
}

}  // namespace
}  // namespace couplet::symbolic
