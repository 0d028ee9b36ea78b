// Tables inside expressions: values on the tape, derivatives, C text, kinks.
#include "couplet/symbolic/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "couplet/symbolic/c_code.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/tape.hpp"
#include "couplet/symbolic/tests/compiled_c.hpp"

namespace couplet::symbolic {
namespace {

using math::BilinearMap;
using math::Outside;
using math::PiecewisePolynomial;
using Numbers = std::vector<double>;

const std::vector<std::string> names{"x", "y"};
const Expr x = Expr::symbol("x"), y = Expr::symbol("y");

double at(const Expr& e, double a, double b = 0) {
  return Tape(std::vector{e}, names).evaluate(Numbers{a, b})[0];
}

PiecewisePolynomial curve(Outside outside = Outside::continued) {
  const Numbers points{-1, 0, 0.4, 1.5, 2}, values{0.3, 1, -0.4, 0.2, 2};
  return PiecewisePolynomial::through(
      points, values, math::calc_slopes(points, values, math::SlopeRule::spline), outside);
}

BilinearMap map(Outside outside = Outside::continued) {
  return {{0, 1, 3}, {-1, 0, 2}, {1, 2, 4, 0, 3, 5, -2, 1, 7}, outside};
}

TEST(Table, EqualDataAreOneFunctionAndOthersAreTheirOwn) {
  const ExternalFunction& a = make_table_function({"gas", curve()});
  EXPECT_EQ(&a, &make_table_function({"gas", curve()}));
  EXPECT_NE(&a, &make_table_function({"gas", curve(Outside::held)}));
  EXPECT_NE(&a, &make_table_function({"oil", curve()}));
  EXPECT_EQ(&make_table_function({"gas", curve(Outside::refused)}),
            &make_table_function({"gas", curve(Outside::refused)}));  // NaN outside, yet equal
  EXPECT_EQ(call(a, x), call(a, x));
  EXPECT_EQ(call(a, 0.7).value(), curve()(0.7));
}

TEST(Table, DerivativesFollowTheChainRule) {
  const Expr f = call(make_table_function({"gas", curve()}), x * y) * x;
  const Expr g = call(make_table_function({"torque", map()}), x + y, x * y);
  const double h = 1e-6;
  for (const Expr& e : {f, g})
    for (double a = -1.23; a < 2; a += 0.17) {
      const double b = 0.8;
      EXPECT_NEAR(at(differentiate(e, x), a, b), (at(e, a + h, b) - at(e, a - h, b)) / (2 * h),
                  1e-7);
      EXPECT_NEAR(at(differentiate(e, y), a, b), (at(e, a, b + h) - at(e, a, b - h)) / (2 * h),
                  1e-7);
    }
  Expr fourth = call(make_table_function({"gas", curve()}), x);
  for (int k = 0; k < 4; ++k) fourth = differentiate(fourth, x);
  EXPECT_EQ(fourth, Expr(0));
}

// Both sides of an if are evaluated: NaN outside of a table does no harm where it is not chosen.
TEST(Table, OutsideDoesNoHarmOnTheSideNotTaken) {
  const Expr f = call(make_table_function({"gas", curve(Outside::refused)}), x);
  EXPECT_EQ(at(select(less(x, 2), f, 7), 100), 7);
  EXPECT_TRUE(std::isnan(at(f, 100)));
}

TEST(Table, GeneratedCGivesTheSameBits) {
  if (!CompiledC::is_available()) GTEST_SKIP() << "no C compiler";
  const Numbers turn{0, 1, 2.5, 4}, around{1, 3, -1, 1};
  std::vector<Expr> values;
  for (const Outside outside : {Outside::refused, Outside::held, Outside::continued}) {
    const Expr f = call(make_table_function({"gas", curve(outside)}), x);
    const Expr g = call(make_table_function({"torque", map(outside)}), x, y);
    for (const Expr& e : {f, differentiate(f, x), g, differentiate(g, x), differentiate(g, y),
                          differentiate(differentiate(g, x), y)})
      values.push_back(e);
  }
  values.push_back(
      call(make_table_function({"turn", PiecewisePolynomial::periodic(turn, around, {})}), x));
  for (const int lanes : {1, 4}) {
    const CFunction c{"f", {{"in", names}}, {{"out", values}}, lanes};
    const CompiledC compiled(write_c_prelude(std::vector{c}) + write_c_declaration(c) +
                             write_c_definition(c));
    ASSERT_TRUE(compiled.is_loaded()) << compiled.log();
    const auto n = static_cast<size_t>(lanes);
    for (double a = -9; a < 9; a += 0.25)
      for (const double b : {-2.0, -1.0, 0.3, 2.0, 2.5}) {
        Numbers in(2 * n, a), out(values.size() * n);
        std::fill(in.begin() + lanes, in.end(), b);
        compiled.find<void(const double*, double*)>("f")(in.data(), out.data());
        for (size_t i = 0; i < values.size(); ++i) {
          const double expected = at(values[i], a, b), got = out[i * n + n - 1];
          EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
              << i << " at " << a << ", " << b << ": " << got << " " << expected;
        }
      }
  }
}

TEST(Table, CallsAreFoundWithTheirKinks) {
  const Expr f = call(
      make_table_function({"gas", PiecewisePolynomial::through(Numbers{0, 1, 2}, Numbers{0, 1, 0},
                                                               {}, Outside::continued)}),
      2 * x + y);
  const std::vector<Expr> all{sin(f) + x, f * y, x};
  const std::vector<TableCall> calls = find_table_calls(all);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].arguments[0], 2 * x + y);
  ASSERT_EQ(calls[0].kinks().size(), 1u);
  EXPECT_EQ(calls[0].kinks()[0].at, 1);
  EXPECT_EQ(calls[0].kinks()[0].order, 1);
  EXPECT_EQ(calls[0].table->name, "gas");
}

}  // namespace
}  // namespace couplet::symbolic
