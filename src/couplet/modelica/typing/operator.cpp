// Types of operators. [Modelica 3.6, sections 3.4 to 3.6, 10.6]
#include <fmt/format.h>

#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {

using ast::ExprKind;
using ast::Op;

namespace {

bool is_relation(Op op) { return op >= Op::less && op <= Op::not_equal; }

bool fits(int a, int b) { return a == b || a == unknown_size || b == unknown_size; }

bool same_dims(const Type& a, const Type& b) {
  if (a.dims.size() != b.dims.size()) return false;
  for (size_t i = 0; i < a.dims.size(); ++i)
    if (!fits(a.dims[i], b.dims[i])) return false;
  return true;
}

Slice<int> known_dims(const Type& a, const Type& b) {
  for (const int d : a.dims)
    if (d == unknown_size) return b.dims;
  return a.dims;
}

[[noreturn]] void mismatch(Context& context, const Scope& scope, Op op, const Exp* a, const Exp* b,
                           Range range) {
  context.fail(scope.class_inst, range,
               fmt::format("operator {} does not fit {} and {}", to_string(op), to_string(a->type),
                           to_string(b->type)),
               a->type.rank() != b->type.rank()
                   ? "elementwise operators such as .* take a scalar and an array"
                   : "");
}

// Rules of '*' for vectors and matrices.
bool product_dims(Context& context, const Type& a, const Type& b, Type& result) {
  const size_t m = a.rank(), n = b.rank();
  if (m == 0 || n == 0) {
    result.dims = m ? a.dims : b.dims;
    return true;
  }
  if (m > 2 || n > 2 || !fits(a.dims[m - 1], b.dims[0])) return false;
  std::vector<int> dims;
  if (m == 2) dims.push_back(a.dims[0]);
  if (n == 2) dims.push_back(b.dims[1]);
  result = with_dims(context, result, dims);
  return true;
}

// A branch of an if-expression whose conditions are parameters. Null: it has faults, but it is
// never taken, such as `if n > 0 then x[1] else 0` for an empty x.
const Exp* type_branch(Context& context, const Scope& scope, const ast::Expr& e,
                       const std::vector<const Exp*>& conditions, bool is_else) {
  bool known = !scope.function;
  for (const Exp* c : conditions) known = known && c->variability <= ast::Variability::parameter;
  if (!known) return type_expression(context, scope, e);
  {
    const Muted muted(context);
    try {
      return type_expression(context, scope, e);
    } catch (const Fault&) {
    }
  }
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto value = try_evaluate(context, conditions[i]);
    if (!value) break;
    const bool own = !is_else && i + 1 == conditions.size();
    if (value->truth() != own) return nullptr;
  }
  return type_expression(context, scope, e);
}

