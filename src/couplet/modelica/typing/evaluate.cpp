// Values of expressions and components at translation time.
#include "couplet/modelica/typing/evaluate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

Value subscripted(const Value& array, const std::vector<Value>& subscripts, size_t i) {
  if (i == subscripts.size()) return array;
  const Value& s = subscripts[i];
  const auto at = [&](double k) -> Value {
    if (!array.is_array() || !(k >= 1 && k <= static_cast<double>(array.items.size())))
      throw CannotEvaluate{fmt::format("subscript {} is outside of 1:{}", k, array.items.size())};
    return subscripted(array.items[static_cast<size_t>(k) - 1], subscripts, i + 1);
  };
  if (s.kind == Value::Kind::boolean) return at(s.number + 1);
  if (s.kind != Value::Kind::none && !s.is_array()) return at(s.number);
  std::vector<Value> items;
  if (s.kind == Value::Kind::none)
    for (size_t k = 1; k <= array.items.size(); ++k) items.push_back(at(static_cast<double>(k)));
  for (const Value& k : s.items) items.push_back(at(k.number));
  Value result = Value::array(std::move(items));
  result.type = array.type;
  return result;
}

Value evaluate_subscript(Context& context, const Exp& e, Frame* frame) {
  std::vector<Value> subscripts;
  for (uint32_t i = 1; i < e.args.size(); ++i)
    subscripts.push_back(e.args[i]->kind == ExpKind::colon ? Value{}
                                                           : evaluate(context, e.args[i], frame));
  if (e.args[0]->kind == ExpKind::local &&
      frame)  // an element of a variable: do not copy all of it
    return subscripted(frame->slots[static_cast<size_t>(e.args[0]->local->slot)], subscripts, 0);
  return subscripted(evaluate(context, e.args[0], frame), subscripts, 0);
}

Value evaluate_range(Context& context, const Exp& e, Frame* frame) {
  const Value first = evaluate(context, e.args[0], frame),
              last = evaluate(context, e.args[2], frame);
  const double step = e.args[1] ? evaluate(context, e.args[1], frame).number : 1;
  if (step == 0) throw CannotEvaluate{"the step of a range is zero"};
  const double count = std::floor((last.number - first.number) / step + 1e-10) + 1;
  check_elements(count);
  if (count > 0) count_work(context, count);
  std::vector<Value> items;
  for (double k = 0; k < count; ++k) {
    Value v = first;
    v.number = first.number + k * step;
    if (e.type.base == Primitive::real) v.kind = Value::Kind::real;
    items.push_back(v);
  }
  return Value::array(std::move(items));
}

Value field_of(const Value& record, size_t index) {
  if (record.is_array()) {
    Value each = Value::array({});
    for (const Value& r : record.items) each.items.push_back(field_of(r, index));
    return each;
  }
  if (index >= record.items.size()) throw CannotEvaluate{"a record is not complete"};
  return record.items[index];
}

void comprehend(Context& context, const Exp& e, Frame* frame, size_t i, std::vector<Value>& into) {
  const Value range = evaluate(context, e.args[i + 1], frame);
  for (const Value& v : range.items) {
    frame->slots[static_cast<size_t>(e.locals[i]->slot)] = v;
    if (i + 1 < e.locals.size()) {
      std::vector<Value> inner;
      comprehend(context, e, frame, i + 1, inner);
      if (e.builtin == Builtin::array)
        into.push_back(Value::array(std::move(inner)));
      else
        into.insert(into.end(), inner.begin(), inner.end());
    } else {
      into.push_back(evaluate(context, e.args[0], frame));
    }
  }
}

