// sympy as a second opinion: values and derivatives of random expressions, where it is installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/print.hpp"
#include "couplet/symbolic/tape.hpp"
#include "couplet/symbolic/tests/random_tree.hpp"

namespace couplet::symbolic {
namespace {

// Reads lines "x0 x1 x2 ; expression", prints value and d/dx0 with 30 digits of working precision.
constexpr const char* script = R"(
import sys
from sympy import *
x0, x1, x2 = symbols('x0 x1 x2', real=True)
names = {'x0': x0, 'x1': x1, 'x2': x2, 'abs': Abs}
for line in open(sys.argv[1]):
    numbers, text = line.split(';')
    at = dict(zip((x0, x1, x2), (Float(n, 30) for n in numbers.split())))
    e = sympify(text.replace('^', '**'), locals=names)
    print(N(e.subs(at), 20), N(diff(e, x0).subs(at), 20))
)";

bool is_smooth(const Tree& tree) {
  constexpr Op smooth[] = {Op::constant, Op::symbol, Op::neg,  Op::add,  Op::sub,  Op::mul,
                           Op::div,      Op::sin,    Op::cos,  Op::tan,  Op::atan, Op::exp,
                           Op::sqrt,     Op::sinh,   Op::cosh, Op::tanh, Op::log,  Op::pow};
  return std::ranges::find(smooth, tree.op) != std::end(smooth) &&
         std::ranges::all_of(tree.args, is_smooth);
}

TEST(Sympy, AgreesOnValuesAndDerivatives) {
  // Debian's own, for which tools/setup installs it: another may come first on PATH.
  const std::string python = "/usr/bin/python3 ";
  if (std::system((python + "-c 'import sympy' >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << "SKIPPED: python3-sympy is not installed, nobody gave a second opinion";
  const std::string stem = std::filesystem::temp_directory_path().string() + "/couplet_sympy_" +
                           std::to_string(getpid());
  std::ofstream(stem + ".py") << script;

  const std::vector<std::string> names{"x0", "x1", "x2"};
  RandomTrees random(21);
  std::vector<std::pair<double, double>> expected;
  std::vector<std::string> texts;
  {
    std::ofstream questions(stem + ".txt");
    while (expected.size() < 150) {
      const Tree tree = random.next(4);
      NaiveEvaluator naive;
      for (int s = 0; s < symbol_count; ++s) naive.x.push_back(random.uniform(-2, 2));
      naive.direction = {1, 0, 0};
      const Sample sample = naive(tree);
      if (!is_smooth(tree) || naive.is_fragile || std::fabs(sample.d) > 1e3) continue;
      const Expr e = to_expr(tree), d = differentiate(e, Expr::symbol("x0"));
      const std::vector<double> ours = Tape(std::vector{e, d}, names).evaluate(naive.x);
      if (!std::isfinite(ours[1])) continue;  // a removable gap of the derivative's formula
      expected.emplace_back(ours[0], ours[1]);
      texts.push_back(print(e));
      questions.precision(17);
      questions << naive.x[0] << ' ' << naive.x[1] << ' ' << naive.x[2] << ';' << texts.back()
                << '\n';
    }
  }
  ASSERT_EQ(std::system((python + stem + ".py " + stem + ".txt >" + stem + ".out").c_str()), 0);
  std::ifstream answers(stem + ".out");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double value = 0, derivative = 0;
    ASSERT_TRUE(answers >> value >> derivative) << texts[i];
    EXPECT_NEAR(expected[i].first, value, 1e-10 * (1 + std::fabs(value))) << texts[i];
    EXPECT_NEAR(expected[i].second, derivative, 1e-8 * (1 + std::fabs(derivative))) << texts[i];
  }
  for (const char* end : {".py", ".txt", ".out"}) std::filesystem::remove(stem + end);
}

}  // namespace
}  // namespace couplet::symbolic
