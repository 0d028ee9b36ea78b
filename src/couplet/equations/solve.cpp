// Blocks as far as symbols go: assignments, or a torn system with its Jacobian and what follows
// from its solution. One linear unknown is solved for; where its factor may vanish it stays a
// system, so that what is undetermined is found out with numbers.
#include <fmt/format.h>

#include "couplet/equations/passes.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

using symbolic::Replacements;

std::optional<Expr> isolated(const Expr& residual, const Expr& symbol) {
  const auto form = isolate(residual, symbol);
  if (!form || form->coefficient.is_constant(0)) return {};
  return -form->rest / form->coefficient;
}

// A factor that switches off, or a flow that may stop: where it is 0, the unknown is any number.
bool may_vanish(const Dae& dae, const Expr& factor) {
  if (factor.is_symbol()) return dae.is_continuous(factor);
  const symbolic::Order order(factor);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) == symbolic::Op::select) return true;
    if (order.op(i) != symbolic::Op::symbol || order.expr(i) == dae.time) continue;
    const int v = dae.find(order.expr(i));  // none: a relation
    if (v < 0 || dae.variables[static_cast<size_t>(v)].kind == Kind::discrete) return true;
  }
  return false;
}

void check_real(const Dae& dae, const System& system, const Block& block) {
  for (const int v : block.torn)
    if (!dae.variables[static_cast<size_t>(v)].real)
      throw base::UserError(
          dae.variables[static_cast<size_t>(v)].where,
          fmt::format(
              "'{}' is not Real and stands in a system of {} equations that has to be solved "
              "for it, such as {} at {}",
              dae.variables[static_cast<size_t>(v)].name, block.equations.size(),
              to_text(system.residuals[static_cast<size_t>(block.residuals[0])]),
              system.where[static_cast<size_t>(block.residuals[0])].str()),
          "break the loop with pre()");
}

bool is_linear(const std::vector<Expr>& residuals, const std::vector<Expr>& unknowns,
               const std::vector<symbolic::JacobianEntry>& jacobian) {
  std::unordered_map<Expr, char> marked;
  for (const Expr& z : unknowns) marked.emplace(z, 1);
  for (const auto& entry : jacobian) {
    const symbolic::Order order(entry.value);
    for (size_t i = 0; i < order.size(); ++i)
      if (order.op(i) == symbolic::Op::symbol && marked.contains(order.expr(i))) return false;
  }
  // What is no function of derivatives, such as floor, hides a dependence.
  for (const Expr& r : residuals) {
    Expr rest = r;
    for (const Expr& z : unknowns) {
      const auto form = isolate(rest, z);
      if (!form) return false;
      rest = form->rest;
    }
  }
  return true;
}

}  // namespace

void solve(const Dae& dae, const System& system, Block& block) {
  const auto symbol = [&](int v) -> const Expr& {
    return dae.variables[static_cast<size_t>(v)].symbol;
  };
  const auto residual = [&](int e) -> const Expr& {
    return system.residuals[static_cast<size_t>(e)];
  };
  Solution& solution = block.solution;
  if (block.equations.size() == 1) {
    const int e = block.equations[0], v = block.variables[0];
    const auto form = isolate(residual(e), symbol(v));
    const bool certain = form && (system.careful ? form->coefficient.is_constant()
                                                 : !may_vanish(dae, form->coefficient));
    if (form && certain && !form->coefficient.is_constant(0)) {
      solution.values.emplace_back(v, -form->rest / form->coefficient);
      return;
    }
    block.torn = block.variables;
    block.residuals = block.equations;
  } else {
    tear(dae, system, block);
  }
  check_real(dae, system, block);
  Replacements inner;
  for (const auto& [e, v] : block.inner) {
    Expr value = symbolic::substitute(*isolated(residual(e), symbol(v)), inner);
    solution.values.emplace_back(v, value);
    inner.insert_or_assign(symbol(v), std::move(value));
  }
  std::vector<Expr> residuals, unknowns;
  for (const int e : block.residuals) residuals.push_back(residual(e));
  residuals = symbolic::substitute(residuals, inner);
  for (const int v : block.torn) unknowns.push_back(symbol(v));
  auto jacobian = symbolic::differentiate(residuals, unknowns);
  solution.linear = is_linear(residuals, unknowns, jacobian);
  if (solution.linear) {
    Replacements zero;
    for (const Expr& z : unknowns) zero.emplace(z, 0);
    residuals = symbolic::substitute(residuals, zero);
    if (unknowns.size() == 1 && !jacobian.empty() && !system.careful &&
        !may_vanish(dae, jacobian[0].value)) {
      solution.values.insert(solution.values.begin(),
                             {block.torn[0], -residuals[0] / jacobian[0].value});
      return;
    }
  }
  solution.unknowns = block.torn;
  solution.residuals = std::move(residuals);
  solution.jacobian = std::move(jacobian);
}

}  // namespace couplet::equations
