// Expressions of the flat model as symbolic ones.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "couplet/base/text.hpp"
#include "couplet/modelica/lower/lowering.hpp"
#include "couplet/symbolic/print.hpp"

namespace couplet::modelica::lower {

using ast::Op;

namespace {

Val field_of(const Val& record, size_t index) {
  if (!record.is_array()) return record.items.at(index);
  Val all = Val::array({});
  for (const Val& i : record.items) all.items.push_back(field_of(i, index));
  return all;
}

}  // namespace

Expr Lowering::scalar(const Exp* e, Locals* locals) {
  Val v = value(e, locals);
  while (v.is_array() && v.items.size() == 1) v = Val(v.items[0]);
  if (!v.is_scalar()) throw Refused{"an array where one number is needed", {}};
  return v.e;
}

Val Lowering::variable_of(Component* c) {
  if (const auto found = overridden_.find(c); !settled_ && found != overridden_.end())
    return found->second;
  if (const auto found = values_.find(c); found != values_.end()) return found->second;
  return from_value(value_of(context_, c));  // a constant of a package, an external object
}

Val Lowering::component(Component* c) {
  c = c->resolve();
  if (c->is_array_of_classes()) {
    std::vector<Val> flat;
    for (Component* e : c->elements) flat.push_back(component(e));
    for (size_t d = c->dims.size(); d-- > 1;) {
      std::vector<Val> rows;
      const auto n = static_cast<size_t>(std::max(1, c->dims[d]));
      for (size_t i = 0; i + n <= flat.size(); i += n)
        rows.push_back(Val::array(
            {flat.begin() + static_cast<long>(i), flat.begin() + static_cast<long>(i + n)}));
      flat = std::move(rows);
    }
    return Val::array(std::move(flat));
  }
  if (c->type->primitive == Primitive::none) {
    Val v;
    v.kind = Val::Kind::record;
    for (const Field& f : type_of(context_, c).record->fields)
      v.items.push_back(component(component_of(context_, find_element(context_, c->type, f.name))));
    return v;
  }
  return variable_of(c);
}

Val Lowering::subscripted(const Val& array, const std::vector<Val>& subscripts, size_t i) {
  if (i == subscripts.size()) return array;
  if (!array.is_array()) throw Refused{"a subscript of what is no array", {}};
  const Val& s = subscripts[i];
  const auto at = [&](double k) -> Val {
    if (!(k >= 1 && k <= static_cast<double>(array.items.size())))
      throw Refused{fmt::format("subscript {} outside of 1:{}", k, array.items.size()), {}};
    return subscripted(array.items[static_cast<size_t>(k) - 1], subscripts, i + 1);
  };
  if (s.is_scalar() && s.e.is_constant()) return at(s.e.value());
  if (s.is_scalar()) {  // known during the simulation only
    if (array.items.empty()) throw Refused{"a subscript of an empty array", {}};
    check_bounds(s.e, array.items.size());
    Val result = at(static_cast<double>(array.items.size()));
    for (size_t k = array.items.size() - 1; k >= 1; --k)
      result = choose(equal(s.e, static_cast<double>(k)), at(static_cast<double>(k)), result);
    return result;
  }
  std::vector<Val> items;
  if (s.kind == Val::Kind::none)
    for (size_t k = 1; k <= array.items.size(); ++k) items.push_back(at(static_cast<double>(k)));
  for (const Val& k : s.items) {
    if (!k.is_scalar() || !k.e.is_constant())
      throw Refused{"a slice that changes during the simulation", {}};
    items.push_back(at(k.e.value()));
  }
  return Val::array(std::move(items));
}

// A subscript that the simulation decides has to be one: the run ends with a message where it is
// not.
void Lowering::check_bounds(const Expr& subscript, size_t count) {
  const Expr good =
      logical_and(less_equal(1, subscript), less_equal(subscript, static_cast<double>(count)));
  const Expr condition = logical_or(logical_not(guard_), good);
  if (condition.is_constant() && !condition.is_constant(0)) return;
  if (bounds_.insert(condition).second)
    dae_.assertions.push_back(
        {condition, fmt::format("a subscript is outside of 1:{}", count), false, where_});
}

std::vector<Val> Lowering::subscripts_of(const Exp& e, Locals* locals) {
  std::vector<Val> subscripts;
  for (uint32_t i = 1; i < e.args.size(); ++i) {
    if (e.args[i]->kind == ExpKind::colon) {
      subscripts.emplace_back();
      continue;
    }
    Val s = value(e.args[i], locals);
    if (e.args[i]->type.base == Primitive::boolean)
      s = each(s, [](const Expr& x) { return x + 1; });
    subscripts.push_back(std::move(s));
  }
  return subscripts;
}

Val Lowering::subscript(const Exp& e, Locals* locals) {
  const std::vector<Val> subscripts = subscripts_of(e, locals);
  if (e.args[0]->kind == ExpKind::local && locals)  // do not copy all of it
    return subscripted(locals->slots[static_cast<size_t>(e.args[0]->local->slot)], subscripts, 0);
  return subscripted(value(e.args[0], locals), subscripts, 0);
}

Val Lowering::range(const Exp& e, Locals* locals) {
  const Expr first = scalar(e.args[0], locals), last = scalar(e.args[2], locals);
  const Expr step = e.args[1] ? scalar(e.args[1], locals) : Expr(1);
  if (!first.is_constant() || !last.is_constant() || !step.is_constant() || step.value() == 0)
    throw Refused{"a range that changes during the simulation", {}};
  const double count = std::floor((last.value() - first.value()) / step.value() + 1e-10) + 1;
  check_elements(count);
  Val r = Val::array({});
  for (double k = 0; k < count; ++k) r.items.emplace_back(first.value() + k * step.value());
  return r;
}

void Lowering::comprehend(const Exp& e, Locals* locals, size_t i, std::vector<Val>& into) {
  const Val values = value(e.args[i + 1], locals);
  for (const Val& v : values.items) {
    locals->slots[static_cast<size_t>(e.locals[i]->slot)] = v;
    if (i + 1 < e.locals.size()) {
      std::vector<Val> inner;
      comprehend(e, locals, i + 1, inner);
      if (e.builtin == Builtin::array)
        into.push_back(Val::array(std::move(inner)));
      else
        into.insert(into.end(), inner.begin(), inner.end());
    } else {
      into.push_back(value(e.args[0], locals));
    }
  }
}

// What changes continuously makes events, unless noEvent says that it does not.
Expr Lowering::relation(Op op, const Expr& a, const Expr& b) {
  const auto plain = [&]() -> Expr {
    switch (op) {
      case Op::less:
        return less(a, b);
      case Op::less_equal:
        return less_equal(a, b);
      case Op::greater:
        return less(b, a);
      default:
        return less_equal(b, a);
    }
  };
  if (no_event_) return plain();
  const bool forwards = op == Op::less || op == Op::less_equal;
  const Expr gap = forwards ? a - b : b - a;
  if (!dae_.is_continuous(gap)) return plain();
  const bool strict = op == Op::less || op == Op::greater;
  return dae_.relation(gap, strict, symbolic::print(plain(), 100), where_);
}

Val Lowering::binary(Op op, const Val& a, const Val& b, const Exp& e) {
  if (a.kind == Val::Kind::text && b.kind == Val::Kind::text) {
    if (op != Op::add && (a.text == undecided_text || b.text == undecided_text))
      throw Refused{"a comparison of Strings that change during the simulation", {}};
    if (op == Op::equal) return Val(a.text == b.text ? 1 : 0);
    if (op == Op::not_equal) return Val(a.text != b.text ? 1 : 0);
    if (op == Op::add) {
      Val r = a;
      r.text += b.text;
      return r;
    }
    throw Refused{"an operation on Strings", {}};
  }
  switch (op) {
    case Op::add:
    case Op::el_add:
      return zip(a, b, [](const Expr& x, const Expr& y) { return x + y; });
    case Op::sub:
    case Op::el_sub:
      return zip(a, b, [](const Expr& x, const Expr& y) { return x - y; });
    case Op::mul:
      return multiply(a, b);
    case Op::el_mul:
      return zip(a, b, [](const Expr& x, const Expr& y) { return x * y; });
    case Op::div:
    case Op::el_div:
      return zip(a, b, [](const Expr& x, const Expr& y) { return x / y; });
    case Op::pow:
      if (a.is_array()) {
        if (!b.is_scalar() || !b.e.is_constant() || !(b.e.value() >= 0 && b.e.value() < 100))
          throw Refused{"a power of a matrix", {}};
        if (b.e.value() == 0) return identity(a.items.size());
        Val r = a;
        for (int k = 1; k < static_cast<int>(b.e.value()); ++k) r = multiply(r, a);
        return r;
      }
      return pow(a.e, b.e);
    case Op::el_pow:
      return zip(a, b, [](const Expr& x, const Expr& y) { return pow(x, y); });
    case Op::and_:
      return zip(a, b, [](const Expr& x, const Expr& y) { return logical_and(x, y); });
    case Op::or_:
      return zip(a, b, [](const Expr& x, const Expr& y) { return logical_or(x, y); });
    case Op::equal:
      return zip(a, b, [](const Expr& x, const Expr& y) { return symbolic::equal(x, y); });
    case Op::not_equal:
      return zip(a, b, [](const Expr& x, const Expr& y) { return not_equal(x, y); });
    default:
      (void)e;
      return zip(a, b, [&](const Expr& x, const Expr& y) { return relation(op, x, y); });
  }
}

Val Lowering::pre(const Val& v) {
  return each(v, [&](const Expr& x) -> Expr {
    if (x.is_constant()) return x;
    const int i = dae_.find(x);
    if (i < 0) throw Refused{"pre() of an expression", "give it a variable of its own"};
    if (dae_.variables[static_cast<size_t>(i)].kind != equations::Kind::discrete) return x;
    return dae_.variables[static_cast<size_t>(dae_.previous_of(i))].symbol;
  });
}

// f of the variables that `e` names, whatever an algorithm has made of them so far; its subscripts
// are what they are now.
Val Lowering::settled(const Exp* e, Locals* locals, const std::function<Val(const Val&)>& f) {
  switch (e->kind) {
    case ExpKind::variable: {
      settled_ = true;
      Val v;
      try {
        v = component(e->variable);
      } catch (...) {
        settled_ = false;
        throw;
      }
      settled_ = false;
      return f(v);
    }
    case ExpKind::subscript:
      return subscripted(settled(e->args[0], locals, f), subscripts_of(*e, locals), 0);
    case ExpKind::field:
      return field_of(settled(e->args[0], locals, f), static_cast<size_t>(e->number));
    case ExpKind::array: {
      Val all = Val::array({});
      for (const Exp* a : e->args) all.items.push_back(settled(a, locals, f));
      return all;
    }
    default:
      return f(value(e, locals));
  }
}

Val Lowering::pre_of(const Exp* e, Locals* locals) {
  return settled(e, locals, [this](const Val& v) { return pre(v); });
}

Val Lowering::derivative(const Val& v) {
  return each(v, [&](const Expr& x) { return dae_.time_derivative(x); });
}

Val Lowering::value(const Exp* e, Locals* locals) {
  context_.check_stack();
  if (++work_ > 200'000'000) throw Refused{"a model as large as this", {}};
  switch (e->kind) {
    case ExpKind::real:
    case ExpKind::integer:
    case ExpKind::boolean:
    case ExpKind::enum_literal:
      return Val(e->number);
    case ExpKind::string: {
      return from_value(evaluate(context_, e));
    }
    case ExpKind::variable:
      return component(e->variable);
    case ExpKind::local:
      if (!locals) throw Refused{"a local variable outside of its function", {}};
      return locals->slots[static_cast<size_t>(e->local->slot)];
    case ExpKind::array: {
      Val v = Val::array({});
      for (const Exp* a : e->args) v.items.push_back(value(a, locals));
      return v;
    }
    case ExpKind::range:
      return range(*e, locals);
    case ExpKind::unary: {
      const Val v = value(e->args[0], locals);
      if (e->op == Op::not_) return each(v, [](const Expr& x) { return logical_not(x); });
      if (e->op == Op::minus || e->op == Op::el_minus)
        return each(v, [](const Expr& x) { return -x; });
      return v;
    }
    case ExpKind::binary: {
      const Val a = value(e->args[0], locals);
      if (a.is_scalar() && e->op == Op::and_ && a.e.is_constant(0)) return a;
      if (a.is_scalar() && e->op == Op::or_ && a.e.is_constant() && !a.e.is_constant(0)) return a;
      const Guard guard(guard_);  // what the first one decides need not be asked of the second
      if (a.is_scalar() && e->op == Op::and_) guard_ = logical_and(guard_, a.e);
      if (a.is_scalar() && e->op == Op::or_) guard_ = logical_and(guard_, logical_not(a.e));
      return binary(e->op, a, value(e->args[1], locals), *e);
    }
    case ExpKind::if_: {
      std::vector<std::pair<Expr, Val>> cases;
      const Guard guard(guard_);
      for (uint32_t i = 0; i + 1 < e->args.size(); i += 2) {
        const Expr c = scalar(e->args[i], locals);
        if (c.is_constant(0)) continue;
        const Expr outside = guard_;
        guard_ = logical_and(outside, c);
        Val v = value(e->args[i + 1], locals);
        guard_ = logical_and(outside, logical_not(c));
        if (c.is_constant()) {
          for (size_t k = cases.size(); k-- > 0;) v = choose(cases[k].first, cases[k].second, v);
          return v;
        }
        cases.emplace_back(c, std::move(v));
      }
      Val v = value(e->args.back(), locals);
      for (size_t k = cases.size(); k-- > 0;) v = choose(cases[k].first, cases[k].second, v);
      return v;
    }
    case ExpKind::call: {
      std::vector<Val> results = call(*e, locals);
      return results.empty() ? Val{} : std::move(results[0]);
    }
    case ExpKind::builtin:
      return builtin(*e, locals);
    case ExpKind::record: {
      Val v;
      v.kind = Val::Kind::record;
      for (const Exp* a : e->args) v.items.push_back(value(a, locals));
      return v;
    }
    case ExpKind::subscript:
      return subscript(*e, locals);
    case ExpKind::field:
      return field_of(value(e->args[0], locals), static_cast<size_t>(e->number));
    case ExpKind::comprehension: {
      Locals own;
      Locals* frame = locals;
      if (!frame) frame = &own;
      size_t most = 0;
      for (const Local* l : e->locals) most = std::max(most, static_cast<size_t>(l->slot) + 1);
      if (frame->slots.size() < most) frame->slots.resize(most);
      std::vector<Val> items;
      comprehend(*e, frame, 0, items);
      if (e->builtin == Builtin::array) return Val::array(std::move(items));
      constexpr double greatest = std::numeric_limits<double>::max();  // [section 10.3.4.1]
      if (items.empty())
        return Val(e->builtin == Builtin::product ? 1
                   : e->builtin == Builtin::min   ? greatest
                   : e->builtin == Builtin::max   ? -greatest
                                                  : 0);
      Val total = items[0];
      for (size_t i = 1; i < items.size(); ++i)
        total = zip(total, items[i], [&](const Expr& a, const Expr& b) {
          return e->builtin == Builtin::sum       ? a + b
                 : e->builtin == Builtin::product ? a * b
                 : e->builtin == Builtin::min     ? min(a, b)
                                                  : max(a, b);
        });
      return total;
    }
    case ExpKind::function: {
      Val v;
      v.kind = Val::Kind::function;
      v.function = e;
      for (const Exp* a : e->args) v.items.push_back(a ? value(a, locals) : Val{});
      return v;
    }
    case ExpKind::tuple:
    case ExpKind::colon:
      break;
  }
  throw Refused{"an expression of this kind", {}};
}

}  // namespace couplet::modelica::lower
