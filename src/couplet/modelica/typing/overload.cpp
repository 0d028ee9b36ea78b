// Overloaded operators of records: which function an operator calls, and what it does to arrays.
// [Modelica 3.6, chapter 14]
#include "couplet/modelica/typing/overload.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

// The record that a type comes down to: ComplexCurrent = Complex(...) is Complex.
const ast::ClassDef* root_of(const RecordType& r) {
  const ClassInst* c = r.class_inst;
  while (c->def->body == ast::Body::shorthand && !c->bases.empty()) c = c->bases[0];
  return c->def;
}

// The class as it is declared: every use has a copy, and functions of copies would make copies.
ClassInst* declared(Context& context, ClassInst* c) {
  Entry* e = c->parent ? find_element(context, c->parent, c->def->name) : nullptr;
  ClassInst* found = e && e->is_class() ? class_of(context, e) : nullptr;
  return found && found->def == c->def ? found : c;
}

}  // namespace

bool matches(const Function& f, const std::vector<const Exp*>& args, bool by_elements) {
  if (args.size() > f.inputs.size()) return false;
  for (size_t i = 0; i < f.inputs.size(); ++i) {
    const Type& want = f.inputs[i]->type;
    if (i >= args.size()) {
      if (!f.inputs[i]->binding) return false;
      continue;
    }
    const Type& have = args[i]->type;
    if (want.rank() != have.rank() && !(by_elements && want.rank() < have.rank())) return false;
    if (want.record) {
      if (!have.record || root_of(*have.record) != root_of(*want.record)) return false;
    } else if (have.record ||
               (want.base != have.base && !(want.is_numeric() && have.is_numeric()))) {
      return false;
    }
  }
  return true;
}

std::vector<Function*> candidates(Context& context, ClassInst* record, std::string_view name) {
  std::vector<Function*> found;
  Entry* entry = find_element(context, declared(context, record), Symbol(name));
  if (!entry || !entry->is_class()) return found;
  ClassInst* c = class_of(context, entry);
  expand(context, c);
  if (is_function(c)) found.push_back(function_of(context, c));
  for (Entry* e : c->elements)
    if (e->is_class() && is_function(class_of(context, e)))
      found.push_back(function_of(context, class_of(context, e)));
  return found;
}