Value evaluate_comprehension(Context& context, const Exp& e, Frame* frame) {
  std::vector<Value> items;
  comprehend(context, e, frame, 0, items);
  if (e.builtin == Builtin::array) return Value::array(std::move(items));
  if (!items.empty() && items[0].is_array()) {  // sum({a, b} for ...)
    Value total = items[0];
    if (e.builtin != Builtin::sum) throw CannotEvaluate{"only sums are of arrays"};
    for (size_t i = 1; i < items.size(); ++i)
      total = evaluate_binary(context, ast::Op::add, total, items[i]);
    return total;
  }
  const bool real = e.type.base == Primitive::real;
  double total = e.builtin == Builtin::product ? 1 : 0;
  if (items.empty() && (e.builtin == Builtin::min || e.builtin == Builtin::max))
    total = (e.builtin == Builtin::min ? 1 : -1) * std::numeric_limits<double>::max();
  for (size_t i = 0; i < items.size(); ++i) {
    const double v = items[i].number;
    if (e.builtin == Builtin::sum)
      total += v;
    else if (e.builtin == Builtin::product)
      total *= v;
    else if (i == 0)
      total = v;
    else
      total = e.builtin == Builtin::min ? std::min(total, v) : std::max(total, v);
  }
  if (!items.empty() && items[0].kind > Value::Kind::integer) {  // an enumeration, a Boolean
    Value best = items[0];
    best.number = total;
    return best;
  }
  return real ? Value::real(total) : Value::integer(total);
}

Value evaluate_call(Context& context, const Exp& e, Frame* frame) {
  std::vector<Value> args;
  const Function* f = e.function;
  const Exp* bound = nullptr;
  if (e.local) {  // a function that was passed in
    if (!frame) throw CannotEvaluate{"a function is not known"};
    bound = frame->slots[static_cast<size_t>(e.local->slot)].function;
    if (!bound) throw CannotEvaluate{"a function is not known"};
    f = bound->function;
  }
  size_t next = 0;
  for (size_t i = 0; i < f->inputs.size(); ++i) {
    if (bound && i < bound->args.size() && bound->args[i]) {
      args.push_back(evaluate(context, bound->args[i], nullptr));
      continue;
    }
    const Exp* a = next < e.args.size() ? e.args[next++] : nullptr;
    if (!a && !f->inputs[i]->binding)
      throw CannotEvaluate{fmt::format("input {} of {} is not given",
                                       base::quoted(f->inputs[i]->name.text()),
                                       base::quoted(f->name))};
    args.push_back(a ? evaluate(context, a, frame) : evaluate(context, f->inputs[i]->binding));
  }
  std::vector<Value> results = call_function(context, *f, std::move(args));
  return results.empty() ? Value{} : results[0];
}

}  // namespace

namespace {

Value compute(Context& context, const Exp* e, Frame* frame);

// Elements of an array and of the arrays in it, as far as `enough`; characters count a little.
size_t count_elements(const Value& v, size_t enough) {
  size_t count = v.items.size() + v.text.size() / 16;
  for (const Value& i : v.items) {
    if (i.items.empty() && i.text.empty()) continue;
    count += count_elements(i, enough);
    if (count > enough) break;
  }
  return count;
}

}  // namespace

void check_elements(double count) {
  if (!(count <= static_cast<double>(max_elements)))
    throw CannotEvaluate{
        fmt::format("it needs too much memory: more than {} elements", max_elements)};
}

void count_work(Context& context, double steps) {
  if (steps <= static_cast<double>(max_steps)) context.steps += static_cast<long>(steps);
  if (!(steps <= static_cast<double>(max_steps)) || context.steps > max_steps)
    throw CannotEvaluate{fmt::format("it takes too long: more than {} steps", max_steps)};
}

Value repeated(const Value& v, double count) {
  if (!(count > 0)) return Value::array({});
  check_elements(count * static_cast<double>(1 + count_elements(v, max_elements)));
  return Value::array(std::vector<Value>(static_cast<size_t>(count), v));
}

