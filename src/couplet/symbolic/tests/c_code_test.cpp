// Generated C against the tape, bit by bit: both follow one plan, and the compiler may not
// contract.
#include "couplet/symbolic/c_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/substitute.hpp"
#include "couplet/symbolic/tape.hpp"
#include "couplet/symbolic/tests/compiled_c.hpp"
#include "couplet/symbolic/tests/random_tree.hpp"

namespace couplet::symbolic {
namespace {

using testing::HasSubstr;

const std::vector<std::string> names{symbol_name(0), symbol_name(1), symbol_name(2)};

#define NEEDS_A_COMPILER() \
  if (!CompiledC::is_available()) GTEST_SKIP() << "SKIPPED: there is no C compiler `cc`"

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::vector<Expr> random_expressions(int count) {
  RandomTrees random(11);
  std::vector<Expr> all;
  for (int i = 0; i < count; ++i) all.push_back(to_expr(random.next(2 + i % 5)));
  return all;
}

std::string file_of(std::vector<CFunction> functions, std::size_t longest_part) {
  std::string text = write_c_prelude(functions);
  for (const CFunction& f : functions)
    text += write_c_declaration(f) + write_c_definition(f, longest_part);
  return text;
}

TEST(CCode, RandomExpressionsEqualTheTapeBitByBit) {
  NEEDS_A_COMPILER();
  const std::vector<Expr> outputs = random_expressions(400);
  const CFunction whole{"whole", {{"x", names}}, {{"y", outputs}}, 1};
  const CFunction parted{"parted", {{"x", names}}, {{"y", outputs}}, 1};
  const CFunction four{"four", {{"x", names}}, {{"y", outputs}}, 4};
  std::string text = write_c_prelude(std::vector{whole, four});
  text += write_c_declaration(whole) + write_c_definition(whole, 1u << 30);
  text += write_c_declaration(parted) + write_c_definition(parted, 37);
  text += write_c_declaration(four) + write_c_definition(four, 200);
  const CompiledC compiled(text);
  ASSERT_TRUE(compiled.is_loaded()) << compiled.log();
  using Function = void(const double*, double*);

  const Tape tape(outputs, names);
  RandomTrees random(12);
  for (int k = 0; k < 20; ++k) {
    std::vector<double> x, y(outputs.size()), z(outputs.size()), wide(4 * outputs.size());
    std::vector<double> x4(4 * names.size());
    for (std::size_t i = 0; i < names.size(); ++i) x.push_back(random.uniform(-2, 2));
    for (std::size_t i = 0; i < x4.size(); ++i)
      x4[i] = i % 4 == 2 ? x[i / 4] : random.uniform(-2, 2);
    const std::vector<double> expected = tape.evaluate(x);
    compiled.find<Function>("whole")(x.data(), y.data());
    compiled.find<Function>("parted")(x.data(), z.data());
    compiled.find<Function>("four")(x4.data(), wide.data());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_TRUE(same(y[i], expected[i])) << i << ": " << y[i] << " and " << expected[i];
      EXPECT_TRUE(same(z[i], expected[i])) << i << " in parts";
      EXPECT_TRUE(same(wide[4 * i + 2], expected[i])) << i << " in lanes";
    }
  }
}

TEST(CCode, InputsAndConstantsMayBeOutputs) {
  NEEDS_A_COMPILER();
  const Expr x = Expr::symbol("x0"), y = Expr::symbol("x1");
  const std::vector<Expr> values{x, 2.5, x * y, y, -x, x * y};
  for (const int lanes : {1, 4}) {
    const CFunction f{"f", {{"x", names}}, {{"y", values}}, lanes};
    const CompiledC compiled(file_of({f}, 2));
    ASSERT_TRUE(compiled.is_loaded()) << compiled.log();
    std::vector<double> in(static_cast<std::size_t>(3 * lanes), 3.0),
        out(values.size() * in.size());
    compiled.find<void(const double*, double*)>("f")(in.data(), out.data());
    const double expected[] = {3, 2.5, 9, 3, -3, 9};
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(out[i * static_cast<std::size_t>(lanes)], expected[i]) << i;
  }
}

TEST(CCode, PacksOneAfterTheOtherEqualTheTapeBitByBit) {
  NEEDS_A_COMPILER();
  std::vector<Expr> outputs = random_expressions(60);
  outputs.insert(outputs.end(), {Expr::symbol("x1"), 2.5});  // copied, not calculated
  const CFunction function{"function", {{"x", names}}, {{"y", outputs}}, 4, 3};
  const CFunction nothing{"nothing", {{"x", names}}, {{"y", {}}}, 4, 3};
  const CompiledC compiled(file_of({function, nothing}, 37));
  ASSERT_TRUE(compiled.is_loaded()) << compiled.log();

  const Tape tape(outputs, names);
  RandomTrees random(13);
  const std::size_t n = names.size(), m = outputs.size();
  std::vector<double> x(12 * n), y(12 * m, 7.0);
  for (double& each : x) each = random.uniform(-2, 2);
  compiled.find<void(int, const double*, double*)>("function")(2, x.data(), y.data());
  for (std::size_t state = 0; state < 8; ++state) {
    const std::size_t pack = state / 4, lane = state % 4;
    std::vector<double> in;
    for (std::size_t i = 0; i < n; ++i) in.push_back(x[4 * (pack * n + i) + lane]);
    const std::vector<double> expected = tape.evaluate(in);
    for (std::size_t i = 0; i < m; ++i)
      EXPECT_TRUE(same(y[4 * (pack * m + i) + lane], expected[i])) << state << ' ' << i;
  }
  for (std::size_t i = 8 * m; i < y.size(); ++i) EXPECT_EQ(y[i], 7.0) << "not asked for";
}

TEST(CCode, UnknownSymbolsAreNamedWithASuggestion) {
  const CFunction f{"f", {{"x", {"speed"}}}, {{"y", {Expr::symbol("spead")}}}, 1};
  try {
    write_c_definition(f);
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'spead' is not known here"));
    EXPECT_THAT(error.what(), HasSubstr("speed"));
  }
}

// ---- External functions

double soft_step(double x, double width) { return 1 / (1 + std::exp(-x / width)); }
double bump(double x, double) { return std::exp(-x * x); }

void add_test_functions() {
  static const bool once = [] {
    add_external({"soft_step", 2, soft_step, [](const Expr& x, const Expr& width, int k) {
                    const Expr s = call(*find_external("soft_step"), x, width);
                    const Expr slope = s * (1 - s) / width;
                    return k == 0 ? slope : -slope * x / width;
                  }});
    add_external({"bump", 1, bump, [](const Expr& x, const Expr&, int) {
                    return -2 * x * call(*find_external("bump"), x);
                  }});
    return true;
  }();
  EXPECT_TRUE(once);
}

TEST(External, CallsAreExpressionsLikeOthers) {
  add_test_functions();
  const Expr e = parse("3*soft_step(x0*x1, 0.5) + bump(x0)");
  EXPECT_EQ(parse("bump(x0) + 3*soft_step(x1*x0, 1/2)"), e);  // equal calls are one node
  EXPECT_EQ(parse("bump(0.5)"), Expr(bump(0.5, 0)));          // constants fold
  const Tape tape(std::vector{e}, names);
  EXPECT_EQ(tape.evaluate(std::vector{0.3, -2.0, 0.0})[0],
            3 * soft_step(0.3 * -2.0, 0.5) + bump(0.3, 0));
  EXPECT_EQ(substitute(e, {{Expr::symbol("x0"), Expr::symbol("x2")}}),
            parse("3*soft_step(x2*x1, 0.5) + bump(x2)"));
  EXPECT_EQ(op_counts(e).functions, 2u);
}

TEST(External, DerivativesFollowTheChainRule) {
  add_test_functions();
  const Expr e = parse("soft_step(x0*x1, 2 + x0) * bump(x0)");
  const Expr d = differentiate(e, Expr::symbol("x0"));
  const auto at = [&](const Expr& f, double x) {
    return Tape(std::vector{f}, names).evaluate(std::vector{x, 0.7, 0.0})[0];
  };
  const double h = 1e-5;
  EXPECT_NEAR(at(d, 0.4), (at(e, 0.4 + h) - at(e, 0.4 - h)) / (2 * h), 1e-9);
}

TEST(External, CDeclaresThemAndCallsThem) {
  NEEDS_A_COMPILER();
  add_test_functions();
  const std::vector<Expr> values{parse("soft_step(x0, x1) - bump(x0)")};
  for (const int lanes : {1, 4}) {
    const CFunction f{"f", {{"x", names}}, {{"y", values}}, lanes};
    const CompiledC compiled(file_of({f}, 100) +
                             "double soft_step(double x, double w) { return 1/(1 + exp(-x/w)); }\n"
                             "double bump(double x) { return exp(-x*x); }\n");
    ASSERT_TRUE(compiled.is_loaded()) << compiled.log();
    std::vector<double> in(static_cast<std::size_t>(3 * lanes), 0.8), out(in.size());
    compiled.find<void(const double*, double*)>("f")(in.data(), out.data());
    EXPECT_EQ(out[0], soft_step(0.8, 0.8) - bump(0.8, 0));
  }
}

TEST(External, BadNamesAreRefused) {
  add_test_functions();
  const auto partial = [](const Expr&, const Expr&, int) { return Expr(0); };
  EXPECT_THROW(add_external({"soft step", 1, bump, partial}), base::UserError);
  EXPECT_THROW(add_external({"sin", 1, bump, partial}), base::UserError);
  EXPECT_THROW(add_external({"bump", 1, bump, partial}), base::UserError);
  EXPECT_THROW(parse("bump(x0, x1)"), base::UserError);
}

}  // namespace
}  // namespace couplet::symbolic