const Exp* type_if(Context& context, const Scope& scope, const ast::Expr& e) {
  std::vector<const Exp*> args, conditions;
  // A condition that is known already decides: the other branch need not even fit.
  for (uint32_t i = 0; i + 1 < e.args.size(); i += 2) {
    const Exp* condition = type_expression(context, scope, *e.args[i]);
    if (condition->type.base != Primitive::boolean || !condition->type.is_scalar())
      context.fail(scope.class_inst, e.args[i]->range,
                   fmt::format("a condition is Boolean, this is {}", to_string(condition->type)));
    if (!scope.function && is_fixed(context, condition)) {
      if (const auto value = try_evaluate(context, condition)) {
        if (!value->truth()) continue;
        const Exp* chosen = type_expression(context, scope, *e.args[i + 1]);
        if (args.empty()) return chosen;
        args.push_back(chosen);
        break;
      }
    }
    conditions.push_back(condition);
    const Exp* branch = type_branch(context, scope, *e.args[i + 1], conditions, false);
    if (!branch) continue;
    args.push_back(condition);
    args.push_back(branch);
  }
  if (args.size() % 2 == 0) {
    const Exp* last = type_branch(context, scope, *e.args.back(), conditions, true);
    if (last) args.push_back(last);
    // Without an else one of the conditions is true, and the last of those that are left is.
    if (!last) args.erase(args.end() - 2);
  }
  if (args.size() == 1) return args[0];

  Exp result{.kind = ExpKind::if_};
  result.type = args.back()->type;
  for (size_t i = 1; i < args.size(); i += 2) {
    const bool nothing = count_scalars(args[i]->type) == 0 || count_scalars(result.type) == 0;
    if (!alike(args[i]->type, result.type) && !nothing && args[i]->kind != ExpKind::function)
      context.fail(scope.class_inst, e.range,
                   fmt::format("the branches are values of one kind, not {} and {}",
                               to_string(args[i]->type), to_string(result.type)));
  }
  bool same = true;
  for (size_t i = 1; i < args.size(); i += 2) {
    if (args[i]->type.base == Primitive::real) result.type.base = Primitive::real;
    if (!same_dims(args[i]->type, args.back()->type)) same = false;
    if (args[i]->type.base == Primitive::none && args[i]->type.record) result.type = args[i]->type;
  }
  if (!same && scope.function) {  // decided when the function runs
    const size_t rank = result.type.rank();
    std::vector<int> dims(result.type.dims.begin(), result.type.dims.end());
    for (size_t i = 1; i < args.size(); i += 2)
      for (size_t d = 0; d < rank && args[i]->type.rank() == rank; ++d)
        if (args[i]->type.dims[d] != dims[d]) dims[d] = unknown_size;
    result.type = with_dims(context, result.type, dims);
  }
  if (!same && !scope.function) {  // sizes differ: it must be decided now
    for (size_t i = 0; i + 1 < args.size(); i += 2) {
      const auto value = try_evaluate(context, args[i]);
      if (!value)
        context.fail(
            scope.class_inst, e.range,
            fmt::format("the branches are {} and {}, and the condition is not known at translation",
                        to_string(args[i + 1]->type), to_string(args.back()->type)));
      if (value->truth()) return args[i + 1];
    }
    return args.back();
  }
  result.args = context.arena.copy(args);
  return make_exp(context, result);
}

const Exp* type_unary(Context& context, const Scope& scope, const ast::Expr& e) {
  const Exp* a = type_expression(context, scope, *e.args[0]);
  if (a->type.record) return make_operator_call(context, scope, e.op, {a}, e.range);
  const bool fits_type =
      e.op == Op::not_ ? a->type.base == Primitive::boolean : a->type.is_numeric();
  if (!fits_type)
    context.fail(scope.class_inst, e.range,
                 fmt::format("operator {} does not fit {}", to_string(e.op), to_string(a->type)));
  if (e.op == Op::plus || e.op == Op::el_plus) return a;
  if (e.op != Op::not_ && a->kind == ExpKind::real) return make_real(context, -a->number);
  if (e.op != Op::not_ && a->kind == ExpKind::integer) return make_integer(context, -a->number);
  Exp result{.kind = ExpKind::unary};
  result.op = e.op == Op::not_ ? Op::not_ : Op::minus;
  result.type = a->type;
  result.args = context.arena.copy<const Exp*>({a});
  return make_exp(context, result);
}

const Exp* type_range(Context& context, const Scope& scope, const ast::Expr& e) {
  std::vector<const Exp*> args;
  for (const ast::Expr* a : e.args) args.push_back(type_expression(context, scope, *a));
  if (args.size() == 2) args.insert(args.begin() + 1, nullptr);
  Exp result{.kind = ExpKind::range};
  result.type.base = args[0]->type.base;
  result.type.enumeration = args[0]->type.enumeration;
  for (const Exp* a : args)
    if (a && a->type.base == Primitive::real) result.type.base = Primitive::real;
  for (const Exp* a : args)
    if (a && (a->type.base != args[0]->type.base &&
              !(a->type.is_numeric() && args[0]->type.is_numeric())))
      context.fail(scope.class_inst, e.range,
                   fmt::format("a range runs over values of one kind, not {} and {}",
                               to_string(args[0]->type), to_string(a->type)));
  if (args[1] && !args[0]->type.is_numeric())
    context.fail(scope.class_inst, e.range, "only ranges of numbers have a step",
                 "write first:last");
  result.args = context.arena.copy(args);
  result.type = with_dims(context, result.type, {unknown_size});
  const Exp* range = make_exp(context, result);
  if (scope.function && !(args[0]->kind == ExpKind::integer && args[2]->kind == ExpKind::integer))
    return range;
  std::string why;
  const auto value = try_evaluate(context, range, &why);
  if (!value && !scope.function && !scope.open_ranges)
    context.fail(scope.class_inst, e.range,
                 "the bounds of this range are not known at translation" + why);
  if (value) context.count_step(scope.class_inst, e.range, static_cast<long>(value->items.size()));
  return value ? to_exp(context, *value, range->type) : range;
}

