#include "couplet/symbolic/substitute.hpp"

#include <algorithm>

#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/order.hpp"

namespace couplet::symbolic {

std::vector<Expr> substitute(std::span<const Expr> expressions, const Replacements& replacements) {
  const Order order = Order::by_creation(expressions);  // what is new is created in the same order
  std::vector<Expr> results(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Expr old = order.expr(i);
    if (const auto found = replacements.find(old); found != replacements.end()) {
      results[i] = found->second;
      continue;
    }
    Expr args[3];
    bool is_changed = false;
    for (int k = 0; k < order.arity(i); ++k) {
      args[k] = results[order.arg(i, k)];
      is_changed = is_changed || !(args[k] == old.arg(k));
    }
    const bool is_call = old.is(Op::call1) || old.is(Op::call2);
    if (!is_changed)
      results[i] = old;
    else
      results[i] = is_call ? call(function_of(old.node()), args[0], args[1])
                           : make(old.op(), args[0], args[1], args[2]);
  }
  std::vector<Expr> roots;
  for (const std::uint32_t root : order.roots()) roots.push_back(results[root]);
  return roots;
}

Expr substitute(const Expr& e, const Replacements& replacements) {
  return substitute(std::span(&e, 1), replacements)[0];
}

std::vector<std::string> find_symbols(std::span<const Expr> expressions) {
  const Order order(expressions);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order.op(i) == Op::symbol) names.push_back(order.name(i));
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> find_symbols(const Expr& e) { return find_symbols(std::span(&e, 1)); }

OpCounts op_counts(std::span<const Expr> expressions) {
  const Order order(expressions);
  OpCounts counts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Op op = order.op(i);
    if (op == Op::mul || op == Op::div) ++counts.multiplications;
    if (op == Op::add || op == Op::sub) ++counts.additions;
    if (info(op).is_function || op == Op::call1 || op == Op::call2) ++counts.functions;
    if (is_boolean(op) || op == Op::select) ++counts.conditions;
  }
  return counts;
}

OpCounts op_counts(const Expr& e) { return op_counts(std::span(&e, 1)); }

}  // namespace couplet::symbolic