Value evaluate(Context& context, const Exp* e, Frame* frame) {
  Value v = compute(context, e, frame);
  if (v.text.size() > max_elements)
    throw CannotEvaluate{
        fmt::format("it needs too much memory: more than {} characters", max_elements)};
  if (const size_t count = count_elements(v, max_elements)) {
    check_elements(static_cast<double>(count));
    count_work(context, static_cast<double>(count));
  }
  if (Alive::count > max_values)
    throw CannotEvaluate{fmt::format(
        "it needs too much memory: all values together have more than {} elements", max_values)};
  return v;
}

namespace {

Value compute(Context& context, const Exp* e, Frame* frame) {
  context.check_stack();
  count_work(context, 1);
  switch (e->kind) {
    case ExpKind::real:
      return Value::real(e->number);
    case ExpKind::integer:
      return Value::integer(e->number);
    case ExpKind::boolean:
      return Value::boolean(e->number != 0);
    case ExpKind::string:
      return Value::string(std::string(e->text));
    case ExpKind::enum_literal: {
      Value v = Value::scalar(Value::Kind::enumeration, e->number);
      v.type = e->type;
      return v;
    }
    case ExpKind::variable:
      return value_of(context, e->variable);
    case ExpKind::local:
      if (!frame)
        throw CannotEvaluate{
            fmt::format("{} has no value yet", base::quoted(e->local->name.text()))};
      return frame->slots[static_cast<size_t>(e->local->slot)];
    case ExpKind::array: {
      std::vector<Value> items;
      for (const Exp* a : e->args) items.push_back(evaluate(context, a, frame));
      Value v = Value::array(std::move(items));
      v.type = e->type;
      return v;
    }
    case ExpKind::range:
      return evaluate_range(context, *e, frame);
    case ExpKind::unary:
      return evaluate_unary(e->op, evaluate(context, e->args[0], frame));
    case ExpKind::binary: {
      const Value a = evaluate(context, e->args[0], frame);
      if (e->op == ast::Op::and_ && !a.is_array() && !a.truth()) return a;
      if (e->op == ast::Op::or_ && !a.is_array() && a.truth()) return a;
      return evaluate_binary(context, e->op, a, evaluate(context, e->args[1], frame));
    }
    case ExpKind::if_:
      for (uint32_t i = 0; i + 1 < e->args.size(); i += 2)
        if (evaluate(context, e->args[i], frame).truth())
          return evaluate(context, e->args[i + 1], frame);
      return evaluate(context, e->args.back(), frame);
    case ExpKind::call:
      return evaluate_call(context, *e, frame);
    case ExpKind::builtin:
      return evaluate_builtin(context, *e, frame);
    case ExpKind::record: {
      Value v;
      v.kind = Value::Kind::record;
      v.type = e->type;
      for (const Exp* a : e->args) v.items.push_back(evaluate(context, a, frame));
      return v;
    }
    case ExpKind::subscript:
      return evaluate_subscript(context, *e, frame);
    case ExpKind::field:
      return field_of(evaluate(context, e->args[0], frame), static_cast<size_t>(e->number));
    case ExpKind::comprehension:
      return evaluate_comprehension(context, *e, frame);
    case ExpKind::function: {
      Value v;
      v.kind = Value::Kind::function;
      v.function = e;
      return v;
    }
    case ExpKind::tuple:
    case ExpKind::colon:
      break;
  }
  throw CannotEvaluate{"it is no value"};
}

}  // namespace

std::optional<Value> try_evaluate(Context& context, const Exp* e, std::string* why) {
  if (e->variability > ast::Variability::parameter) return {};
  try {
    return evaluate(context, e);
  } catch (const CannotEvaluate& reason) {
    if (why) *why = ": " + reason.why;
    return {};
  }
}

bool is_fixed(Context& context, const Exp* e) {
  if (!e) return true;
  if (e->variability > ast::Variability::parameter) return false;
  if (e->kind == ExpKind::variable) {
    Component* c = e->variable->resolve();
    if (c->variability == ast::Variability::constant || c->structural) return true;
    if (!c->evaluate && !c->is_final) return false;
    if (c->value) return true;
    return c->evaluate || is_fixed(context, binding_of(context, c));
  }
  if (e->kind == ExpKind::builtin &&
      (e->builtin == Builtin::cardinality || e->builtin == Builtin::is_root ||
       e->builtin == Builtin::rooted))
    return context.connections != nullptr;
  if (e->kind == ExpKind::call && e->function && e->function->purity == Purity::impure)
    return false;
  for (const Exp* a : e->args)
    if (!is_fixed(context, a)) return false;
  return true;
}