const Exp* type_unchecked(Context& context, const Scope& scope, const ast::Expr& e);

}  // namespace

Type binary_type(Context& context, const Scope& scope, Op op, const Exp* a, const Exp* b,
                 Range range) {
  const Type &s = a->type, &t = b->type;
  Type result;
  if (op == Op::and_ || op == Op::or_) {
    if (s.base != Primitive::boolean || t.base != Primitive::boolean || !same_dims(s, t))
      mismatch(context, scope, op, a, b, range);
    return s;
  }
  if (is_relation(op)) {
    const bool comparable =
        (s.base == t.base || (s.is_numeric() && t.is_numeric())) &&
        (s.base != Primitive::enumeration || same_enumeration(s.enumeration, t.enumeration));
    if (!comparable || s.base == Primitive::none || !s.is_scalar() || !t.is_scalar())
      mismatch(context, scope, op, a, b, range);
    result.base = Primitive::boolean;
    return result;
  }
  const bool joins = (op == Op::add || op == Op::el_add) && s.base == Primitive::string &&
                     t.base == Primitive::string;
  if (joins && s.is_scalar() && t.is_scalar()) return s;
  if (!joins && (!s.is_numeric() || !t.is_numeric())) mismatch(context, scope, op, a, b, range);
  const bool real = s.base == Primitive::real || t.base == Primitive::real || op == Op::div ||
                    op == Op::el_div || op == Op::pow || op == Op::el_pow;
  result.base = joins ? Primitive::string : real ? Primitive::real : Primitive::integer;
  const bool elementwise = op == Op::el_add || op == Op::el_sub || op == Op::el_mul ||
                           op == Op::el_div || op == Op::el_pow;
  bool good = true;
  if (elementwise && (s.is_scalar() || t.is_scalar())) {
    result.dims = s.is_scalar() ? t.dims : s.dims;
  } else if (op == Op::add || op == Op::sub || elementwise) {
    good = same_dims(s, t);
    result.dims = known_dims(s, t);
  } else if (op == Op::mul) {
    good = product_dims(context, s, t, result);
  } else if (op == Op::div) {
    good = t.is_scalar();
    result.dims = s.dims;
  } else {  // power: of scalars, or of a square matrix
    good = t.is_scalar() && (s.is_scalar() || (s.rank() == 2 && fits(s.dims[0], s.dims[1])));
    result.dims = s.dims;
    // A matrix to the power of how often it is multiplied. [section 10.6.8]
    if (s.rank() == 2 && op == Op::pow)
      good = good && t.base == Primitive::integer && !(is_literal(b) && b->number < 0);
  }
  if (!good) mismatch(context, scope, op, a, b, range);
  return result;
}

