// Calls of functions, record constructors and overloaded operators. [Modelica 3.6, 12.4 and 14]
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/arguments.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"
#include "couplet/modelica/typing/overload.hpp"

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

// String(r) of an operator record is its operator 'String'. [section 14.3]
const Exp* overloaded_string(Context& context, const Scope& scope, const ast::Expr& e) {
  if (e.arguments.empty() || !e.iterators.empty()) return nullptr;
  const Exp* first = type_expression(context, scope, *e.arguments[0].value);
  if (!first->type.record) return nullptr;
  for (Function* f : candidates(context, first->type.record->class_inst, "'String'")) {
    if (e.arguments.size() > f->inputs.size()) continue;
    const std::vector<const Exp*> args = arrange(context, scope, *f, e);
    std::vector<const Exp*> given = args;
    while (!given.empty() && !given.back()) given.pop_back();
    if (matches(*f, given)) return make_call(context, scope, f, args, e.range);
  }
  context.fail(scope.class_inst, e.range,
               fmt::format("operator String is not defined for {}", to_string(first->type)));
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
    if (!hidden && builtin == Builtin::string)
      if (const Exp* text = overloaded_string(context, scope, e)) return text;
    if (!hidden) return type_builtin(context, scope, e, builtin);
  }
  refuse_state_machines(context, scope, e, name);
  ClassInst* c = lookup_class(context, scope.class_inst, {e.global, e.parts, e.range}, true);
  expand(context, c);
  if (c->primitive == Primitive::enumeration) {
    const Exp* index =
        e.arguments.size() == 1 ? type_expression(context, scope, *e.arguments[0].value) : nullptr;
    if (!index) context.fail(scope.class_inst, e.range, "a conversion has one argument");
    if (index->type.base != Primitive::integer || !index->type.is_scalar())
      context.fail(
          scope.class_inst, e.range,
          fmt::format("the place of a literal is an Integer, this is {}", to_string(index->type)));
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
  if (c->parent && c->parent->primitive == Primitive::external_object)
    context.fail(scope.class_inst, e.range,
                 fmt::format("{} is called when its object is made or ends, not by name",
                             base::quoted(name)),
                 "write the name of the external object's class");
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