namespace {

int size_of(Context& context, ClassInst* scope, const Exp* e, Range range) {
  const bool is_type =
      e->kind == ExpKind::array && e->type.rank() == 1 &&
      (e->type.base == Primitive::enumeration || e->type.base == Primitive::boolean);
  if (is_type) return e->type.dims[0];  // Real x[E]
  try {
    const Value v = evaluate(context, e);
    if (v.kind != Value::Kind::integer)
      context.fail(scope, range,
                   fmt::format("a size is an Integer, this is {}", to_string(e->type)));
    if (v.number < 0) context.fail(scope, range, fmt::format("a size cannot be {}", v.number));
    if (!(v.number <= static_cast<double>(max_array)))
      context.fail(scope, range,
                   fmt::format("a size of {} is too large, at most {} is possible", to_string(v),
                               max_array));
    return static_cast<int>(v.number);
  } catch (const CannotEvaluate& reason) {
    context.fail(scope, range, fmt::format("this size is not known at translation: {}", reason.why),
                 "sizes depend on constants and parameters with values");
  }
}

}  // namespace

int evaluate_size(Context& context, ClassInst* scope, const ast::Expr* size) {
  Scope inside{scope};
  inside.types_count = true;
  return size_of(context, scope, type_expression(context, inside, *size), size->range);
}

int constant_size(Context& context, ClassInst* scope, const ast::Expr* size) {
  const Exp* e = nullptr;
  Scope inside{scope};
  inside.types_count = true;
  try {
    const Muted muted(context);  // a constant of the record that each use of it gives
    e = type_expression(context, inside, *size);
  } catch (const Fault&) {
    return unknown_size;
  }
  if (e->variability > ast::Variability::constant) return unknown_size;
  return try_evaluate(context, e) ? size_of(context, scope, e, size->range) : unknown_size;
}

bool evaluate_condition(Context& context, ClassInst* scope, const ast::Expr* condition) {
  const Exp* e = type_expression(context, {scope}, *condition);
  if (e->type.base != Primitive::boolean || !e->type.is_scalar())
    context.fail(scope, condition->range,
                 fmt::format("a condition is Boolean, this is {}", to_string(e->type)));
  try {
    return evaluate(context, e).truth();
  } catch (const CannotEvaluate& reason) {
    context.fail(scope, condition->range,
                 fmt::format("this condition is not known at translation: {}", reason.why),
                 "components depend on constants and parameters with values");
  }
}

int size_from_binding(Context& context, Component& c, size_t dimension, Range range) {
  const Exp* binding = find_binding(context, &c);
  if (binding && dimension < binding->type.rank() && binding->type.dims[dimension] != unknown_size)
    return binding->type.dims[dimension];
  if (c.variability <= ast::Variability::parameter && binding)
    if (const auto v = try_evaluate(context, binding))
      if (dimension < v->dims().size()) return v->dims()[dimension];
  const Component* root = &c;
  while (root->parent) root = root->parent;
  if (root != context.model)
    return unknown_size;  // a record type on its own: the size is that of each value
  // The start value may tell, too.
  if (c.mod)
    if (const Mod* start = find_mod(c.mod->nested, Symbol("start"));
        start && start->value && !start->each) {
      const Exp* e = type_mod(context, *start);
      if (dimension < e->type.rank()) return e->type.dims[dimension];
    }
  context.fail(c.scope, range, fmt::format("the size of {} is not known", base::quoted(c.path())),
               "give it a value, or write the size instead of ':'");
}

}  // namespace couplet::modelica