const Exp* make_binary(Context& context, const Scope& scope, Op op, const Exp* a, const Exp* b,
                       Range range) {
  if (a->type.record || b->type.record)
    return make_operator_call(context, scope, op, {a, b}, range);
  Exp result{.kind = ExpKind::binary};
  result.op = op;
  result.type = binary_type(context, scope, op, a, b, range);
  result.args = context.arena.copy<const Exp*>({a, b});
  const Exp* made = make_exp(context, result);
  const bool same = op == Op::equal || op == Op::not_equal;
  if (same && !scope.function && made->variability == ast::Variability::continuous &&
      a->type.base == Primitive::real && b->type.base == Primitive::real)
    context.fail(
        scope.class_inst, range,
        "two Real values that change are not compared by == or <>: no event finds where they meet",
        "use <= or >=, or compare with a tolerance");
  if (is_relation(op) && made->variability == ast::Variability::continuous) {
    Exp relation = *made;  // a relation steps
    relation.variability = ast::Variability::discrete;
    made = context.arena.make(relation);
  }
  if (is_literal(a) && is_literal(b) && result.type.is_scalar() &&
      result.type.base != Primitive::string) {
    const bool power = op == Op::pow || op == Op::el_pow;
    if (power && a->number < 0 && b->number != std::floor(b->number))
      context.fail(scope.class_inst, range,
                   "a negative number has no power that is no whole number");
    const Value v = evaluate_binary(context, op, evaluate(context, a), evaluate(context, b));
    return to_exp(context, v, result.type);
  }
  return made;
}

const Exp* type_expression(Context& context, const Scope& scope, const ast::Expr& e) {
  context.check_stack();
  context.place = {scope.class_inst, e.range};
  const Exp* typed = type_unchecked(context, scope, e);
  double count = 1;
  for (const int d : typed->type.dims) count *= d == unknown_size ? 1 : d;
  if (count > static_cast<double>(max_array))
    context.fail(scope.class_inst, e.range,
                 fmt::format("this has {} elements, at most {} are possible", count, max_array));
  return typed;
}

namespace {

const Exp* type_unchecked(Context& context, const Scope& scope, const ast::Expr& e) {
  switch (e.kind) {
    case ExprKind::integer:
      return make_integer(context, e.number);
    case ExprKind::real:
      return make_real(context, e.number);
    case ExprKind::string:
      return make_string(context, e.text);
    case ExprKind::boolean:
      return make_boolean(context, e.truth);
    case ExprKind::ref:
      return type_reference(context, scope, e);
    case ExprKind::call:
      return type_call(context, scope, e);
    case ExprKind::partial:
      return type_call(context, scope, e);
    case ExprKind::array:
      if (!e.iterators.empty())
        return type_comprehension(context, scope, e, Builtin::array, *e.args[0]);
      return type_array(context, scope, e);
    case ExprKind::matrix:
      return type_matrix(context, scope, e);
    case ExprKind::range:
      return type_range(context, scope, e);
    case ExprKind::unary:
      return type_unary(context, scope, e);
    case ExprKind::binary: {
      const Exp* a = type_expression(context, scope, *e.args[0]);
      const Exp* b = type_expression(context, scope, *e.args[1]);
      return make_binary(context, scope, e.op, a, b, e.range);
    }
    case ExprKind::if_:
      return type_if(context, scope, e);
    case ExprKind::subscript: {
      const Exp* array = type_expression(context, scope, *e.args[0]);
      return make_subscript(
          context, array,
          type_subscripts(context, scope, array, {e.args.data + 1, e.args.size() - 1}));
    }
    case ExprKind::end: {
      if (!scope.end_of)
        context.fail(scope.class_inst, e.range, "'end' is the last index of an array",
                     "use it only inside of subscripts");
      const Type& t = scope.end_of->type;
      const auto d = static_cast<size_t>(scope.end_dimension);
      if (d >= t.dims.size()) context.fail(scope.class_inst, e.range, "there is no such dimension");
      if (t.dims[d] != unknown_size) return make_integer(context, t.dims[d]);
      Type integer;
      integer.base = Primitive::integer;
      return make_builtin(context, Builtin::size,
                          {scope.end_of, make_integer(context, scope.end_dimension + 1)}, integer);
    }
    case ExprKind::tuple: {
      Exp tuple{.kind = ExpKind::tuple};
      std::vector<const Exp*> args;
      for (const ast::Expr* a : e.args)
        args.push_back(a ? type_expression(context, scope, *a) : nullptr);
      tuple.args = context.arena.copy(args);
      return make_exp(context, tuple);
    }
    case ExprKind::colon:
    case ExprKind::row:
      break;
  }
  context.fail(scope.class_inst, e.range, "this cannot stand here");
}

}  // namespace

