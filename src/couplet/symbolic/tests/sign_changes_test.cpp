// Changes of sign along a step, and bumps in it, that five points do not show.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/path_sight.hpp"

namespace couplet::symbolic {
namespace {

const std::vector<std::string> names{"t", "x", "p", "y"};
constexpr Moving moving{2, 1};

/// x and y at five points of a step from 0 to 1.
class Step {
 public:
  template <class X, class Y>
  Step(const X& x, const Y& y) {
    for (size_t k = 0; k < 5; ++k) {
      const double t = static_cast<double>(k) / 4;
      values_[k] = {x(t), y(t)};
      points_.first[k] = values_[k].data();
      points_.last[k] = values_[k].data() + 1;
    }
  }
  const StepPoints& points() const { return points_; }

 private:
  std::array<std::array<double, 2>, 5> values_;
  StepPoints points_{0, 1, {}};
};

std::optional<SignChanges::Bracket> find(const char* text, const Step& step, double p, double from,
                                         double to, bool negative) {
  const Expr e = parse(text);
  SignChanges changes(std::span(&e, 1), names, moving);
  if (!changes.watches(0)) return std::nullopt;
  return changes.find(0, std::vector<double>{0, 0, p, 0}, step.points(), from, to, negative);
}

const auto zero = [](double) { return 0.0; };

// sin(p x) with x = t: zeros at kπ/p, each falling one is found, and in order.
TEST(SignChanges, EveryZeroOfAFastOscillationIsFound) {
  const double p = 200;
  const Step step([](double t) { return t; }, zero);
  double from = 1e-3;
  for (int k = 1; k < 60; ++k) {
    const auto found = find("sin(p*x)", step, p, from, 4, k % 2 == 0);
    ASSERT_TRUE(found) << k;
    const double exact = 4 * k * std::numbers::pi / p;
    EXPECT_LE(found->from, exact) << k;
    EXPECT_GE(found->to, exact) << k;
    from = found->to;
  }
}

TEST(SignChanges, AShortVisitIsFoundAndATouchIsNone) {
  const Step step([](double t) { return 3 * t; }, [](double t) { return t * t; });
  for (const double w : {1e-1, 1e-3, 1e-6}) {
    const auto found = find("(x - 1)^2 - p", step, w * w, 0, 4, false);
    ASSERT_TRUE(found) << w;
    const double exact = 4 * (1 - w) / 3;
    EXPECT_LE(found->from, exact);
    EXPECT_GE(found->to, exact);
  }
  EXPECT_FALSE(find("(x - 1)^2 + p", step, 1e-9, 0, 4, false));
  EXPECT_FALSE(find("x*x - 9*y + p", step, 1e-3, 0, 4, false));  // 0 + p all the way
}

// Those that the quartic through the values shows need no bounds; of tables and of other inputs
// nothing is known.
TEST(SignChanges, OnlyWhatBendsIsWatched) {
  const auto watches = [](const char* text) {
    const Expr e = parse(text);
    return SignChanges(std::span(&e, 1), names, moving).watches(0);
  };
  EXPECT_FALSE(watches("p*x - 3*y + t - sin(p)"));
  EXPECT_TRUE(watches("x*y - 1"));
  EXPECT_TRUE(watches("sin(t) - x"));
  EXPECT_FALSE(watches("sin(p) - 1"));
}

double sees(const char* text, const Step& step) {
  const Expr e = parse(text);
  const std::vector<Shape> shapes = find_shapes(
      e, [](const std::string& name) { return name == "p"; },
      [](const std::string& name) { return name != "p"; });
  PathSight sight(shapes, names, moving);
  return sight.look(std::vector<double>{0, 0, 1e-4, 0}, step.points()).until;
}

// A step ends before the bump, wherever it is, and not where there is none.
TEST(PathSight, ABumpIsSeenFromAfar) {
  const Step step([](double t) { return 10 * t; }, [](double t) { return 10 * t - 3; });
  for (const char* bump : {"exp(-((x - 4)/p)^2)", "x*exp(-((x - 4)/p)^2)", "1/(1 + ((x - 4)/p)^2)",
                           "exp(-((x - y + t - 3.4)/p)^2)", "(2 + y)*tanh((x - 4)/p)^2"}) {
    const double until = sees(bump, step);
    EXPECT_LE(until, 0.4) << bump;
    EXPECT_GE(until, 0.1) << bump;
  }
  for (const char* plain :
       {"exp(-((x - 4)/30)^2)", "tanh((x - 4)/p)", "x^3 - 2*x*y", "sqrt(1 + x^2)", "1/(1 + x/10)^2",
        "sin(x/5) + exp(x/5)", "exp(-((x - 24)/p)^2)", "if noevent(x > 4) then 1 else 0"})
    EXPECT_EQ(sees(plain, step), 1) << plain;
}

}  // namespace
}  // namespace couplet::symbolic
