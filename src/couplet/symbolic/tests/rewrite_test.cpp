// Random expressions, built through every rewrite, against a naive evaluator of the same tree.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/print.hpp"
#include "couplet/symbolic/substitute.hpp"
#include "couplet/symbolic/tape.hpp"
#include "couplet/symbolic/tests/random_tree.hpp"

namespace couplet::symbolic {
namespace {

const std::vector<std::string> names{symbol_name(0), symbol_name(1), symbol_name(2)};

/// Calls visit(expression, tree, evaluator at a random point, its sample) for each tree that has a
/// well-conditioned value there.
template <class Visit>
int for_each_sample(unsigned seed, int trees, Visit visit) {
  RandomTrees random(seed);
  int samples = 0;
  for (int i = 0; i < trees; ++i) {
    const Tree tree = random.next(2 + i % 5);
    const Expr e = to_expr(tree);
    for (int k = 0; k < 2; ++k) {
      NaiveEvaluator evaluate;
      for (int s = 0; s < symbol_count; ++s) {
        evaluate.x.push_back(random.uniform(-2, 2));
        evaluate.direction.push_back(0);
      }
      evaluate.direction[static_cast<std::size_t>(random.pick(symbol_count))] = 1;
      const Sample sample = evaluate(tree);
      if (evaluate.is_fragile) continue;
      ++samples;
      visit(e, tree, evaluate, sample);
    }
  }
  return samples;
}

TEST(Rewrite, SimplificationKeepsTheValue) {
  const int samples =
      for_each_sample(1, 20000, [](const Expr& e, const Tree&, auto& at, const Sample& s) {
        const double value = Tape(std::span(&e, 1), names).evaluate(at.x)[0];
        // The bound is of the naive order of evaluation; the rewritten one has its own, similar
        // error.
        EXPECT_NEAR(value, s.v, 100 * s.error + 1e-12 * (1 + std::fabs(s.v))) << e;
      });
  EXPECT_GT(samples, 10000);
}

TEST(Rewrite, DerivativesMatchDualNumbers) {
  const int samples =
      for_each_sample(2, 20000, [](const Expr& e, const Tree&, auto& at, const Sample& s) {
        const auto along = std::ranges::find(at.direction, 1) - at.direction.begin();
        const Expr d = differentiate(e, Expr::symbol(names[static_cast<std::size_t>(along)]));
        const double value = Tape(std::span(&d, 1), names).evaluate(at.x)[0];
        // Derivatives amplify rounding where values are large: 1e5 · 1e5 · 1e-16 at worst.
        EXPECT_NEAR(value, s.d, 1e-6 * (1 + std::fabs(s.d) + std::fabs(s.v)))
            << e << "\n  d: " << d;
      });
  EXPECT_GT(samples, 10000);
}

TEST(Rewrite, DerivativesMatchCentralDifferences) {
  int compared = 0;
  for_each_sample(3, 8000, [&](const Expr& e, const Tree& tree, auto& at, const Sample& s) {
    const auto along =
        static_cast<std::size_t>(std::ranges::find(at.direction, 1) - at.direction.begin());
    const auto shifted = [&](double h) {
      NaiveEvaluator evaluate = at;
      evaluate.x[along] += h;
      const double v = evaluate(tree).v;
      return evaluate.is_fragile ? std::nan("") : v;
    };
    const double h = 1e-4;
    const double coarse = (shifted(2 * h) - shifted(-2 * h)) / (4 * h);
    const double fine = (shifted(h) - shifted(-h)) / (2 * h);
    // Where the two differ, the function bends too much for differences to say anything.
    if (!(std::fabs(coarse - fine) < 1e-5) || at.has_jumps) return;
    ++compared;
    const Expr d = differentiate(e, Expr::symbol(names[along]));
    const double value = Tape(std::span(&d, 1), names).evaluate(at.x)[0];
    EXPECT_NEAR(value, (4 * fine - coarse) / 3, 1e-5 * (1 + std::fabs(s.d))) << e << "\n  d: " << d;
  });
  EXPECT_GT(compared, 1500);
}

TEST(Rewrite, TapeIsBitForBitTheFoldedValue) {
  for_each_sample(4, 5000, [](const Expr& e, const Tree&, auto& at, const Sample&) {
    Replacements values;
    for (std::size_t i = 0; i < names.size(); ++i) values[Expr::symbol(names[i])] = at.x[i];
    const double direct = substitute(e, values).value();
    const double tape = Tape(std::span(&e, 1), names).evaluate(at.x)[0];
    EXPECT_EQ(tape, direct) << e;
  });
}

TEST(Rewrite, PrintedTextParsesBackToTheSameNode) {
  RandomTrees random(5);
  for (int i = 0; i < 20000; ++i) {
    const Expr e = to_expr(random.next(2 + i % 6));
    const std::string text = print(e);
    EXPECT_EQ(parse(text), e) << text;
  }
}

TEST(Rewrite, RenamingASymbolThereAndBackGivesTheSameNode) {
  RandomTrees random(6);
  const Expr x0 = Expr::symbol("x0");
  const Expr z = Expr::symbol("x00");  // sorts like x0, so that no sum changes its sign on the way
  for (int i = 0; i < 5000; ++i) {
    const Expr e = to_expr(random.next(2 + i % 6));
    const Expr there = substitute(e, {{x0, z}});
    EXPECT_EQ(std::ranges::count(find_symbols(there), "x0"), 0);
    EXPECT_EQ(substitute(there, {{z, x0}}), e);
  }
}

}  // namespace
}  // namespace couplet::symbolic
