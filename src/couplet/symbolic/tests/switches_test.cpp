// Frozen expressions are the expressions they stand for, as long as no gap is negative.
#include "couplet/symbolic/switches.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "couplet/base/diagnostics.hpp"
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

TEST(Switches, KnowWhatChangesAtTimesOnly) {
  Switches switches = make_switches();
  switches.freeze(parse("if t > 2*p then 1 else if x > 0 then floor(t/3) else sin(t) > 0.5"));
  int timed = 0, others = 0;
  for (const Switch& each : switches.list()) ++(each.rates.empty() ? others : timed);
  EXPECT_EQ(timed, 2);   // t > 2 p, floor(t/3)
  EXPECT_EQ(others, 2);  // x > 0, and sin(t) > 0.5, which is not linear
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
