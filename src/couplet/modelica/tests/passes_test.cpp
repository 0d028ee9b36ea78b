// Passes have names, can be left out where nothing builds on them, and are verified.
#include "couplet/modelica/flatten/passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "couplet/base/diagnostics.hpp"

namespace couplet::modelica {
namespace {

const char* const circuit = R"(
connector Pin Real v; flow Real i; end Pin;
model R Pin p; Pin n; parameter Real r = 1; equation p.v - n.v = r*p.i; p.i + n.i = 0; end R;
model Ground Pin p; equation p.v = 0; end Ground;
model Source Pin p; Pin n; equation p.v - n.v = 1; p.i + n.i = 0; end Source;
model M R r; Source s; Ground g; equation connect(s.p, r.p); connect(r.n, s.n); connect(s.n, g.p); end M;
)";

CheckResult check_circuit(const TranslateOptions& options) {
  static base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_text("circuit.mo", circuit);
  return check(library, "M", options);
}

TEST(Passes, NamesAreUniqueAndExplained) {
  std::set<std::string_view> names;
  for (const PassInfo& p : list_passes()) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
    EXPECT_FALSE(p.doc.empty());
  }
  EXPECT_GE(names.size(), 9u);
}

TEST(Passes, LeavingOneOutLeavesOutItsWork) {
  EXPECT_TRUE(check_circuit({}).balanced());
  const CheckResult without = check_circuit({.without = {"connections"}});
  EXPECT_TRUE(without.ok);
  EXPECT_EQ(without.unknowns - without.equations, 5);  // three potentials or currents per set, less
}

TEST(Passes, EveryOptionalOneCanBeLeftOut) {
  for (const PassInfo& p : list_passes()) {
    if (p.needed) continue;
    EXPECT_TRUE(check_circuit({.without = {std::string(p.name)}}).ok) << p.name;
  }
}

TEST(Passes, WrongNamesAreRefused) {
  EXPECT_THROW(check_circuit({.without = {"conections"}}), base::UserError);
  EXPECT_THROW(check_circuit({.without = {"variables"}}), base::UserError);
}

TEST(Passes, TimesAreGivenInOrder) {
  std::vector<PassTime> times;
  check_circuit({.times = &times});
  ASSERT_EQ(times.size(), list_passes().size());
  for (size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i].name, list_passes()[i].name);
}

// What verify() must find, one damaged model each.
class Verify : public testing::Test {
 protected:
  base::Diagnostics diagnostics;
  Library library{diagnostics};
  Context context{library, diagnostics};
  Translation translation{context, nullptr};
  Component component;
  FlatVariable variable() {
    FlatVariable v;
    v.name = "x";
    v.component = &component;
    component.type = context.top;
    v.type.base = Primitive::real;
    return v;
  }
  std::string fault() {
    try {
      verify(translation, "test");
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Verify, FindsTwoVariablesWithOneName) {
  translation.model.variables = {variable(), variable()};
  EXPECT_THAT(fault(), testing::HasSubstr("its name is its own"));
}

TEST_F(Verify, FindsSidesOfDifferentSize) {
  FlatEquation e;
  e.left = make_real(context, 1);
  e.right = make_array(context, {make_real(context, 1)}, make_real(context, 1)->type);
  translation.model.equations = {e};
  EXPECT_THAT(fault(), testing::HasSubstr("as many dimensions"));
}

TEST_F(Verify, FindsRemovedVariables) {
  component.removed = true;
  Exp use{.kind = ExpKind::variable};
  use.variable = &component;
  FlatEquation e;
  e.left = e.right = make_exp(context, use);
  translation.model.initial_equations = {e};
  EXPECT_THAT(fault(), testing::HasSubstr("its variables exist"));
}

TEST_F(Verify, LooksAtEveryPartOnlyOnce) {
  const Exp* e = make_real(context, 1);
  for (int i = 0; i < 200; ++i) {  // 2²⁰⁰ paths, 200 parts
    Exp sum{.kind = ExpKind::binary};
    sum.op = ast::Op::add;
    sum.type = e->type;
    sum.args = context.arena.copy<const Exp*>({e, e});
    e = context.arena.make(sum);
  }
  FlatEquation equation;
  equation.left = equation.right = e;
  translation.model.equations = {equation};
  EXPECT_EQ(fault(), "");
}

}  // namespace
}  // namespace couplet::modelica
