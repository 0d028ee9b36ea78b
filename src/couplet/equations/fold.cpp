// Values of parameters are known when a model is translated (other values are another translation):
// choices that they decide are made. A mass of 0 kg may leave no derivative of its speed.
#include <cmath>

#include "couplet/equations/passes.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

using symbolic::Op;
using symbolic::Order;
using symbolic::Replacements;

// Numbers of parameters, those that others need first.
Replacements find_numbers(const Dae& dae) {
  Replacements numbers;
  enum : char { fresh, entered, done };
  std::vector<char> state(dae.variables.size(), fresh);
  for (int first = 0; first < static_cast<int>(dae.variables.size()); ++first) {
    std::vector<int> stack{first};
    while (!stack.empty()) {
      const int v = stack.back();
      const Variable& x = dae.variables[static_cast<size_t>(v)];
      char& s = state[static_cast<size_t>(v)];
      const bool known = x.kind == Kind::parameter && (x.value || (x.fixed && x.start));
      if (s == done || !known) {
        stack.pop_back();
        continue;
      }
      const Expr& value = x.value ? *x.value : *x.start;
      if (s == fresh) {
        s = entered;
        for (const int u : dae.variables_of(value))
          if (state[static_cast<size_t>(u)] == fresh) stack.push_back(u);
        continue;
      }
      s = done;
      stack.pop_back();
      const Expr number = symbolic::substitute(value, numbers);
      if (number.is_constant() && std::isfinite(number.value())) numbers.emplace(x.symbol, number);
    }
  }
  return numbers;
}

// Choices that numbers decide, by the branch that is taken. All at once, for they share much.
void decide(std::vector<Expr>& all, const Replacements& numbers, std::vector<Expr>& by) {
  for (int round = 0; round < 20; ++round) {
    const Order order(all);
    std::vector<Expr> choices, conditions;
    for (size_t i = 0; i < order.size(); ++i)
      if (order.op(i) == Op::select) {
        choices.push_back(order.expr(i));
        conditions.push_back(choices.back().arg(0));
      }
    const std::vector<Expr> known = symbolic::substitute(conditions, numbers);
    Replacements taken;
    for (size_t k = 0; k < choices.size(); ++k) {
      if (!known[k].is_constant()) continue;
      if (!conditions[k].is_constant()) by.push_back(conditions[k]);
      taken.emplace(choices[k], choices[k].arg(known[k].is_constant(0) ? 2 : 1));
    }
    if (taken.empty()) break;
    all = symbolic::substitute(all, taken);
  }
}

}  // namespace

void fold_parameters(Dae& dae) {
  const Replacements numbers = find_numbers(dae);
  std::erase_if(dae.delays, [&](const Delay& d) {  // by nothing
    if (!symbolic::substitute(d.length, numbers).is_constant(0)) return false;
    if (!d.length.is_constant()) dae.deciding.push_back(d.length);
    dae.replaced.emplace(d.symbol, d.argument);
    return true;
  });
  std::vector<Expr> all;
  for (const Equation& e : dae.equations) all.push_back(e.residual);
  for (const Equation& e : dae.initial_equations) all.push_back(e.residual);
  decide(all, numbers, dae.deciding);
  size_t k = 0;
  for (Equation& e : dae.equations) e.residual = all[k++];
  for (Equation& e : dae.initial_equations) e.residual = all[k++];
}

}  // namespace couplet::equations
