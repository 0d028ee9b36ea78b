// Random expressions as plain trees, with an evaluator of their own that shares no code with Expr:
// the second opinion for every rewrite. A value comes with its derivative (a dual number) and a
// first-order bound of its rounding error, so that comparisons know what they may ask for.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

struct Tree {
  Op op = Op::constant;
  double value = 0;  // of a constant
  int symbol = 0;    // x0, x1, x2
  std::vector<Tree> args;
};

constexpr int symbol_count = 3;
inline std::string symbol_name(int i) { return "x" + std::to_string(i); }

class RandomTrees {
 public:
  explicit RandomTrees(unsigned seed) : random_(seed) {}

  Tree next(int depth) {
    Tree tree;
    if (depth == 0 || pick(8) == 0) {
      tree.op = pick(3) ? Op::symbol : Op::constant;
      tree.symbol = pick(symbol_count);
      constexpr double values[] = {0, 1, 2, -1, 0.5, 3, -2.5, 0.7};
      tree.value = values[pick(8)];
      return tree;
    }
    constexpr Op common[] = {Op::add, Op::sub, Op::mul, Op::mul,
                             Op::div, Op::neg, Op::sin, Op::cos};
    const int last = static_cast<int>(Op::select);
    const int first = static_cast<int>(Op::neg);
    tree.op = pick(3) ? common[pick(8)] : static_cast<Op>(first + pick(last - first + 1));
    for (int i = 0; i < info(tree.op).arity; ++i) tree.args.push_back(next(depth - 1));
    if (tree.op == Op::pow && pick(4)) {  // mostly the powers that people write
      constexpr double exponents[] = {2, 3, 0.5, -1, -2, 1.5, 4, 0.25};
      tree.args[1] = {Op::constant, exponents[pick(8)], 0, {}};
    }
    // Squares of one thing, so that like factors, roots and sin² + cos² come up often.
    if (tree.op == Op::mul && pick(4) == 0) tree.args[1] = tree.args[0];
    return tree;
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution(low, high)(random_);
  }
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  std::mt19937 random_;
};

inline Expr to_expr(const Tree& tree) {
  if (tree.op == Op::constant) return tree.value;
  if (tree.op == Op::symbol) return Expr::symbol(symbol_name(tree.symbol));
  Expr args[3];
  for (std::size_t i = 0; i < tree.args.size(); ++i) args[i] = to_expr(tree.args[i]);
  return make(tree.op, args[0], args[1], args[2]);
}

/// Value, derivative along `direction`, bound of the rounding error of the value.
struct Sample {
  double v = 0;
  double d = 0;
  double error = 0;
};

/// Evaluates a tree; is_fragile afterwards: a jump or a kink is within reach of rounding, or
/// numbers grew so large that nothing can be said.
class NaiveEvaluator {
 public:
  std::vector<double> x;
  std::vector<double> direction;
  bool is_fragile = false;
  bool has_jumps = false;

  Sample operator()(const Tree& t) {
    if (t.op == Op::constant) return {t.value, 0, 0};
    const auto s = static_cast<std::size_t>(t.symbol);
    if (t.op == Op::symbol) return {x[s], direction[s], 0};
    Sample in[3];
    for (std::size_t i = 0; i < t.args.size(); ++i) in[i] = (*this)(t.args[i]);
    if (t.op == Op::pow && t.args[1].op != Op::constant && in[0].v <= 0) is_fragile = true;
    const Sample out = calc(t.op, in[0], in[1], in[2]);
    if (std::fabs(out.v) > 1e5 || std::fabs(out.d) > 1e5) is_fragile = true;
    // Rewriting may extend the domain, and a comparison may hide that something had no value.
    if (!(out.error < 1e-9) || !std::isfinite(out.v) || !std::isfinite(out.d)) is_fragile = true;
    return out;
  }

 private:
  static constexpr double eps = 4e-16;

  // f with partial derivatives fa and fb.
  static Sample smooth(double f, const Sample& a, double fa, const Sample& b = {}, double fb = 0) {
    return {f, fa * a.d + fb * b.d,
            std::fabs(fa * a.error) + std::fabs(fb * b.error) + eps * std::fabs(f)};
  }

  // Piecewise constant, with a jump where `gap` is zero.
  Sample step(double f, double gap, double error) {
    has_jumps = true;
    if (std::fabs(gap) < 1e-7 + error && (gap != 0 || error != 0)) is_fragile = true;
    return {f, 0, 0};
  }