namespace {

const Field* find_field(const RecordType& r, Symbol name) {
  for (const Field& f : r.fields)
    if (f.name == name) return &f;
  return nullptr;
}

// Records fit when they have the same fields. [Modelica 3.6, section 6.4]
bool same_fields(const RecordType& a, const RecordType& b) {
  if (&a == &b) return true;
  if (a.fields.size() != b.fields.size()) return false;
  for (const Field& f : a.fields) {
    const Field* other = find_field(b, f.name);
    if (!other || f.type.rank() != other->type.rank() || !alike(f.type, other->type)) return false;
  }
  return true;
}

bool same_order(const RecordType& a, const RecordType& b) {
  if (&a == &b) return true;
  for (uint32_t i = 0; i < a.fields.size(); ++i) {
    const Field &f = a.fields[i], &g = b.fields[i];
    if (f.name != g.name || (f.type.record && !same_order(*f.type.record, *g.type.record)))
      return false;
  }
  return true;
}

// The same record with its fields in the order of `wanted`: functions find them by their places.
const Exp* in_order(Context& context, const Scope& scope, const Exp* e, const RecordType& wanted,
                    Range range) {
  if (!e->type.record || same_order(*e->type.record, wanted)) return e;
  if (e->kind == ExpKind::array) {
    std::vector<const Exp*> items;
    for (const Exp* a : e->args) items.push_back(in_order(context, scope, a, wanted, range));
    return items.empty() ? e : make_array(context, items, items[0]->type);
  }
  if (!e->type.is_scalar())
    context.fail(scope.class_inst, range,
                 fmt::format("records of {} and of {} have their fields in different orders",
                             base::quoted(e->type.record->name), base::quoted(wanted.name)),
                 "write {r[i] for i in 1:n}");
  Exp r{.kind = ExpKind::record};
  r.type.record = &wanted;
  std::vector<const Exp*> args;
  for (const Field& f : wanted.fields) {
    const Exp* value = make_field(context, e, f.name);
    args.push_back(f.type.record ? in_order(context, scope, value, *f.type.record, range) : value);
  }
  r.args = context.arena.copy(args);
  return make_exp(context, r);
}

}  // namespace

bool alike(const Type& a, const Type& b) {
  if (a.record || b.record) return a.record && b.record && same_fields(*a.record, *b.record);
  if (a.is_numeric() && b.is_numeric()) return true;
  return a.base == b.base &&
         (a.base != Primitive::enumeration || same_enumeration(a.enumeration, b.enumeration));
}

const Exp* coerce(Context& context, const Scope& scope, const Exp* e, const Type& wanted,
                  Range range, const std::string& what) {
  const Type& t = e->type;
  bool good =
      t.base == wanted.base || (t.base == Primitive::integer && wanted.base == Primitive::real);
  const bool empty = !t.dims.empty() && t.dims[0] == 0;
  const bool nothing =
      empty && (t.base == Primitive::none || (e->kind == ExpKind::array && e->args.empty()));
  if (nothing) good = true;  // {} fits everything, and so does {f(i) for i in 1:0}
  if (t.base == Primitive::enumeration && wanted.base == Primitive::enumeration)
    good = same_enumeration(t.enumeration, wanted.enumeration);
  if (t.base == Primitive::external_object && wanted.base == Primitive::external_object)
    good = t.enumeration && wanted.enumeration && t.enumeration->def == wanted.enumeration->def;
  if (wanted.base == Primitive::none && wanted.record)
    good = t.record && same_fields(*t.record, *wanted.record);
  // An empty array fits an empty array of other dimensions: x[0, 3] = {}.
  const bool both_empty = empty && count_scalars(wanted) <= 0;
  if (!good || (!same_dims(t, wanted) && !both_empty))
    context.fail(scope.class_inst, range,
                 fmt::format("{} is {}, and {} is needed", what, to_string(t), to_string(wanted)));
  if (t.base == Primitive::integer && wanted.base == Primitive::real && e->kind == ExpKind::integer)
    return make_real(context, e->number);
  if (wanted.record && t.record) return in_order(context, scope, e, *wanted.record, range);
  return e;
}

}  // namespace couplet::modelica
