// Array constructors, matrices, subscripts and comprehensions. [Modelica 3.6, chapter 10]
#include <fmt/format.h>

#include <limits>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

// The element type of a constructor: Real when one element is.
Type common_type(Context& context, const Scope& scope, const std::vector<const Exp*>& items,
                 Range range) {
  Type t = items[0]->type;
  for (const Exp* i : items) {
    if (i->type.rank() != t.rank())
      context.fail(scope.class_inst, range,
                   fmt::format("the elements of an array are alike, not {} and {}", to_string(t),
                               to_string(i->type)));
    const bool numbers = i->type.is_numeric() && t.is_numeric();
    if (!numbers && !alike(i->type, t))
      context.fail(scope.class_inst, range,
                   fmt::format("the elements of an array are alike, not {} and {}", to_string(t),
                               to_string(i->type)));
    for (size_t d = 0; d < t.rank(); ++d)
      if (i->type.dims[d] != t.dims[d] && i->type.dims[d] != unknown_size &&
          t.dims[d] != unknown_size)
        context.fail(scope.class_inst, range,
                     fmt::format("the elements of an array are alike, not {} and {}", to_string(t),
                                 to_string(i->type)));
    if (i->type.base == Primitive::real) t.base = Primitive::real;
  }
  return t;
}

// Where an iterator without a range is used as a subscript: its range is that of the dimension.
struct Use {
  Slice<ast::RefPart> parts;
  uint32_t part = 0, dimension = 0;
};
using Uses = std::vector<Use>;

void find_use(const ast::Expr* e, Symbol iterator, Uses& uses) {
  if (!e) return;
  for (uint32_t p = 0; p < e->parts.size(); ++p)
    for (uint32_t s = 0; s < e->parts[p].subscripts.size(); ++s) {
      const ast::Expr* sub = e->parts[p].subscripts[s];
      if (sub->kind == ast::ExprKind::ref && sub->parts.size() == 1 &&
          sub->parts[0].name == iterator && e->kind == ast::ExprKind::ref) {
        uses.push_back({e->parts, p, s});
        continue;
      }
      find_use(sub, iterator, uses);
    }
  for (const ast::Expr* a : e->args) find_use(a, iterator, uses);
  for (const ast::Argument& a : e->arguments) find_use(a.value, iterator, uses);
}

void find_use(Slice<const ast::Equation*> body, Symbol iterator, Uses& uses) {
  for (const ast::Equation* e : body) {
    find_use(e->left, iterator, uses);
    find_use(e->right, iterator, uses);
    for (const ast::Branch& b : e->branches) {
      find_use(b.condition, iterator, uses);
      find_use(b.body, iterator, uses);
    }
  }
}

// The array that is used, as far as the subscript: A of A[i].
const Exp* array_of(Context& context, const Scope& scope, const Use& use) {
  std::vector<ast::RefPart> parts(use.parts.begin(), use.parts.begin() + use.part + 1);
  parts.back().subscripts = {};
  ast::Expr whole{.kind = ast::ExprKind::ref};
  whole.parts = context.arena.copy(parts);
  whole.range = parts[0].range;
  const Exp* array = type_expression(context, scope, *context.arena.make(whole));
  if (use.dimension >= array->type.rank())
    context.fail(scope.class_inst, whole.range, "this is no array");
  return array;
}

// 1:size(A, k) for the use A[.., i, ..]. Where there are several, their sizes are the same.
const Exp* deduced_range(Context& context, const Scope& scope, Symbol iterator,
                         Slice<const ast::Equation*> body, const ast::Expr* expression) {
  Uses uses;
  find_use(expression, iterator, uses);
  find_use(body, iterator, uses);
  if (uses.empty())
    context.fail(scope.class_inst, scope.class_inst->def->name_range,
                 fmt::format("the range of the iterator {} cannot be deduced",
                             base::quoted(iterator.text())),
                 "write 'in 1:n'");
  const Exp* array = array_of(context, scope, uses[0]);
  const int size = array->type.dims[uses[0].dimension];
  for (size_t k = 1; k < uses.size(); ++k) {
    const int other = array_of(context, scope, uses[k])->type.dims[uses[k].dimension];
    if (other != size && other != unknown_size && size != unknown_size)
      context.fail(scope.class_inst, uses[k].parts[0].range,
                   fmt::format("{} runs over arrays of size {} and of size {}",
                               base::quoted(iterator.text()), size, other),
                   "write 'in 1:n'");
  }
  Exp range{.kind = ExpKind::range};
  Type integer;
  integer.base = Primitive::integer;
  range.type = with_dims(context, integer, {size});
  const Exp* last =
      size != unknown_size
          ? make_integer(context, size)
          : make_builtin(context, Builtin::size,
                         {array, make_integer(context, uses[0].dimension + 1)}, integer);
  range.args = context.arena.copy<const Exp*>({make_integer(context, 1), nullptr, last});
  return make_exp(context, range);
}

