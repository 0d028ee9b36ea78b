#include "couplet/symbolic/tape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/parse.hpp"

namespace couplet::symbolic {
namespace {

using Names = std::vector<std::string>;

double run(const char* text, const Names& names, const std::vector<double>& values) {
  return Tape(std::vector{parse(text)}, names).evaluate(values)[0];
}

TEST(Tape, EvaluatesForceLaws) {
  const Names names{"k", "target", "q", "d", "v", "unused"};
  EXPECT_DOUBLE_EQ(run("k*(target - q) - d*v", names, {100, 1, 0.75, 2, 3, 0}), 19);
  EXPECT_EQ(run("3", names, {0, 0, 0, 0, 0, 0}), 3);
  EXPECT_EQ(run("q", names, {0, 0, 7, 0, 0, 0}), 7);
  EXPECT_EQ(run("'lower arm' + 1", {"lower arm"}, {1}), 2);
}

TEST(Tape, EveryFunctionHasItsValue) {
  const auto at = [](const char* text) { return run(text, {"x", "y"}, {0.3, -1.7}); };
  EXPECT_EQ(at("sin(x)"), std::sin(0.3));
  EXPECT_EQ(at("cos(x)"), std::cos(0.3));
  EXPECT_EQ(at("tan(x)"), std::tan(0.3));
  EXPECT_EQ(at("asin(x)"), std::asin(0.3));
  EXPECT_EQ(at("acos(x)"), std::acos(0.3));
  EXPECT_EQ(at("atan(x)"), std::atan(0.3));
  EXPECT_EQ(at("atan2(x, y)"), std::atan2(0.3, -1.7));
  EXPECT_EQ(at("sinh(x)"), std::sinh(0.3));
  EXPECT_EQ(at("cosh(x)"), std::cosh(0.3));
  EXPECT_EQ(at("tanh(x)"), std::tanh(0.3));
  EXPECT_EQ(at("exp(y)"), std::exp(-1.7));
  EXPECT_EQ(at("log(x)"), std::log(0.3));
  EXPECT_EQ(at("sqrt(x)"), std::sqrt(0.3));
  EXPECT_EQ(at("abs(y)"), 1.7);
  EXPECT_EQ(at("sign(y)"), -1);
  EXPECT_EQ(at("min(x, y)"), -1.7);
  EXPECT_EQ(at("max(x, y)"), 0.3);
  EXPECT_EQ(at("x^y"), std::pow(0.3, -1.7));
  EXPECT_EQ(at("floor(y)"), -2);
  EXPECT_EQ(at("ceil(y)"), -1);
  EXPECT_EQ(at("mod(y, x)"), -1.7 - 0.3 * std::floor(-1.7 / 0.3));
  EXPECT_EQ(at("x < y"), 0);
  EXPECT_EQ(at("x >= y"), 1);
  EXPECT_EQ(at("x == y or not x <= y and x != y"), 1);
}

TEST(Tape, TheSideNotTakenDoesNotLeak) {
  EXPECT_EQ(run("if x > 0 then sqrt(x) else 0", {"x"}, {-1}), 0);
  EXPECT_EQ(run("2*(if x == 0 then 1 else sin(x)/x) + 1", {"x"}, {0}), 3);
}

TEST(Tape, NaNGoesThroughFunctionsThatCouldHideIt) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* text : {"min(x, y)", "max(x, y)", "min(y, x)", "sign(x)", "mod(x, y)"})
    EXPECT_TRUE(std::isnan(run(text, {"x", "y"}, {nan, 1}))) << text;
}

TEST(Tape, NamesEverySymbolThatIsNoInput) {
  try {
    Tape(std::vector{parse("stiffnes*q + zeta")}, Names{"stiffness", "q"});
    FAIL() << "must not compile";
  } catch (const base::UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'stiffnes' is not known here"), std::string::npos) << text;
    EXPECT_NE(text.find("did you mean 'stiffness'?"), std::string::npos) << text;
    EXPECT_NE(text.find("'zeta' is not known here"), std::string::npos) << text;
  }
}

TEST(Tape, ReusesRegistersAndSharesWork) {
  Expr sum = 0;
  Names names;
  for (int i = 0; i < 50; ++i) {
    names.push_back("q" + std::to_string(i));
    sum = sin(sum * Expr::symbol(names.back()) + 1);
  }
  const Tape tape(std::vector{sum, sum * sum, -sum}, names);
  EXPECT_EQ(tape.instruction_count(), 49u * 2 + 2);  // a product and a sum are one; the first sine folds
  EXPECT_LE(tape.register_count(), 50u + 2 + 4);
}

}  // namespace
}  // namespace couplet::symbolic
