// Calls of functions, record constructors and overloaded operators. [Modelica 3.6, 12.4 and 14]
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/arguments.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

// Positional and named arguments in the order of the inputs; null where none is given.
std::vector<const Exp*> arrange(Context& context, const Scope& scope, const Function& f,
                                const ast::Expr& e) {
  std::vector<const Exp*> args(f.inputs.size());
  size_t next = 0;
  for (const ast::Argument& a : e.arguments) {
    while (next < f.inputs.size() && f.inputs[next]->closed) ++next;
    size_t i = next++;
    if (!a.name.empty()) {
      for (i = 0; i < f.inputs.size() && f.inputs[i]->name != a.name;) ++i;
      if (i == f.inputs.size() || f.inputs[i]->closed) {
        std::vector<std::string> names;
        for (const Local* l : f.inputs)
          if (!l->closed) names.push_back(l->name.text());
        context.fail(
            scope.class_inst, a.value->range,
            fmt::format("{} has no input {}", base::quoted(f.name), base::quoted(a.name.text())),
            base::suggest(a.name.text(), names));
      }
    }
    if (i >= f.inputs.size())
      context.fail(scope.class_inst, a.value->range,
                   fmt::format("{} has {} inputs, and this is one more", base::quoted(f.name),
                               f.inputs.size()));
    if (args[i])
      context.fail(scope.class_inst, a.value->range,
                   fmt::format("input {} of {} is given twice",
                               base::quoted(f.inputs[i]->name.text()), base::quoted(f.name)));
    args[i] = type_expression(context, scope, *a.value);
  }
  return args;
}

// Sizes of a result follow from the arguments: y[size(x, 1)].
Type result_type(Context& context, const Scope& scope, const Function& f, const Local& output,
                 const std::vector<const Exp*>& args, const Exp* call) {
  Type t = output.type;
  std::vector<int> dims(t.dims.begin(), t.dims.end());
  bool open = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != unknown_size) continue;
    const Exp* size = i < output.sizes.size() ? output.sizes[i] : nullptr;
    if (!size && output.binding && output.binding->type.rank() == dims.size()) {
      const Exp* bound = substitute(context, output.binding, f, args);
      dims[i] = bound->type.dims[i];
    } else if (size) {
      const auto value = try_evaluate(context, substitute(context, size, f, args));
      if (value) dims[i] = to_size(value->number);
    }
    open = open || dims[i] == unknown_size;
  }
  if (open && call && !scope.function) {
    if (const auto value = try_evaluate(context, call)) {
      const std::vector<int> found = value->dims();
      if (found.size() == dims.size()) dims = found;
    }
  }
  return with_dims(context, t, dims);
}

// The same where the size is not known: {f(x[i]) for i in 1:size(x, 1)}.
const Exp* vectorize_open(Context& context, const Scope& scope, Function* f,
                          const std::vector<const Exp*>& args, size_t index, Range range) {
  if (!scope.function)
    context.fail(scope.class_inst, range,
                 "a function of scalars is applied to an array of unknown size");
  Type integer;
  integer.base = Primitive::integer;
  Local local;
  local.name = Symbol(fmt::format("i_{}", scope.function->slots));
  local.type = integer;
  local.slot = scope.function->slots++;
  Exp element{.kind = ExpKind::local};
  element.local = context.arena.make(local);
  element.type = integer;
  element.variability = ast::Variability::continuous;
  const Exp* i = context.arena.make(element);
  std::vector<const Exp*> one = args;
  for (size_t k = 0; k < args.size(); ++k)
    if (args[k] && args[k]->type.rank() > f->inputs[k]->type.rank())
      one[k] = make_subscript(context, args[k], {i});
  const Exp* call = make_call(context, scope, f, one, range);
  Exp last_index{.kind = ExpKind::range};
  last_index.type = with_dims(context, integer, {unknown_size});
  const Exp* last =
      make_builtin(context, Builtin::size, {args[index], make_integer(context, 1)}, integer);
  last_index.args = context.arena.copy<const Exp*>({make_integer(context, 1), nullptr, last});
  Exp all{.kind = ExpKind::comprehension};
  all.builtin = Builtin::array;
  all.args = context.arena.copy<const Exp*>({call, make_exp(context, last_index)});
  all.locals = context.arena.copy<const Local*>({element.local});
  std::vector<int> dims = {unknown_size};
  dims.insert(dims.end(), call->type.dims.begin(), call->type.dims.end());
  all.type = with_dims(context, call->type, dims);
  return make_exp(context, all);
}