Type element_of(Context& context, const Type& t) {
  return with_dims(context, t, {t.dims.begin() + 1, t.dims.end()});
}

}  // namespace

const Exp* join_elements(Context& context, const Scope& scope, const std::vector<const Exp*>& items,
                         Range range) {
  return make_array(context, items, common_type(context, scope, items, range));
}

const Exp* type_array(Context& context, const Scope& scope, const ast::Expr& e) {
  std::vector<const Exp*> items;
  for (const ast::Expr* a : e.args) items.push_back(type_expression(context, scope, *a));
  if (items.empty()) return make_array(context, items, {});
  return join_elements(context, scope, items, e.range);
}

const Exp* promote(Context& context, const Exp* e, size_t rank) {
  if (e->type.rank() >= rank) return e;
  if (e->kind == ExpKind::array) {
    std::vector<const Exp*> items;
    for (const Exp* a : e->args) items.push_back(promote(context, a, rank - 1));
    Type t = e->type;
    std::vector<int> dims(t.dims.begin() + 1, t.dims.end());
    dims.resize(rank - 1, 1);
    return make_array(context, items, with_dims(context, t, dims));
  }
  if (e->type.is_scalar()) {
    for (; rank > 0; --rank) e = make_array(context, {e}, e->type);
    return e;
  }
  std::vector<int> dims(e->type.dims.begin(), e->type.dims.end());
  dims.resize(rank, 1);
  return make_builtin(context, Builtin::promote,
                      {e, make_integer(context, static_cast<double>(rank))},
                      with_dims(context, e->type, dims));
}

// cat(k, a, b, ...). Arrays whose elements are known are joined at once.
const Exp* make_cat(Context& context, const Scope& scope, int dimension,
                    std::vector<const Exp*> parts, Range range) {
  Type t = parts[0]->type;
  if (dimension < 1 || static_cast<size_t>(dimension) > t.rank())
    context.fail(scope.class_inst, range, "there is no such dimension");
  const auto d = static_cast<size_t>(dimension - 1);
  if (parts.size() == 1) return parts[0];
  bool known = true;
  int total = 0;
  for (const Exp* p : parts) {
    if (p->type.rank() != t.rank())
      context.fail(scope.class_inst, range,
                   fmt::format("{} and {} cannot be joined", to_string(t), to_string(p->type)));
    for (size_t k = 0; k < t.rank(); ++k)
      if (k != d && p->type.dims[k] != t.dims[k] && p->type.dims[k] >= 0 && t.dims[k] >= 0)
        context.fail(scope.class_inst, range,
                     fmt::format("{} and {} cannot be joined", to_string(t), to_string(p->type)));
    if (p->type.base == Primitive::real) t.base = Primitive::real;
    if (t.base == Primitive::none && !t.record)
      t = with_dims(context, p->type, {t.dims.begin(), t.dims.end()});
    known = known && p->kind == ExpKind::array;
    total = p->type.dims[d] == unknown_size || total == unknown_size
                ? unknown_size
                : to_size(static_cast<double>(total) + p->type.dims[d]);
  }
  if (total > static_cast<int>(max_array))
    context.fail(scope.class_inst, range,
                 fmt::format("this has {} elements, at most {} are possible", total, max_array));
  std::vector<int> dims(t.dims.begin(), t.dims.end());
  dims[d] = total;
  if (known && d == 0) {
    std::vector<const Exp*> items;
    for (const Exp* p : parts) items.insert(items.end(), p->args.begin(), p->args.end());
    return make_array(context, items, with_dims(context, t, {dims.begin() + 1, dims.end()}));
  }
  bool rows = known;
  for (const Exp* p : parts) rows = rows && p->args.size() == parts[0]->args.size();
  if (rows && d > 0) {
    std::vector<const Exp*> items;
    for (size_t i = 0; i < parts[0]->args.size(); ++i) {
      std::vector<const Exp*> row;
      for (const Exp* p : parts) row.push_back(p->args[i]);
      items.push_back(make_cat(context, scope, dimension - 1, row, range));
    }
    return make_array(context, items, with_dims(context, t, {dims.begin() + 1, dims.end()}));
  }
  std::vector<const Exp*> args = {make_integer(context, dimension)};
  args.insert(args.end(), parts.begin(), parts.end());
  return make_builtin(context, Builtin::cat, args, with_dims(context, t, dims));
}

