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
  EXPECT_EQ(tape.instruction_count(),
            49u * 2 + 2);  // a product and a sum are one; the first sine folds
  EXPECT_LE(tape.register_count(), 50u + 2 + 4);
}

TEST(Tape, AProductOfTwoSumsIsPartOfBoth) {
  const Expr product = parse("x*y");
  const Tape tape(std::vector{product + parse("u"), parse("u*v") - product},
                  Names{"u", "v", "x", "y"});
  EXPECT_EQ(tape.instruction_count(), 2u);
  EXPECT_EQ(tape.evaluate(std::vector<double>{2, 3, 5, 7}), (std::vector<double>{37, -29}));
}

// The three sums of a row have three forms, and a sum may be in any of them that fits.
TEST(Tape, EveryFormOfASumHasTheSignOfItsZeroInEveryPlace) {
  Names names;
  std::vector<Expr> x, outputs;
  for (int i = 0; i < 20; ++i)
    names.push_back("x" + std::to_string(i)), x.push_back(Expr::symbol(names.back()));
  const auto forms = []<class T>(const T& a, const T& b, const T& c, const T& d) {
    return std::vector<T>{a * b,     -a,        a + b,         a - b,        a + b * c,
                          a - b * c, b * c - a, a * b + c * d, a * b - c * d};
  };
  for (std::size_t i = 0; i < x.size(); i += 4)
    for (const Expr& each : forms(x[i], x[i + 1], x[i + 2], x[i + 3])) outputs.push_back(each);
  const Tape tape(outputs, names);
  const std::vector<double> zeros_and_ones{0.0, -0.0, 1.0, -1.0};
  for (std::size_t k = 0; k < 256; ++k) {
    std::vector<double> values;
    for (std::size_t i = 0; i < x.size(); ++i)
      values.push_back(zeros_and_ones[k >> 2 * (i % 4) & 3]);
    const std::vector<double> expected = forms(values[0], values[1], values[2], values[3]);
    const std::vector<double> found = tape.evaluate(values);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double should_be = expected[i % expected.size()];
      EXPECT_EQ(found[i], should_be) << i << ' ' << k;
      EXPECT_EQ(std::signbit(found[i]), std::signbit(should_be)) << i << ' ' << k;
    }
  }
}

TEST(Tape, MoreThan65536Registers) {
  Names names;
  std::vector<double> values;
  std::vector<Expr> x, outputs;
  for (int i = 0; i < 70000; ++i) {
    names.push_back("x" + std::to_string(i));
    values.push_back(i);
    x.push_back(Expr::symbol(names.back()));
  }
  for (std::size_t i = 0; i + 3 < x.size(); i += 4)
    for (const Expr& output : {x[i] * x[i + 1] + x[i + 2] * x[i + 3], x[i] * x[i + 1] - x[i + 2],
                               sqrt(x[i + 1]) + x[i + 3]})
      outputs.push_back(output);
  const Tape tape(outputs, names);
  EXPECT_GT(tape.register_count(), 65536u);
  const std::vector<double> found = tape.evaluate(values);
  for (std::size_t i = 0, k = 0; i + 3 < x.size(); i += 4, k += 3) {
    const double a = values[i], b = values[i + 1], c = values[i + 2], d = values[i + 3];
    EXPECT_EQ(found[k], a * b + c * d);
    EXPECT_EQ(found[k + 1], a * b - c);
    EXPECT_EQ(found[k + 2], std::sqrt(b) + d);
  }
}

}  // namespace
}  // namespace couplet::symbolic
