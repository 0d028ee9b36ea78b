#include "couplet/symbolic/print.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "couplet/symbolic/parse.hpp"

namespace couplet::symbolic {
namespace {

TEST(Print, IsReadable) {
  const auto again = [](const char* text) { return print(parse(text)); };
  EXPECT_EQ(again("k*(q - target) - d*v"), "k*(q - target) - d*v");
  EXPECT_EQ(again("a + b + c - 2"), "c + (a + b) - 2");
  EXPECT_EQ(again("x^2 + x*x*x"), "x^2 + x^3");
  EXPECT_EQ(again("-(a*b)"), "-a*b");
  EXPECT_EQ(again("a/(b*c)"), "a/(b*c)");
  EXPECT_EQ(again("(a^b)^c"), "(a^b)^c");
  EXPECT_EQ(again("a^b^c"), "a^b^c");
  EXPECT_EQ(again("2^(-x)"), "2^(-x)");
  EXPECT_EQ(again("if a < b and not c then 1 else if d then 2 else 3"),
            "if a < b and not c then 1 else if d then 2 else 3");
  EXPECT_EQ(again("2*(if a < b then 3 else 4)"), "2*(if a < b then 3 else 4)");
  EXPECT_EQ(again("atan2(-1.5e-8*y, 'my x'.q)"), "atan2(-1.5e-08*y, 'my x'.q)");
}

TEST(Print, ExtremeNumbersComeBack) {
  for (const double v :
       {1e308, -1e-308, 5e-324, 0.1, 1.0 / 3, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(parse(print(Expr(v))), Expr(v)) << v;
    const Expr e = min(Expr::symbol("x"), v) * v;
    EXPECT_EQ(parse(print(e)), e) << e;
  }
}

TEST(Print, IsBoundedHoweverMuchIsShared) {
  Expr e = Expr::symbol("x");
  for (int i = 0; i < 200; ++i) e = sin(e) + cos(e);  // 2²⁰⁰ leaves when written out
  EXPECT_EQ(print(e, 1000).size(), 1000 + std::string("…").size());

  Expr deep = Expr::symbol("x");
  for (int i = 0; i < 1000000; ++i) deep = sin(deep);
  EXPECT_EQ(print(deep, 10000000).size(), 5000001u);
}

}  // namespace
}  // namespace couplet::symbolic