// [a, b; c, d]: rows side by side, then below each other; everything has at least two dimensions.
const Exp* type_matrix(Context& context, const Scope& scope, const ast::Expr& e) {
  std::vector<std::vector<const Exp*>> parts;
  size_t rank = 2;
  for (const ast::Expr* row : e.args) {
    std::vector<const Exp*>& items = parts.emplace_back();
    for (const ast::Expr* a : row->args) {
      items.push_back(type_expression(context, scope, *a));
      rank = std::max(rank, items.back()->type.rank());
    }
  }
  std::vector<const Exp*> rows;
  for (std::vector<const Exp*>& items : parts) {
    for (const Exp*& i : items) i = promote(context, i, rank);
    rows.push_back(make_cat(context, scope, 2, items, e.range));
  }
  return make_cat(context, scope, 1, rows, e.range);
}

std::vector<const Exp*> type_subscripts(Context& context, const Scope& scope, const Exp* array,
                                        Slice<const ast::Expr*> subscripts) {
  std::vector<const Exp*> typed;
  if (subscripts.size() > array->type.rank())
    context.fail(
        scope.class_inst, subscripts[0]->range,
        fmt::format("there are {} subscripts for {}", subscripts.size(), to_string(array->type)));
  for (uint32_t i = 0; i < subscripts.size(); ++i) {
    Scope inside = scope;
    inside.end_of = array;
    inside.end_dimension = static_cast<int>(i);
    if (subscripts[i]->kind == ast::ExprKind::colon) {
      typed.push_back(make_exp(context, {.kind = ExpKind::colon}));
      continue;
    }
    const Exp* s = type_expression(context, inside, *subscripts[i]);
    const bool counts = s->type.base == Primitive::integer || s->type.base == Primitive::boolean ||
                        s->type.base == Primitive::enumeration;
    const bool nothing =
        s->type.base == Primitive::none && s->type.rank() == 1 && s->type.dims[0] == 0;
    if ((!counts && !nothing) || s->type.rank() > 1)
      context.fail(scope.class_inst, subscripts[i]->range,
                   fmt::format("a subscript is an Integer, this is {}", to_string(s->type)));
    const int size = array->type.dims[i];
    const auto check = [&](const Exp* index) {
      if (index->kind == ExpKind::integer && size != unknown_size &&
          (index->number < 1 || index->number > size))
        context.fail(scope.class_inst, subscripts[i]->range,
                     fmt::format("subscript {} is outside of 1:{}", index->number, size));
    };
    check(s);
    if (s->kind == ExpKind::array)
      for (const Exp* one : s->args) check(one);
    // A parameter that has shaped the model is as good as a number.
    if (s->kind != ExpKind::integer && s->kind != ExpKind::array && s->type.is_scalar() &&
        s->type.base == Primitive::integer && !scope.function && is_fixed(context, s))
      if (const auto value = try_evaluate(context, s)) check(make_integer(context, value->number));
    if (s->kind == ExpKind::boolean) s = make_integer(context, s->number + 1);
    typed.push_back(s);
  }
  return typed;
}

const Exp* deduce_range(Context& context, const Scope& scope, const ast::Iterator& iterator,
                        Slice<const ast::Equation*> body) {
  return deduced_range(context, scope, iterator.name, body, nullptr);
}