  Sample choose(bool first, const Sample& a, const Sample& b) {
    if (std::fabs(a.v - b.v) < 1e-6) is_fragile = true;
    return first ? a : b;
  }

  double distance_to_integer(double v) { return v - std::round(v); }

  Sample calc(Op op, const Sample& a, const Sample& b, const Sample& c) {
    const double A = a.v;
    const double B = b.v;
    switch (op) {
      case Op::neg:
        return {-A, -a.d, a.error};
      case Op::noevent:
        return a;
      case Op::add:
        return {A + B, a.d + b.d, a.error + b.error + eps * (std::fabs(A) + std::fabs(B))};
      case Op::sub:
        return {A - B, a.d - b.d, a.error + b.error + eps * (std::fabs(A) + std::fabs(B))};
      case Op::mul:
        return smooth(A * B, a, B, b, A);
      case Op::div:
        return smooth(A / B, a, 1 / B, b, -A / B / B);
      case Op::pow: {
        const bool is_fixed = b.d == 0 && b.error == 0;  // else a negative base has no derivative
        return smooth(std::pow(A, B), a, B * std::pow(A, B - 1), b,
                      is_fixed ? 0 : std::log(A) * std::pow(A, B));
      }
      case Op::sin:
        return smooth(std::sin(A), a, std::cos(A));
      case Op::cos:
        return smooth(std::cos(A), a, -std::sin(A));
      case Op::tan:
        return smooth(std::tan(A), a, 1 / std::cos(A) / std::cos(A));
      case Op::asin:
        return smooth(std::asin(A), a, 1 / std::sqrt(1 - A * A));
      case Op::acos:
        return smooth(std::acos(A), a, -1 / std::sqrt(1 - A * A));
      case Op::atan:
        return smooth(std::atan(A), a, 1 / (1 + A * A));
      case Op::atan2:
        if (A == 0 || B == 0 || (B < 0 && std::fabs(A) < 1e-6)) is_fragile = true;
        return smooth(std::atan2(A, B), a, B / (A * A + B * B), b, -A / (A * A + B * B));
      case Op::sinh:
        return smooth(std::sinh(A), a, std::cosh(A));
      case Op::cosh:
        return smooth(std::cosh(A), a, std::sinh(A));
      case Op::tanh:
        return smooth(std::tanh(A), a, 1 - std::tanh(A) * std::tanh(A));
      case Op::exp:
        return smooth(std::exp(A), a, std::exp(A));
      case Op::log:
        return smooth(std::log(A), a, 1 / A);
      case Op::sqrt:
        return smooth(std::sqrt(A), a, 0.5 / std::sqrt(A));
      case Op::abs:
        if (std::fabs(A) < 1e-6) is_fragile = true;
        return A < 0 ? Sample{-A, -a.d, a.error} : a;
      case Op::sign:
        return step(A > 0 ? 1 : A < 0 ? -1 : 0, A, a.error);
      case Op::min:
        return choose(A < B, a, b);
      case Op::max:
        return choose(A > B, a, b);
      case Op::floor:
        return step(std::floor(A), distance_to_integer(A), a.error);
      case Op::ceil:
        return step(std::ceil(A), distance_to_integer(A), a.error);
      case Op::mod: {
        const double n = std::floor(A / B);
        step(0, distance_to_integer(A / B), a.error + b.error);
        return smooth(A - n * B, a, 1, b, -n);
      }
      case Op::less:
        return step(A < B, A - B, a.error + b.error);
      case Op::less_equal:
        return step(A <= B, A - B, a.error + b.error);
      case Op::equal:
        return step(A == B, A - B, a.error + b.error);
      case Op::not_equal:
        return step(A != B, A - B, a.error + b.error);
      case Op::logical_and:
        return step(A != 0 && B != 0, A * B, a.error + b.error);
      case Op::logical_or:
        return step(A != 0 || B != 0, A * A + B * B, a.error + b.error);
      case Op::logical_not:
        return step(A == 0, A, a.error);
      case Op::select:
        step(0, A, a.error);
        return A != 0 ? b : c;
      case Op::constant:
      case Op::symbol:
      case Op::call1:
      case Op::call2:
        break;
    }
    return {};
  }
};

}  // namespace couplet::symbolic