// f(x) with arrays where f takes scalars: an array of calls.
const Exp* vectorize(Context& context, const Scope& scope, Function* f,
                     const std::vector<const Exp*>& args, size_t index, Range range) {
  const int count = args[index]->type.dims[0];
  if (count == unknown_size) return vectorize_open(context, scope, f, args, index, range);
  std::vector<const Exp*> calls;
  for (int k = 1; k <= count; ++k) {
    std::vector<const Exp*> one = args;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i] || args[i]->type.rank() <= f->inputs[i]->type.rank()) continue;
      if (args[i]->type.dims[0] != count)
        context.fail(scope.class_inst, range,
                     fmt::format("arguments {} and {} do not have the same size",
                                 to_string(args[index]->type), to_string(args[i]->type)));
      one[i] = make_subscript(context, args[i], {make_integer(context, k)});
    }
    calls.push_back(make_call(context, scope, f, one, range));
  }
  return make_array(context, calls, calls.empty() ? f->outputs[0]->type : calls[0]->type);
}

// The record that a type comes down to: ComplexCurrent = Complex(...) is Complex.
const ast::ClassDef* root_of(const RecordType& r) {
  const ClassInst* c = r.class_inst;
  while (c->def->body == ast::Body::shorthand && !c->bases.empty()) c = c->bases[0];
  return c->def;
}

/// `by_elements`: arrays also fit where f takes scalars.
bool matches(const Function& f, const std::vector<const Exp*>& args, bool by_elements = false) {
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

// The class as it is declared: every use has a copy, and functions of copies would make copies.
ClassInst* declared(Context& context, ClassInst* c) {
  Entry* e = c->parent ? find_element(context, c->parent, c->def->name) : nullptr;
  ClassInst* found = e && e->is_class() ? class_of(context, e) : nullptr;
  return found && found->def == c->def ? found : c;
}

// The functions of operator `name` in a record class.
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

const Exp* call_matching(Context& context, const Scope& scope,
                         const std::vector<Function*>& functions,
                         const std::vector<const Exp*>& args, Range range) {
  for (Function* f : functions)
    if (matches(*f, args)) return make_call(context, scope, f, args, range);
  return nullptr;
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

const Exp* call_local(Context& context, const Scope& scope, const Exp* callee, const ast::Expr& e) {
  Exp call{.kind = ExpKind::call};
  call.function = callee->function;
  call.local = callee->local;
  call.args = context.arena.copy(arrange(context, scope, *callee->function, e));
  call.type = callee->function->outputs.empty() ? Type{} : callee->function->outputs[0]->type;
  call.variability = ast::Variability::continuous;
  return make_exp(context, call);
}

// `f(...)` where f is an input of the function whose body this is.
const Exp* find_function_input(Context& context, const Scope& scope, const ast::Expr& e) {
  if (!scope.function || e.parts.size() != 1 || e.global) return nullptr;
  for (const Local* l : scope.function->inputs) {
    if (l->name != e.parts[0].name || !l->function_type) continue;
    Exp callee{.kind = ExpKind::local};
    callee.local = l;
    callee.function = l->function_type;
    return context.arena.make(callee);
  }
  return nullptr;
}

// The arguments of a call with the defaults that are missing, each after those that it needs.
class Defaults {
 public:
  Defaults(Context& context, const Scope& scope, const Function& f, std::vector<const Exp*>& args,
           Range range)
      : context_(context), scope_(scope), f_(f), args_(args), range_(range), open_(args.size()) {}

  void fill() {
    for (size_t i = 0; i < args_.size(); ++i)
      if (!args_[i]) fill(i);
  }

 private:
  void fill(size_t i) {
    const Local& input = *f_.inputs[i];
    const std::string name = base::quoted(input.name.text());
    if (open_[i])
      context_.fail(scope_.class_inst, range_,
                    fmt::format("the default of input {} of {} depends on itself", name,
                                base::quoted(f_.name)),
                    "give this input a value in the call");
    open_[i] = true;
    if (input.binding) {
      find_needed(input.binding);
      args_[i] = substitute(context_, input.binding, f_, args_);
    } else {
      args_[i] = default_record(input);
    }
    if (!args_[i])
      context_.fail(scope_.class_inst, range_,
                    fmt::format("input {} of {} is not given", name, base::quoted(f_.name)));
  }

  void find_needed(const Exp* e) {
    if (!e) return;
    context_.check_stack();
    for (size_t i = 0; e->kind == ExpKind::local && i < args_.size(); ++i)
      if (f_.inputs[i] == e->local && !args_[i]) fill(i);
    for (const Exp* a : e->args) find_needed(a);
  }

  // A record whose fields all have values is one. [Modelica 3.6, section 12.4.1]
  const Exp* default_record(const Local& input) {
    if (!input.type.record || !input.type.is_scalar()) return nullptr;
    Function* make = function_of(context_, input.type.record->class_inst);
    return make->constructs ? make_call(context_, scope_, make, {}, range_) : nullptr;
  }

  Context& context_;
  const Scope& scope_;
  const Function& f_;
  std::vector<const Exp*>& args_;
  Range range_;
  std::vector<bool> open_;
};

Function* constructor_of(Context& context, ClassInst* c) {
  Entry* e = find_element(context, c, Symbol("constructor"));
  return e && e->is_class() ? function_of(context, class_of(context, e)) : nullptr;
}

}  // namespace

const Exp* make_call(Context& context, const Scope& scope, Function* f,
                     std::vector<const Exp*> args, Range range) {
  args.resize(f->inputs.size());
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i] && args[i]->kind != ExpKind::function &&
        args[i]->type.rank() > f->inputs[i]->type.rank())
      return vectorize(context, scope, f, args, i, range);
  for (size_t i = 0; i < args.size(); ++i) {
    const Local& input = *f->inputs[i];
    if (args[i] && !input.function_type) {
      // Sizes that depend on other inputs are checked when the function runs.
      args[i] = coerce(
          context, scope, args[i], input.type, range,
          fmt::format("input {} of {}", base::quoted(input.name.text()), base::quoted(f->name)));
    }
  }
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i] && f->inputs[i]->function_type)
      check_function(context, scope, *f->inputs[i], *args[i], range);
  Defaults(context, scope, *f, args, range).fill();
  Exp e{.kind = f->constructs ? ExpKind::record : ExpKind::call};
  e.args = context.arena.copy(args);
  e.function = f;
  if (f->constructs) {
    e.type.record = f->constructs;
    return make_exp(context, e);
  }
  if (f->outputs.empty()) return make_exp(context, e);
  e.type = f->outputs[0]->type;
  const Exp* call = make_exp(context, e);
  Exp sized = *call;
  sized.type = result_type(context, scope, *f, *f->outputs[0], args, call);
  return context.arena.make(sized);
}

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

