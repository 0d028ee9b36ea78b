// Which unknowns an expression has, and with which factors, in one pass over it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "couplet/equations/passes.hpp"
#include "couplet/symbolic/order.hpp"

namespace couplet::equations {
namespace {

using symbolic::Op;
using symbolic::Order;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

using Factors = std::vector<Factor>;  // by variable

Factors scaled(const Factors& all, double by) {
  Factors out = all;
  for (Factor& f : out) f.value *= by;
  return out;
}

Factors merged(const Factors& a, const Factors& b, double sign) {
  Factors out;
  out.reserve(a.size() + b.size());
  size_t i = 0, k = 0;
  while (i < a.size() || k < b.size()) {
    if (k == b.size() || (i < a.size() && a[i].variable < b[k].variable))
      out.push_back(a[i++]);
    else if (i == a.size() || b[k].variable < a[i].variable)
      out.push_back({b[k].variable, sign * b[k].value}), ++k;
    else
      out.push_back({a[i].variable, a[i].value + sign * b[k].value}), ++i, ++k;
  }
  return out;
}

// What both say; where they differ the factor is unknown.
Factors agreed(const Factors& a, const Factors& b) {
  Factors out = merged(a, b, 1);
  const auto value = [](const Factors& all, int v) {
    const auto at = std::lower_bound(all.begin(), all.end(), v,
                                     [](const Factor& f, int key) { return f.variable < key; });
    return at != all.end() && at->variable == v ? at->value : 0;
  };
  for (Factor& f : out) {
    const double x = value(a, f.variable);
    f.value = x == value(b, f.variable) ? x : unknown;
  }
  return out;
}

}  // namespace

std::vector<Factor> find_factors(const Dae& dae, const Expr& e) {
  const Order order(e);
  std::vector<Factors> of(order.size());
  std::vector<double> number(order.size(), unknown);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) == Op::constant) {
      number[i] = order.value(i);
      continue;
    }
    if (order.op(i) == Op::symbol) {
      const Expr symbol = order.expr(i);
      const auto known = dae.numbers.find(symbol);
      if (known != dae.numbers.end())
        number[i] = known->second.value();
      else if (const int v = dae.find(symbol); v >= 0)
        of[i] = {{v, 1}};
      continue;
    }
    const int n = order.arity(i);
    const auto arg = [&](int k) { return order.arg(i, k); };
    const auto is_number = [&](int k) { return !std::isnan(number[arg(k)]); };
    bool all = n > 0 && order.op(i) != Op::call1 && order.op(i) != Op::call2;
    for (int k = 0; k < n; ++k) all = all && is_number(k);
    if (all) {
      const auto c = [&](int k) { return k < n ? Expr(number[arg(k)]) : Expr(); };
      const Expr folded = symbolic::make(order.op(i), c(0), c(1), c(2));
      if (folded.is_constant()) number[i] = folded.value();
      if (!std::isnan(number[i])) continue;
    }
    switch (order.op(i)) {
      case Op::neg:
        of[i] = scaled(of[arg(0)], -1);
        continue;
      case Op::noevent:
        of[i] = of[arg(0)];
        continue;
      case Op::add:
      case Op::sub:
        of[i] = merged(of[arg(0)], of[arg(1)], order.op(i) == Op::add ? 1 : -1);
        continue;
      case Op::mul:
        if (is_number(0) || is_number(1)) {
          const int k = is_number(0) ? 0 : 1;
          of[i] = scaled(of[arg(1 - k)], number[arg(k)]);
          continue;
        }
        break;
      case Op::div:
        if (is_number(1)) {
          of[i] = scaled(of[arg(0)], 1 / number[arg(1)]);
          continue;
        }
        break;
      case Op::select:
        if (is_number(0)) {
          const int k = number[arg(0)] != 0 ? 1 : 2;
          of[i] = of[arg(k)];
          number[i] = number[arg(k)];
          continue;
        }
        of[i] = agreed(of[arg(1)], of[arg(2)]);
        of[i] = merged(of[i], scaled(of[arg(0)], unknown), 1);
        continue;
      default:
        break;
    }
    for (int k = 0; k < n; ++k) of[i] = merged(of[i], of[arg(k)], 1);
    for (Factor& f : of[i]) f.value = unknown;
  }
  return of[order.roots()[0]];
}

}  // namespace couplet::equations