std::vector<const Exp*> iteration_values(Context& context, const Scope& scope,
                                         const ast::Iterator& iterator,
                                         Slice<const ast::Equation*> body,
                                         const ast::Expr* expression) {
  Scope counting = scope;
  counting.types_count = true;
  const Exp* range = iterator.range
                         ? type_expression(context, counting, *iterator.range)
                         : deduced_range(context, scope, iterator.name, body, expression);
  if (range->type.rank() != 1)
    context.fail(scope.class_inst, iterator.range ? iterator.range->range : Range{},
                 fmt::format("an iterator runs over a vector, this is {}", to_string(range->type)));
  std::vector<const Exp*> values;
  if (range->kind == ExpKind::array) {
    values.assign(range->args.begin(), range->args.end());
    return values;
  }
  std::string why;
  const auto value = try_evaluate(context, range, &why);
  if (!value)
    context.fail(scope.class_inst, iterator.range ? iterator.range->range : Range{},
                 "the range of this loop is not known at translation" + why);
  for (const Value& v : value->items)
    values.push_back(to_exp(context, v, element_of(context, range->type)));
  return values;
}

namespace {

// All combinations of iterators as nested arrays: {e for i, j} is {{e for i} for j}.
const Exp* unroll(Context& context, const Scope& scope, const ast::Expr& e, uint32_t left,
                  const ast::Expr& body, Builtin id, std::vector<const Exp*>& all) {
  if (left == 0) {
    all.push_back(type_expression(context, scope, body));
    return all.back();
  }
  const ast::Iterator& iterator = e.iterators[left - 1];
  std::vector<const Exp*> items;
  for (const Exp* value : iteration_values(context, scope, iterator, {}, &body)) {
    context.count_step(scope.class_inst, e.range);
    const Binding binding{scope.bindings, iterator.name, value};
    Scope inside = scope;
    inside.bindings = &binding;
    items.push_back(unroll(context, inside, e, left - 1, body, id, all));
  }
  if (id != Builtin::array) return nullptr;
  if (items.empty()) {
    Type nothing;
    nothing.base = Primitive::real;
    return make_array(context, items, nothing);
  }
  return make_array(context, items, common_type(context, scope, items, e.range));
}

// What a comprehension would have as an element: the body with the first bound of each range.
const Exp* typical(Context& context, const Scope& scope, const ast::Expr& e,
                   const ast::Expr& body) {
  std::vector<Binding> bindings(e.iterators.size());
  Scope inside = scope;
  const Muted muted(context);
  try {
    for (uint32_t i = e.iterators.size(); i-- > 0;) {
      const ast::Expr* range = e.iterators[i].range;
      if (!range || range->kind != ast::ExprKind::range) return nullptr;
      bindings[i] = {inside.bindings, e.iterators[i].name,
                     type_expression(context, inside, *range->args[0])};
      inside.bindings = &bindings[i];
    }
    return type_expression(context, inside, body);
  } catch (const Fault&) {
    return nullptr;
  }
}

// Sums are of all that can be added, the others of scalars. [section 10.3.4.1]
void check_reduced(Context& context, const Scope& scope, Builtin id, const Type& t, Range range) {
  const bool numbers =
      t.is_numeric() || ((id == Builtin::min || id == Builtin::max) &&
                         (t.base == Primitive::boolean || t.base == Primitive::enumeration));
  const bool adds =
      t.is_numeric() || (!scope.function && (t.record || t.base == Primitive::string));
  const bool good = id == Builtin::sum ? adds : numbers && t.is_scalar();
  if (!good && id != Builtin::array)
    context.fail(scope.class_inst, range,
                 fmt::format("{} does not take {}", builtin_name(id), to_string(t)),
                 t.record ? "add them in a loop" : "");
}

/// `of_nothing`: an element that an empty reduction would have, null when that cannot be said.
const Exp* reduce(Context& context, const Scope& scope, Builtin id, const Exp* array,
                  const std::vector<const Exp*>& all, const Exp* of_nothing, Range range) {
  if (id == Builtin::array) return array;
  if (all.empty()) {
    if (id == Builtin::sum) return make_integer(context, 0);
    if (id == Builtin::product) return make_integer(context, 1);
    if (of_nothing) {  // of Integer, Boolean or an enumeration
      const Primitive base = of_nothing->type.base;
      const bool least = id == Builtin::min;
      constexpr double largest = std::numeric_limits<int>::max();
      if (base == Primitive::integer) return make_integer(context, least ? largest : -largest);
      if (base == Primitive::boolean) return make_boolean(context, least);
      if (base == Primitive::enumeration) {
        const auto& literals = of_nothing->type.enumeration->def->literals;
        Exp e = *of_nothing;
        e.number = least ? literals.size() : 1;
        e.name = literals[static_cast<uint32_t>(e.number) - 1].name;
        if (e.kind == ExpKind::enum_literal) return context.arena.make(e);
      }
    }
    constexpr double most = std::numeric_limits<double>::max();  // [section 10.3.4.1]
    return make_real(context, id == Builtin::min ? most : -most);
  }
  Type t = all[0]->type;
  check_reduced(context, scope, id, t, range);
  const bool numbers = t.is_scalar() && !t.record;
  if (id == Builtin::sum && (all.size() < 200 || !numbers)) {
    std::vector<const Exp*> sums = all;  // in pairs, so that many are no tall expression
    while (sums.size() > 1 && !numbers) {
      std::vector<const Exp*> next;
      for (size_t i = 0; i + 1 < sums.size(); i += 2)
        next.push_back(make_binary(context, scope, ast::Op::add, sums[i], sums[i + 1], range));
      if (sums.size() % 2 == 1) next.push_back(sums.back());
      sums = std::move(next);
    }
    for (size_t i = 1; i < sums.size(); ++i)
      sums[0] = make_binary(context, scope, ast::Op::add, sums[0], sums[i], range);
    return sums[0];
  }
  for (const Exp* a : all)
    if (a->type.base == Primitive::real) t.base = Primitive::real;
  const Exp* flat = make_array(context, all, t);
  return make_builtin(context, id, {flat}, t);
}

}  // namespace