namespace {

const Exp* call_matching(Context& context, const Scope& scope,
                         const std::vector<Function*>& functions,
                         const std::vector<const Exp*>& args, Range range) {
  std::vector<Function*> fitting, exact;
  for (Function* f : functions) {
    if (!matches(*f, args)) continue;
    fitting.push_back(f);
    bool same = true;
    for (size_t i = 0; i < args.size(); ++i)
      same = same && args[i]->type.base == f->inputs[i]->type.base;
    if (same) exact.push_back(f);
  }
  const std::vector<Function*>& found = exact.empty() ? fitting : exact;
  if (found.size() > 1)
    context.fail(scope.class_inst, range,
                 fmt::format("{} and {} both fit here", base::quoted(found[0]->name),
                             base::quoted(found[1]->name)),
                 "call one of them by its name");
  return found.empty() ? nullptr : make_call(context, scope, found[0], args, range);
}

ast::Op plain(ast::Op op) {
  switch (op) {
    case ast::Op::el_add:
      return ast::Op::add;
    case ast::Op::el_sub:
      return ast::Op::sub;
    case ast::Op::el_mul:
      return ast::Op::mul;
    case ast::Op::el_div:
      return ast::Op::div;
    case ast::Op::el_pow:
      return ast::Op::pow;
    case ast::Op::el_plus:
      return ast::Op::plus;
    case ast::Op::el_minus:
      return ast::Op::minus;
    default:
      return op;
  }
}

// Overloaded operators on arrays: element by element, a scalar with every element.
const Exp* elementwise_call(Context& context, const Scope& scope, ast::Op op,
                            const std::vector<const Exp*>& args, Range range) {
  int count = unknown_size;
  for (const Exp* a : args) {
    if (a->type.rank() == 0) continue;
    if (count != unknown_size && a->type.dims[0] != count)
      context.fail(scope.class_inst, range, "the sizes of two arrays differ");
    count = a->type.dims[0];
  }
  std::vector<const Exp*> items;
  for (int k = 1; k <= count; ++k) {
    std::vector<const Exp*> one = args;
    for (const Exp*& a : one)
      if (a->type.rank() > 0) a = make_subscript(context, a, {make_integer(context, k)});
    items.push_back(make_operator_call(context, scope, op, one, range));
  }
  return make_array(context, items, items.empty() ? args[0]->type : items[0]->type);
}

// Products of vectors and matrices of records, by their sums of products. [sections 10.6.4, 14.4]
const Exp* array_product(Context& context, const Scope& scope, const Exp* a, const Exp* b,
                         Range range) {
  const auto multiply = [&](const Exp* x, const Exp* y) {
    return make_operator_call(context, scope, ast::Op::mul, {x, y}, range);
  };
  const bool rows = a->type.rank() == 2, columns = !rows && b->type.rank() == 2;
  const int count = rows ? a->type.dims[0] : columns ? b->type.dims[1] : a->type.dims[0];
  std::vector<const Exp*> items;
  for (int k = 1; k <= count; ++k) {
    const Exp* index = make_integer(context, k);
    const Exp* colon = make_exp(context, {.kind = ExpKind::colon});
    items.push_back(multiply(columns ? a : make_subscript(context, a, {index}),
                             rows      ? b
                             : columns ? make_subscript(context, b, {colon, index})
                                       : make_subscript(context, b, {index})));
  }
  if (items.empty())
    context.fail(scope.class_inst, range, "a product of empty arrays of records is not defined");
  if (rows || columns) return make_array(context, items, items[0]->type);
  const Exp* sum = items[0];
  for (size_t k = 1; k < items.size(); ++k)
    sum = make_operator_call(context, scope, ast::Op::add, {sum, items[k]}, range);
  return sum;
}

// Whether the sizes fit the operator, as for numbers. [Modelica 3.6, section 10.6]
bool fit(ast::Op op, const Type& a, const Type& b) {
  const size_t m = a.rank(), n = b.rank();
  if (op == ast::Op::add || op == ast::Op::sub) return m == n;
  if (op == ast::Op::mul && m > 0 && n > 0) return m <= 2 && n <= 2 && a.dims[m - 1] == b.dims[0];
  return (op != ast::Op::div && op != ast::Op::pow) || n == 0;
}

}  // namespace

const Exp* make_operator_call(Context& context, const Scope& scope, ast::Op op,
                              const std::vector<const Exp*>& args, Range range) {
  const RecordType* record = nullptr;
  for (const Exp* a : args)
    if (a->type.record) record = a->type.record;
  // x .* y of scalars is x * y, of arrays it is taken element by element. [section 14.4]
  const bool elementwise = plain(op) != op;
  op = plain(op);
  for (const Exp* a : args)
    if (elementwise && a->type.rank() > 0) return elementwise_call(context, scope, op, args, range);
  std::string name = fmt::format("'{}'", to_string(op));
  if (op == ast::Op::not_) name = "'not'";
  const std::vector<Function*> functions = candidates(context, record->class_inst, name);
  if (const Exp* call = call_matching(context, scope, functions, args, range)) return call;
  const bool binary = args.size() == 2;
  if (binary && !fit(op, args[0]->type, args[1]->type))
    context.fail(scope.class_inst, range,
                 fmt::format("operator {} does not fit {} and {}", to_string(op),
                             to_string(args[0]->type), to_string(args[1]->type)));
  // No function for arrays, such as a scalar product.
  if (binary && op == ast::Op::mul && args[0]->type.rank() > 0 && args[1]->type.rank() > 0)
    return array_product(context, scope, args[0], args[1], range);
  for (const Exp* a : args)
    if (a->type.rank() > 0) return elementwise_call(context, scope, op, args, range);
  // A number meets a record: construct a record of it first.
  std::vector<const Exp*> converted = args;
  for (const Exp*& a : converted)
    if (!a->type.record && a->type.is_scalar())
      if (const Exp* made = call_matching(
              context, scope, candidates(context, record->class_inst, "'constructor'"), {a}, range))
        a = made;
  if (const Exp* call = call_matching(context, scope, functions, converted, range)) return call;
  context.fail(
      scope.class_inst, range,
      fmt::format("operator {} is not defined for {}{}{}", to_string(op), to_string(args[0]->type),
                  args.size() > 1 ? " and " : "", args.size() > 1 ? to_string(args[1]->type) : ""));
}

}  // namespace couplet::modelica
