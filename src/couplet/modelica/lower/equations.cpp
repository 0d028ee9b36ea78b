// Equations, when-equations and algorithms of the flat model.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/lower/lowering.hpp"

namespace couplet::modelica::lower {

using equations::Equation;
using equations::Kind;
using equations::Variable;
using FlatKind = FlatEquation::Kind;

void Lowering::add_residual(const Expr& residual, std::vector<Equation>& into) {
  into.push_back({residual, where_});
}

// Both sides as lists of scalars. A tuple on the left takes what the call gives.
std::pair<std::vector<Expr>, std::vector<Expr>> Lowering::sides(const FlatEquation& e) {
  std::vector<Expr> left, right;
  if (e.left->kind == ExpKind::tuple) {
    const std::vector<Val> results = call(*e.right, nullptr);
    for (uint32_t i = 0; i < e.left->args.size() && i < results.size(); ++i) {
      if (!e.left->args[i]) continue;
      flatten(value(e.left->args[i]), left);
      flatten(results[i], right);
    }
  } else {
    flatten(value(e.left), left);
    flatten(value(e.right), right);
  }
  if (left.size() != right.size())
    throw Refused{"an equation whose sides have different sizes", {}};
  return {std::move(left), std::move(right)};
}

void Lowering::equality(const FlatEquation& e, std::vector<Equation>& into) {
  const auto [left, right] = sides(e);
  for (size_t i = 0; i < left.size(); ++i) add_residual(left[i] - right[i], into);
}

void Lowering::if_equation(const FlatEquation& e, std::vector<Equation>& into) {
  std::vector<std::pair<Expr, std::vector<Equation>>> cases;
  const Guard outside(guard_);
  for (const auto& b : e.branches) {
    const Expr before = guard_;  // no branch so far
    const Expr c = b.condition ? scalar(b.condition) : Expr(1);
    if (c.is_constant(0)) continue;
    guard_ = logical_and(before, c);
    std::vector<Equation> body;
    for (const FlatEquation& one : b.body) equation(one, body);
    cases.emplace_back(c, std::move(body));
    if (c.is_constant()) break;
    guard_ = logical_and(before, logical_not(c));
  }
  if (cases.empty()) return;
  for (const auto& c : cases)
    if (c.second.size() != cases[0].second.size())
      throw Refused{"an if-equation whose branches have different numbers of equations", {}};
  if (!cases.back().first.is_constant() && !cases[0].second.empty())
    throw Refused{"an if-equation without an else", {}};
  for (size_t i = 0; i < cases[0].second.size(); ++i) {
    Expr r = cases.back().second[i].residual;
    for (size_t k = cases.size() - 1; k-- > 0;)
      r = select(cases[k].first, cases[k].second[i].residual, r);
    add_residual(r, into);
  }
}

void Lowering::equation(const FlatEquation& e, std::vector<Equation>& into) {
  switch (e.kind) {
    case FlatKind::equality:
      return equality(e, into);
    case FlatKind::if_:
      return if_equation(e, into);
    case FlatKind::when:
      return when(e);
    case FlatKind::call:
      return effect(e.left, Expr(1), nullptr);
  }
}

// True when the condition becomes true. Its value is a variable of its own, with pre().
Expr Lowering::edge_of(const Expr& c) {
  if (c.is_constant()) return Expr(0);
  if (c == dae_.initial || c == dae_.terminal) return c;
  if (const auto found = edges_.find(c); found != edges_.end()) return found->second;
  Variable v;
  v.name = fmt::format("$when{}", ++hidden_);
  v.kind = Kind::discrete;
  v.real = false;
  v.hidden = true;
  v.where = where_;
  const int k = dae_.add(std::move(v));
  const Expr symbol = dae_.variables[static_cast<size_t>(k)].symbol;
  dae_.equations.push_back({symbol - c, where_});
  const Expr previous = dae_.variables[static_cast<size_t>(dae_.previous_of(k))].symbol;
  // At the beginning only initial() makes a when active.
  const Expr edge = select(dae_.initial, 0, logical_and(symbol, logical_not(previous)));
  edges_.emplace(c, edge);
  return edge;
}

Expr Lowering::trigger(const Exp* condition, Locals* locals) {
  std::vector<Expr> all;
  flatten(value(condition, locals), all);
  Expr any = 0;
  for (const Expr& c : all) any = logical_or(any, edge_of(c));
  return any;
}

void Lowering::when(const FlatEquation& e) {
  Expr before = 0;                            // an earlier branch is active
  std::vector<std::pair<Expr, Expr>> values;  // of each target: symbol, value so far
  const auto find = [&](const Expr& symbol) -> Expr& {
    for (auto& [s, v] : values)
      if (s == symbol) return v;
    const int k = dae_.find(symbol);
    if (k < 0) throw Refused{"a when-equation whose left side is no variable", {}};
    return values
        .emplace_back(symbol, dae_.variables[static_cast<size_t>(dae_.previous_of(k))].symbol)
        .second;
  };
  const auto body = [&](auto&& self, const std::vector<FlatEquation>& list,
                        const Expr& active) -> void {
    for (const FlatEquation& one : list) {
      if (one.source) where_ = where(one.source, one.range);
      switch (one.kind) {
        case FlatKind::equality: {
          const auto [left, right] = sides(one);
          for (size_t i = 0; i < left.size(); ++i) {
            Expr s = left[i], r = right[i];
            if (!s.is_symbol() && s.is(symbolic::Op::neg)) {
              s = s.arg(0);
              r = -r;
            }
            Expr& v = find(s);
            v = select(active, r, v);
          }
          break;
        }
        case FlatKind::if_: {
          Expr rest = active;
          for (const auto& b : one.branches) {
            const Expr c = b.condition ? scalar(b.condition) : Expr(1);
            self(self, b.body, logical_and(rest, c));
            rest = logical_and(rest, logical_not(c));
          }
          break;
        }
        case FlatKind::call:
          effect(one.left, active, nullptr);
          break;
        case FlatKind::when:
          throw Refused{"a when inside of a when", {}};
      }
    }
  };
  for (const auto& b : e.branches) {
    if (b.condition->type.base == Primitive::clock) throw Refused{"a clocked when-equation", {}};
    const Expr t = trigger(b.condition, nullptr);
    body(body, b.body, logical_and(t, logical_not(before)));
    before = logical_or(before, t);
  }
  for (const auto& [symbol, v] : values) add_residual(symbol - v, dae_.equations);
}

std::string Lowering::text_of(const Exp* e, Locals* locals) {
  try {
    if (e->kind == ExpKind::string) return std::string(e->text);
    if (!locals)
      if (const auto v = try_evaluate(context_, e)) return v->text;
    if (e->kind == ExpKind::binary)
      return text_of(e->args[0], locals) + text_of(e->args[1], locals);
    if (e->kind == ExpKind::variable || e->kind == ExpKind::local) {
      const Val v = value(e, locals);
      if (v.kind == Val::Kind::text) return v.text;
    }
  } catch (const Refused&) {
  } catch (const CannotEvaluate&) {
  }
  return "…";
}

// Of a function that checks something, its assertions count. What it prints changes no motion.
void Lowering::effect_of_function(const Exp& e, const Expr& active, Locals* locals) {
  const std::string name = e.function ? e.function->name : "";
  if (name == "Modelica.Utilities.Streams.print") return;
  if (name == "Modelica.Utilities.Streams.error") {
    const Expr here = logical_and(guard_, active);
    if (!here.is_constant(0))
      dae_.assertions.push_back({logical_not(here), text_of(e.args[0], locals), false, where_});
    return;
  }
  if (!e.function || e.function->external || e.function->purity == Purity::impure)
    throw Refused{fmt::format("a call of {} for what it does", base::quoted(name)), {}};
  const Expr before = guard_;
  guard_ = logical_and(guard_, active);
  try {
    call(e, locals);
  } catch (...) {
    guard_ = before;
    throw;
  }
  guard_ = before;
}

// assert, terminate, reinit, and calls for what they do.
void Lowering::effect(const Exp* call_exp, const Expr& active, Locals* locals) {
  const Exp& e = *call_exp;
  if (e.kind == ExpKind::call) return effect_of_function(e, active, locals);
  switch (e.builtin) {
    case Builtin::assert_: {
      const bool before = no_event_;
      no_event_ = true;
      Expr c;
      try {
        c = scalar(e.args[0], locals);
      } catch (...) {
        no_event_ = before;
        throw;
      }
      no_event_ = before;
      equations::Assertion a;
      a.condition = logical_or(logical_not(logical_and(guard_, active)), c);
      a.text = text_of(e.args[1], locals);
      a.where = where_;
      a.warning = e.args.size() > 2 && e.args[2] && scalar(e.args[2], locals).is_constant(1);
      if (!a.condition.is_constant() || a.condition.is_constant(0))
        dae_.assertions.push_back(std::move(a));
      return;
    }
    case Builtin::terminate:
      dae_.terminations.push_back({logical_and(guard_, active), text_of(e.args[0], locals)});
      return;
    case Builtin::reinit: {
      std::vector<Expr> x, v;
      flatten(value(e.args[0], locals), x);
      flatten(value(e.args[1], locals), v);
      for (size_t i = 0; i < x.size(); ++i) {
        const int k = dae_.find(x[i]);
        if (k < 0) throw Refused{"reinit of what is no variable", {}};
        dae_.variables[static_cast<size_t>(k)].select = equations::Select::always;
        dae_.reinits.push_back(
            {logical_and(guard_, active), k, v.at(v.size() == x.size() ? i : 0), where_});
      }
      return;
    }
    default:
      throw Refused{"a call of this kind", {}};
  }
}

// ---- Algorithms

void Lowering::find_assigned(const Exp* target, std::vector<Component*>& into) {
  if (!target) return;
  if (target->kind == ExpKind::tuple || target->kind == ExpKind::array ||
      target->kind == ExpKind::record) {
    for (const Exp* a : target->args) find_assigned(a, into);
    return;
  }
  Component* c = component_in(target);
  if (!c) return;
  const auto add = [&](auto&& self, Component* one) -> void {
    if (one->is_array_of_classes()) {
      for (Component* e : one->elements) self(self, e);
    } else if (one->type->primitive == Primitive::none) {
      for (const Field& f : type_of(context_, one).record->fields)
        self(self, component_of(context_, find_element(context_, one->type, f.name)));
    } else if (std::find(into.begin(), into.end(), one) == into.end()) {
      into.push_back(one);
    }
  };
  add(add, c);
}

void Lowering::find_assigned(Slice<const Statement*> body, std::vector<Component*>& into) {
  for (const Statement* s : body) {
    if (s->kind == Statement::Kind::assign) find_assigned(s->left, into);
    for (const auto& b : s->branches) find_assigned(b.body, into);
  }
}

void Lowering::algorithm(const FlatAlgorithm& a) {
  std::vector<Component*> assigned;
  find_assigned(a.body, assigned);
  overridden_.clear();
  // What they are before the first assignment. [Modelica 3.6, section 11.1.2]
  for (Component* c : assigned)
    overridden_[c] = each(values_.at(c), [&](const Expr& s) -> Expr {
      const int k = dae_.find(s);
      const Variable& x = dae_.variables[static_cast<size_t>(k)];
      if (x.kind == Kind::discrete)
        return dae_.variables[static_cast<size_t>(dae_.previous_of(k))].symbol;
      return x.start ? *x.start : Expr(0);
    });
  Locals locals;
  statements(a.body, locals);
  const auto after = std::move(overridden_);
  overridden_.clear();
  for (Component* c : assigned) {
    std::vector<Expr> symbols, results;
    flatten(values_.at(c), symbols);
    flatten(after.at(c), results);
    for (size_t i = 0; i < symbols.size(); ++i) {
      const int k = dae_.find(symbols[i]);
      const int p = dae_.variables[static_cast<size_t>(k)].previous;
      // An element that no statement touches is not determined here.
      const bool kept = p >= 0 && results.at(i) == dae_.variables[static_cast<size_t>(p)].symbol &&
                        symbols.size() > 1;
      if (!kept)
        add_residual(symbols[i] - results.at(i),
                     a.initial ? dae_.initial_equations : dae_.equations);
    }
  }
}

base::SourceLocation Lowering::where(const Source* source, Range range) const {
  return source ? source->locate(range.begin) : base::SourceLocation{};
}

void Lowering::guarded(const Source* source, Range range, const std::function<void()>& work) {
  if (diagnostics_.full()) return;
  where_ = where(source, range);
  try {
    work();
  } catch (const Refused& refused) {
    diagnostics_.error(
        where_, fmt::format("{} is not covered by the simulation of Modelica models", refused.what),
        refused.fix);
  } catch (const CannotEvaluate& reason) {
    diagnostics_.error(where_, reason.why);
  }
}

void Lowering::equations() {
  for (const FlatEquation& e : model_.equations)
    guarded(e.source, e.range, [&] { equation(e, dae_.equations); });
  for (const FlatEquation& e : model_.initial_equations)
    guarded(e.source, e.range, [&] { equation(e, dae_.initial_equations); });
  for (const FlatAlgorithm& a : model_.algorithms)
    guarded(a.source, a.range, [&] { algorithm(a); });
  diagnostics_.check();
  prescribe();
}

}  // namespace couplet::modelica::lower