const Exp* type_comprehension(Context& context, const Scope& scope, const ast::Expr& e, Builtin id,
                              const ast::Expr& body) {
  if (!scope.function) {
    std::vector<const Exp*> all;
    const Exp* array = unroll(context, scope, e, e.iterators.size(), body, id, all);
    const bool bounded = id == Builtin::min || id == Builtin::max;
    const Exp* of_nothing = bounded && all.empty() ? typical(context, scope, e, body) : nullptr;
    return reduce(context, scope, id, array, all, of_nothing, e.range);
  }
  Exp result{.kind = ExpKind::comprehension};
  result.builtin = id;
  Scope inside = scope;
  std::vector<const Exp*> args = {nullptr};  // then ranges, outermost first: the last iterator's
  std::vector<const Local*> locals;
  std::vector<Binding> bindings(e.iterators.size());
  std::vector<int> dims;
  for (uint32_t i = e.iterators.size(); i-- > 0;) {
    const ast::Iterator& it = e.iterators[i];
    Scope counting = inside;
    counting.types_count = true;
    const Exp* range = it.range ? type_expression(context, counting, *it.range)
                                : deduced_range(context, inside, it.name, {}, &body);
    args.push_back(range);
    Local local;
    local.name = it.name;
    local.type = element_of(context, range->type);
    local.slot = scope.function->slots++;
    locals.push_back(context.arena.make(local));
    Exp ref{.kind = ExpKind::local};
    ref.local = locals.back();
    ref.type = local.type;
    ref.variability = ast::Variability::continuous;
    bindings[i] = {inside.bindings, it.name, context.arena.make(ref)};
    inside.bindings = &bindings[i];
    dims.push_back(range->type.dims[0]);
  }
  args[0] = type_expression(context, inside, body);
  if (id == Builtin::array) {
    dims.insert(dims.end(), args[0]->type.dims.begin(), args[0]->type.dims.end());
    result.type = with_dims(context, args[0]->type, dims);
  } else {
    check_reduced(context, scope, id, args[0]->type, e.range);
    result.type = args[0]->type;
  }
  result.args = context.arena.copy(args);
  result.locals = context.arena.copy(locals);
  return make_exp(context, result);
}

}  // namespace couplet::modelica
