#include "couplet/symbolic/differentiate.hpp"

#include <gtest/gtest.h>

#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/print.hpp"
#include "couplet/symbolic/substitute.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::symbolic {
namespace {

const Expr x = Expr::symbol("x");
const Expr y = Expr::symbol("y");

TEST(Differentiate, KnowsTheTable) {
  const auto d = [](const char* text) { return differentiate(parse(text), x); };
  EXPECT_EQ(d("3"), 0);
  EXPECT_EQ(d("y"), 0);
  EXPECT_EQ(d("x"), 1);
  EXPECT_EQ(d("x^3"), 3 * x * x);
  EXPECT_EQ(d("sin(2*x)"), 2 * cos(2 * x));
  EXPECT_EQ(d("exp(x*y)"), y * exp(x * y));
  EXPECT_EQ(d("sqrt(x)"), 0.5 / sqrt(x));
  EXPECT_EQ(d("abs(x)"), sign(x));
  EXPECT_EQ(d("x^y"), y * pow(x, y - 1));
  EXPECT_EQ(d("y^x"), pow(y, x) * log(y));
  EXPECT_EQ(d("if x > 0 then x*y else 3"), select(greater(x, 0), y, 0));
  EXPECT_EQ(d("mod(x, 3) + floor(x)"), 1);
  EXPECT_EQ(d("k*(target - x) - d*x"), -(Expr::symbol("d") + Expr::symbol("k")));
}

TEST(Differentiate, JacobianHasOnlyWhatIsNotZero) {
  const std::vector<Expr> outputs{x * y, sin(y), Expr(3), x + x};
  const std::vector<Expr> symbols{x, y, Expr::symbol("z")};
  const auto entries = differentiate(outputs, symbols);
  ASSERT_EQ(entries.size(), 4u);
  const std::vector<std::tuple<std::size_t, std::size_t, Expr>> expected{
      {0, 0, y}, {3, 0, 2}, {0, 1, x}, {1, 1, cos(y)}};
  for (std::size_t i = 0; i < entries.size(); ++i)
    EXPECT_EQ(std::tuple(entries[i].row, entries[i].column, entries[i].value), expected[i]);
}

TEST(Differentiate, SharedPartsAreDifferentiatedOnce) {
  Expr e = x;
  for (int i = 0; i < 300; ++i) e = sin(e) * cos(e);  // 2³⁰⁰ terms when written out
  EXPECT_LT(Order(differentiate(e, x)).size(), 300u * 12);

  Expr deep = x;
  for (int i = 0; i < 100000; ++i) deep = sin(deep) + y;
  EXPECT_GT(Order(differentiate(deep, x)).size(), 200000u);  // and no depth is too deep
}

TEST(Differentiate, SparseColumnsCostOnlyWhatDependsOnThem) {
  std::vector<Expr> outputs;
  std::vector<Expr> symbols;
  for (int i = 0; i < 20000; ++i) {
    symbols.push_back(Expr::symbol("q" + std::to_string(i)));
    outputs.push_back(symbols.back() * sin(symbols[static_cast<std::size_t>(i / 2)]));
  }
  EXPECT_EQ(differentiate(outputs, symbols).size(), 2u * 20000 - 1);  // quadratic cost would show
}

TEST(Substitute, ReplacesAllAtOnce) {
  EXPECT_EQ(substitute(x - 2 * y, {{x, y}, {y, x}}), y - 2 * x);
  EXPECT_EQ(substitute(sin(x) * y, {{sin(x), y}}), y * y);
  EXPECT_EQ(substitute(x * y + 1, {{x, 0}}), 1);
}

TEST(FindSymbols, AreSortedAndOnlyThoseThatMatter) {
  EXPECT_EQ(find_symbols(parse("k*(target - q) - d*v + 0*z")),
            (std::vector<std::string>{"d", "k", "q", "target", "v"}));
  EXPECT_TRUE(find_symbols(Expr(1)).empty());
}

TEST(OpCounts, CountSharedWorkOnce) {
  const Expr s = sin(x) * y;
  const std::vector<Expr> outputs{s + 1, s * s - 1 / y, -s};
  EXPECT_EQ(op_counts(outputs), (OpCounts{3, 2, 1, 0}));
  EXPECT_EQ(op_counts(select(less(x, y), pow(x, 4), y)), (OpCounts{2, 0, 0, 2}));
}

}  // namespace
}  // namespace couplet::symbolic
