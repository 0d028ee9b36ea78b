#include "couplet/equations/dae.hpp"

#include <fmt/format.h>

#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {

using symbolic::Op;
using symbolic::Order;

int Dae::add(Variable v) {
  const int i = static_cast<int>(variables.size());
  v.symbol = Expr::symbol(v.name);
  base::ensure(index.emplace(v.symbol, i).second, "names of variables are unique: " + v.name);
  variables.push_back(std::move(v));
  return i;
}

int Dae::find(const Expr& symbol) const {
  const auto found = index.find(symbol);
  return found == index.end() ? -1 : found->second;
}

int Dae::derivative_of(int v) {
  auto& variable = variables[static_cast<size_t>(v)];
  if (variable.derivative >= 0) return variable.derivative;
  Variable d;
  d.name = "der(" + variable.name + ")";
  if (const int was = find(Expr::symbol(d.name));
      was >= 0 && variables[static_cast<size_t>(was)].idle) {
    variables[static_cast<size_t>(was)].idle = false;
    variables[static_cast<size_t>(was)].integral = v;
    return variable.derivative = was;
  }
  if (!variable.unit.empty()) d.unit = variable.unit + "/s";
  d.where = variable.where;
  d.integral = v;
  d.hidden = variable.hidden;
  const int i = add(std::move(d));
  variables[static_cast<size_t>(v)].derivative = i;
  return i;
}

void Dae::drop_idle_derivatives() {
  std::vector<char> used(variables.size(), 0);
  const auto look = [&](const Expr& e) {
    for (const int v : variables_of(e)) used[static_cast<size_t>(v)] = 1;
  };
  for (const Equation& e : equations) look(e.residual);
  for (const Equation& e : initial_equations) look(e.residual);
  for (const Relation& r : relations) look(r.gap);
  for (const Whole& w : wholes) look(w.argument);
  for (const Delay& d : delays) look(d.argument);
  for (const Reinit& r : reinits) {
    look(r.trigger);
    look(r.value);
  }
  for (const Assertion& a : assertions) look(a.condition);
  for (const Termination& t : terminations) look(t.trigger);
  for (const auto& [symbol, by] : replaced) look(by);
  for (const Variable& x : variables)
    if (x.start) look(*x.start);
  for (bool again = true; again;) {
    again = false;
    for (size_t d = 0; d < variables.size(); ++d) {
      Variable& x = variables[d];
      if (used[d] || x.idle || x.fixed || x.integral < 0 || x.derivative >= 0 ||
          replaced.contains(x.symbol))
        continue;
      variables[static_cast<size_t>(x.integral)].derivative = -1;
      x.integral = -1;
      x.idle = again = true;
    }
  }
}

int Dae::previous_of(int v) {
  auto& variable = variables[static_cast<size_t>(v)];
  if (variable.previous >= 0) return variable.previous;
  Variable p;
  p.name = "pre(" + variable.name + ")";
  p.kind = Kind::discrete;
  p.real = variable.real;
  p.start = variable.start;
  p.where = variable.where;
  p.is_previous = true;
  p.hidden = true;
  const int i = add(std::move(p));
  variables[static_cast<size_t>(v)].previous = i;
  return i;
}

std::vector<int> Dae::variables_of(const Expr& e) const {
  std::vector<int> all;
  const Order order(e);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order.op(i) == Op::symbol)
      if (const int v = find(order.expr(i)); v >= 0) all.push_back(v);
  return all;
}

Expr Dae::time_derivative(const Expr& e) {
  if (!delays.empty()) {
    const Order order(e);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (const Delay* d = order.op(i) == Op::symbol ? find_delay(order.expr(i)) : nullptr)
        throw base::UserError(d->where,
                              "delay() stands where its derivative is needed, which jumps where "
                              "its past begins",
                              "put an integrator or a filter of first order behind it");
  }
  std::unordered_map<Expr, Expr> along{{time, Expr(1)}};
  for (const int v : variables_of(e))
    if (variables[static_cast<size_t>(v)].kind == Kind::continuous) {
      const int d = derivative_of(v);
      along.emplace(variables[static_cast<size_t>(v)].symbol,
                    resolve(variables[static_cast<size_t>(d)].symbol));
    }
  return symbolic::differentiate_along(e, along);
}

Expr Dae::resolve(const Expr& e) const {
  if (replaced.empty()) return e;
  Expr now = e;
  for (int round = 0; round < 100; ++round) {
    const Expr next = symbolic::substitute(now, replaced);
    if (next == now) break;
    now = next;
  }
  return now;
}

