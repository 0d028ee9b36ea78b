// Frozen expressions are the expressions they stand for, as long as no gap is negative.
#include "couplet/symbolic/switches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::symbolic {
namespace {

double value_of(const Expr& e, const std::vector<std::string>& names,
                const std::vector<double>& values) {
  return Tape(std::span(&e, 1), names).evaluate(values)[0];
}

Switches make_switches() {
  return Switches("s_", [](const std::string& name) { return name == "p"; });
}

TEST(Switches, FrozenExpressionsAreTheSameWhereTheirSwitchesHold) {
  for (const char* text :
       {"if x < 1 then x else 2 - x", "min(x, y) + max(x, 2*y)", "abs(x)*x - sign(y)",
        "floor(3*x) + ceil(y) - mod(x, 0.3)", "if mod(t, 2) < 1 and x > y then 1 else p",
        "if abs(x) < min(y, 1) then floor(x + y) else 0"}) {
    const Expr e = parse(text);
    Switches switches = make_switches();
    const Expr frozen = switches.freeze(e);
    std::vector<std::string> names{"t", "x", "y", "p"};
    for (const Switch& each : switches.list()) names.push_back(each.symbol.name());
    for (int k = 0; k < 50; ++k) {
      std::vector<double> values(names.size(), 0);
      values[0] = 0.13 * k, values[1] = 2 * std::sin(1.7 * k), values[2] = std::cos(2.9 * k),
      values[3] = 4;
      for (size_t i = 0; i < switches.list().size(); ++i)
        values[4 + i] = value_of(switches.list()[i].value, names, values);
      EXPECT_EQ(value_of(frozen, names, values), value_of(e, names, values)) << text;
      for (const Switch& each : switches.list())
        for (const Expr& gap : each.gaps) EXPECT_GE(value_of(gap, names, values), 0) << text;
    }
  }
}

// The same with tables; beyond the ends of its range a frozen one goes on as it was.
TEST(Switches, FrozenTablesAreTheTablesAndSmooth) {
  using math::Outside;
  using math::PiecewisePolynomial;
  const std::vector<double> x{-1, -0.2, 0.5, 1.5}, y{1, -2, 3, 1}, none, slopes{3, 0, 1, -2};
  const std::vector<double> closed{1, -2, 3, 1}, closed_slopes{3, 0, 1, 3};
  const PiecewisePolynomial polynomials[] = {
      PiecewisePolynomial::through(x, y, none, Outside::held),
      PiecewisePolynomial::through(x, y, slopes, Outside::continued),
      PiecewisePolynomial::periodic(x, closed, none),
      PiecewisePolynomial::periodic(x, closed, closed_slopes)};
  for (const PiecewisePolynomial& p : polynomials)
    for (const int smooth : {1, 2}) {
      const ExternalFunction& table = make_table_function({"f", p});
      Switches switches = make_switches();
      const Expr at = Expr::symbol("x"), e = call(table, at), frozen = switches.freeze(e, smooth);
      const bool has_kinks = std::ranges::any_of(
          p.kinks(), [&](const math::Kink& kink) { return kink.order <= smooth; });
      ASSERT_EQ(switches.list().size(), has_kinks ? 1u : 0u);
      if (!has_kinks) continue;
      const Switch& n = switches.list()[0];
      const std::vector<std::string> names{"x", n.symbol.name()};
      const Expr slope = differentiate(frozen, at);
      for (int k = -70; k <= 70; ++k) {
        const double here = 0.1037 * k, number = value_of(n.value, names, {here, 0});
        const auto value = [&](double u) { return value_of(frozen, names, {u, number}); };
        EXPECT_NEAR(value(here), p(here), 1e-13);
        EXPECT_NEAR(value_of(slope, names, {here, number}), p.derivative()(here), 1e-12);
        for (const Expr& gap : n.gaps) EXPECT_GE(value_of(gap, names, {here, number}), 0);
        // Where the range ends: both sides agree, and the slope of this one goes on.
        const double end = here + std::min(1e3, value_of(n.gaps[1], names, {here, number}));
        if (end > here + 100) continue;
        EXPECT_NEAR(value(end), p(end), 1e-12);
        const double left = value_of(slope, names, {end - 1e-9, number}),
                     right = value_of(slope, names, {end + 1e-9, number});
        EXPECT_NEAR(left, right, 1e-6);
        EXPECT_EQ(value_of(n.value, names, {end + 1e-9, 0}), number + 1);
      }
    }
}

TEST(Switches, TablesThatRefuseStillDo) {
  const std::vector<double> x{0, 1, 2}, y{0, 1, 0};
  const ExternalFunction& table = make_table_function(
      {"f", math::PiecewisePolynomial::through(x, y, {}, math::Outside::refused)});
  Switches switches = make_switches();
  const Expr frozen = switches.freeze(call(table, Expr::symbol("x")));
  ASSERT_EQ(switches.list().size(), 1u);
  const std::vector<std::string> names{"x", switches.list()[0].symbol.name()};
  EXPECT_EQ(value_of(frozen, names, {2, 1}), 0);
  EXPECT_TRUE(std::isnan(value_of(frozen, names, {2.001, 1})));
  EXPECT_TRUE(std::isnan(value_of(frozen, names, {-0.001, 0})));
}

TEST(Switches, KnowJumpsFromKinks) {
  Switches switches = make_switches();
  switches.freeze(parse("max(x, 0) + abs(y) + sign(x + y) + floor(x*y)"));
  int kinks = 0;
  for (const Switch& each : switches.list()) kinks += each.is_kink;
  EXPECT_EQ(kinks, 2);
  switches.freeze(parse("if y < 0 then 1 else 2"));  // the condition of abs(y), and it jumps now
  kinks = 0;
  for (const Switch& each : switches.list()) kinks += each.is_kink;
  EXPECT_EQ(kinks, 1);
}

TEST(Switches, KnowWhatChangesAtTimesOnly) {
  Switches switches = make_switches();
  switches.freeze(parse("if t > 2*p then 1 else if x > 0 then floor(t/3) else sin(t) > 0.5"));
  int timed = 0, others = 0;
  for (const Switch& each : switches.list()) ++(each.rates.empty() ? others : timed);
  EXPECT_EQ(timed, 3);   // t > 2 p, floor(t/3), sin(t) > 0.5
  EXPECT_EQ(others, 1);  // x > 0
}

TEST(Switches, LeaveAloneWhatIsFixedOrOptsOut) {
  Switches switches = make_switches();
  EXPECT_EQ(switches.freeze(parse("if p > 1 then x else y")), parse("if p > 1 then x else y"));
  EXPECT_EQ(switches.freeze(parse("noevent(abs(x)) + smooth(max(x, y))")),
            parse("abs(x) + max(x, y)"));
  EXPECT_TRUE(switches.list().empty());
  EXPECT_THROW(switches.freeze(parse("if x == 1 then 2 else 3")), base::UserError);
}

}  // namespace
}  // namespace couplet::symbolic