const Exp* type_call(Context& context, const Scope& scope, const ast::Expr& e) {
  const Deeper deeper(context, scope.class_inst, e.range, "calls");
  if (const Exp* callee = find_function_input(context, scope, e))
    return call_local(context, scope, callee, e);
  const std::string name = ast::to_string(e.parts);
  const Builtin builtin = e.kind == ast::ExprKind::call ? find_builtin(name) : Builtin::none;
  if (builtin != Builtin::none) {
    ClassInst* from = e.global ? context.top : scope.class_inst;
    Entry* entry = e.parts.size() == 1 ? find_name(context, from, e.parts[0].name) : nullptr;
    const bool predefined = entry && entry->is_class() &&
                            *entry->element->class_def->source->path == "predefined types";
    const bool hidden = entry && entry->is_class() && !predefined &&
                        (is_function(class_of(context, entry)) ||
                         kind_of(class_of(context, entry)) == ast::ClassKind::record);
    if (!hidden) return type_builtin(context, scope, e, builtin);
  }
  refuse_state_machines(context, scope, e, name);
  ClassInst* c = lookup_class(context, scope.class_inst, {e.global, e.parts, e.range}, true);
  expand(context, c);
  if (c->primitive == Primitive::enumeration) {
    const Exp* index =
        e.arguments.size() == 1 ? type_expression(context, scope, *e.arguments[0].value) : nullptr;
    if (!index) context.fail(scope.class_inst, e.range, "a conversion has one argument");
    Type t;
    t.base = Primitive::enumeration;
    t.enumeration = c->primitive_class;
    return make_builtin(context, Builtin::enum_of, {index}, t);
  }
  if (c->def->kind == ast::ClassKind::operator_record) {
    const std::vector<Function*> constructors = candidates(context, c, "'constructor'");
    for (const bool by_elements : {false, true})
      for (Function* f : constructors) {  // the first whose inputs fit
        if (e.arguments.size() > f->inputs.size()) continue;
        const std::vector<const Exp*> args = arrange(context, scope, *f, e);
        std::vector<const Exp*> given = args;
        while (!given.empty() && !given.back()) given.pop_back();
        if (matches(*f, given, by_elements)) return make_call(context, scope, f, args, e.range);
      }
  }
  Function* f = c->primitive == Primitive::external_object ? constructor_of(context, c) : nullptr;
  if (!f && !is_function(c) && kind_of(c) != ast::ClassKind::record &&
      kind_of(c) != ast::ClassKind::operator_record)
    context.fail(
        scope.class_inst, e.range,
        fmt::format("{} is a {} and cannot be called", base::quoted(name), to_string(kind_of(c))));
  if (!f) f = function_of(context, c);
  const std::vector<const Exp*> args = arrange(context, scope, *f, e);
  const bool calls = e.kind == ast::ExprKind::call;
  if (calls && f->class_inst->def->partial && !f->constructs)
    context.fail(scope.class_inst, e.range,
                 fmt::format("{} is partial and cannot be called", base::quoted(f->name)),
                 "redeclare it, or call a function that is complete");
  if (calls) return make_call(context, scope, f, args, e.range);
  for (size_t i = 0; i < args.size(); ++i)  // function f(k = 2)
    if (args[i] && !f->inputs[i]->function_type)
      coerce(context, scope, args[i], f->inputs[i]->type, e.range,
             fmt::format("input {} of {}", base::quoted(f->inputs[i]->name.text()),
                         base::quoted(f->name)));
  Exp value{.kind = ExpKind::function};
  value.function = f;
  value.args = context.arena.copy(args);
  return make_exp(context, value);
}

}  // namespace couplet::modelica
