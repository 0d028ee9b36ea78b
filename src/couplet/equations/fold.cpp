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

// Choices that numbers decide, by the branch that is taken.
Expr decided(const Expr& e, const Replacements& numbers, std::vector<Expr>& by) {
  Expr now = e;
  for (int round = 0; round < 20; ++round) {
    const Order order(now);
    Replacements taken;
    for (size_t i = 0; i < order.size(); ++i) {
      if (order.op(i) != Op::select) continue;
      const Expr choice = order.expr(i);
      const Expr condition = symbolic::substitute(choice.arg(0), numbers);
      if (!condition.is_constant()) continue;
      if (!choice.arg(0).is_constant()) by.push_back(choice.arg(0));
      taken.emplace(choice, choice.arg(condition.is_constant(0) ? 2 : 1));
    }
    if (taken.empty()) break;
    now = symbolic::substitute(now, taken);
  }
  return now;
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
  for (Equation& e : dae.equations) e.residual = decided(e.residual, numbers, dae.deciding);
  for (Equation& e : dae.initial_equations) e.residual = decided(e.residual, numbers, dae.deciding);
}

}  // namespace couplet::equations