bool Dae::is_continuous(const Expr& e) const {
  const Order order(e);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) != Op::symbol) continue;
    const Expr s = order.expr(i);
    if (s == time || find_delay(s)) return true;
    const int v = find(s);
    if (v >= 0 && variables[static_cast<size_t>(v)].kind == Kind::continuous) return true;
  }
  return false;
}

Expr Dae::relation(const Expr& gap, bool strict, const std::string& text,
                   const base::SourceLocation& where) {
  const Expr key = strict ? less(gap, 0) : less_equal(gap, 0);
  if (key.is_constant() || !is_continuous(gap)) return key;
  const auto found = relation_of_.find(key);
  if (found != relation_of_.end()) return found->second;
  const Expr symbol = Expr::symbol(fmt::format("$relation.r{}", relations.size()));
  relations.push_back({symbol, gap, strict, text, where});
  relation_of_.emplace(key, symbol);
  return symbol;
}

Expr Dae::whole(const Expr& argument) {
  if (!is_continuous(argument)) return floor(argument);
  const auto found = whole_of_.find(argument);
  if (found != whole_of_.end()) return found->second;
  const Expr symbol = Expr::symbol(fmt::format("$whole.n{}", wholes.size()));
  wholes.push_back({symbol, argument});
  whole_of_.emplace(argument, symbol);
  return symbol;
}

Expr Dae::sample(const Expr& start, const Expr& interval) {
  for (const Sample& s : samples)
    if (s.start == start && s.interval == interval) return s.symbol;
  const Expr symbol = Expr::symbol(fmt::format("$sample.s{}", samples.size()));
  samples.push_back({symbol, start, interval});
  return symbol;
}

Expr Dae::delay(const Expr& argument, const Expr& length, const base::SourceLocation& where) {
  for (const Delay& d : delays)
    if (d.argument == argument && d.length == length) return d.symbol;
  const Expr symbol = Expr::symbol(fmt::format("$delay.d{}", delays.size()));
  delays.push_back({symbol, argument, length, where});
  return symbol;
}

const Delay* Dae::find_delay(const Expr& symbol) const {
  for (const Delay& d : delays)
    if (d.symbol == symbol) return &d;
  return nullptr;
}

std::unordered_map<Expr, Expr> Dae::while_running() const {
  return {{initial, Expr(0)}, {homotopy, Expr(1)}};
}

std::optional<Linear> isolate(const Expr& e, const Expr& symbol) {
  const Order order(e);
  std::vector<Linear> form(order.size());
  std::vector<char> has(order.size(), 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const Expr here = order.expr(i);
    if (here == symbol) {
      has[i] = 1;
      form[i] = {1, 0};
      continue;
    }
    bool any = false;
    for (int k = 0; k < order.arity(i); ++k) any = any || has[order.arg(i, k)];
    if (!any) {
      form[i] = {0, here};
      continue;
    }
    has[i] = 1;
    const auto arg = [&](int k) -> const Linear& { return form[order.arg(i, k)]; };
    const auto with = [&](int k) { return has[order.arg(i, k)] != 0; };
    switch (order.op(i)) {
      case Op::neg:
        form[i] = {-arg(0).coefficient, -arg(0).rest};
        break;
      case Op::add:
        form[i] = {arg(0).coefficient + arg(1).coefficient, arg(0).rest + arg(1).rest};
        break;
      case Op::sub:
        form[i] = {arg(0).coefficient - arg(1).coefficient, arg(0).rest - arg(1).rest};
        break;
      case Op::mul:
        if (with(0) && with(1)) return {};
        if (with(0))
          form[i] = {arg(0).coefficient * arg(1).rest, arg(0).rest * arg(1).rest};
        else
          form[i] = {arg(0).rest * arg(1).coefficient, arg(0).rest * arg(1).rest};
        break;
      case Op::div:
        if (with(1)) return {};
        form[i] = {arg(0).coefficient / arg(1).rest, arg(0).rest / arg(1).rest};
        break;
      case Op::noevent:
        form[i] = arg(0);
        break;
      case Op::select:
        if (with(0)) return {};
        form[i] = {select(arg(0).rest, arg(1).coefficient, arg(2).coefficient),
                   select(arg(0).rest, arg(1).rest, arg(2).rest)};
        break;
      default:
        return {};
    }
  }
  return form[order.roots()[0]];
}

}  // namespace couplet::equations
