#include "couplet/modelica/typing/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {

// (out0, out1) = spatialDistribution(in0, in1, x, positiveVelocity, points, values): the last two
// are {0, 1} and {0, 0} unless they are given. [Modelica 3.6, section 3.7.4.2]
void check_distribution(Context& context, const Scope& scope, std::vector<const Exp*>& args,
                        Range range) {
  Type number = Type{.base = Primitive::real};
  const auto pair = [&](double a, double b) {
    return make_array(context, {make_real(context, a), make_real(context, b)}, number);
  };
  args.resize(6);
  if (!args[4]) args[4] = pair(0, 1);
  if (!args[5]) args[5] = pair(0, 0);
  const Type vector =
      with_dims(context, number, {args[4]->type.rank() == 1 ? args[4]->type.dims[0] : 2});
  const Type types[] = {number, number, number, Type{.base = Primitive::boolean}, vector, vector};
  for (size_t i = 0; i < args.size(); ++i)
    args[i] = coerce(context, scope, args[i], types[i], range,
                     fmt::format("argument {} of spatialDistribution", i + 1));
}

// Dimensions from the one with number `first` that do not have one element.
static size_t count_long(const Type& t, size_t first) {
  size_t count = 0;
  for (size_t d = first; d < t.rank(); ++d) count += t.dims[d] != 1 && t.dims[d] != unknown_size;
  return count;
}

// What the tables of sections 3.7 and 8.3 say about single arguments.
void check_arguments(Context& context, const Scope& scope, Builtin id,
                     const std::vector<const Exp*>& args, Range range) {
  const auto need = [&](size_t i, bool good, const char* what) {
    if (i < args.size() && args[i] && !good)
      context.fail(scope.class_inst, range,
                   fmt::format("argument {} of {} is {}, and {} is needed", i + 1, builtin_name(id),
                               to_string(args[i]->type), what));
  };
  const auto is = [&](size_t i, Primitive base) {
    return i < args.size() && args[i] && args[i]->type.base == base && args[i]->type.is_scalar();
  };
  const auto fixed = [&](size_t i) {
    return i < args.size() && args[i] && args[i]->variability <= ast::Variability::parameter;
  };
  const bool of_instant = id == Builtin::der || id == Builtin::pre || id == Builtin::edge ||
                          id == Builtin::change || id == Builtin::initial ||
                          id == Builtin::terminal || id == Builtin::sample ||
                          id == Builtin::delay || id == Builtin::reinit || id == Builtin::terminate;
  if (of_instant && scope.function && !scope.function->constructs)
    context.fail(scope.class_inst, range,
                 fmt::format("{} cannot be used in a function", builtin_name(id)),
                 "give the function what it needs as an input");
  switch (id) {
    case Builtin::assert_:
      need(0, is(0, Primitive::boolean), "a Boolean");
      need(1, is(1, Primitive::string), "a String");
      need(2, is(2, Primitive::enumeration), "an AssertionLevel");
      need(2, fixed(2) || scope.function, "a level that is a parameter");
      break;
    case Builtin::terminate:
      need(0, is(0, Primitive::string), "a String");
      break;
    case Builtin::reinit: {
      const Exp* v = args[0];
      while (v->kind == ExpKind::subscript || v->kind == ExpKind::field) v = v->args[0];
      const bool varies = v->kind == ExpKind::variable && args[0]->type.base == Primitive::real &&
                          v->variability == ast::Variability::continuous;
      need(0, varies || v->kind == ExpKind::array, "a continuous Real variable");
      need(1, args[1]->type.is_numeric() && args[1]->type.rank() == args[0]->type.rank(),
           "a value of its size");
      break;
    }
    case Builtin::smooth:
      need(0, is(0, Primitive::integer) && (fixed(0) || scope.function), "an Integer parameter");
      break;
    case Builtin::delay:
      if (args.size() == 2) need(1, fixed(1), "a parameter, or a largest delay after it,");
      need(2, fixed(2), "a parameter");
      break;
    case Builtin::min:
    case Builtin::max:
      need(0, args[0]->type.base != Primitive::string && !args[0]->type.record,
           "numbers, Booleans or enumerations");
      break;
    case Builtin::sqrt:
      need(0, !is_literal(args[0]) || args[0]->number >= 0, "a number that is not negative");
      break;
    case Builtin::log:
    case Builtin::log10:
      need(0, !is_literal(args[0]) || args[0]->number > 0, "a positive number");
      break;
    case Builtin::asin:
    case Builtin::acos:
      need(0, !is_literal(args[0]) || std::abs(args[0]->number) <= 1, "a number from -1 to 1");
      break;
    case Builtin::scalar:
      need(0, count_long(args[0]->type, 0) == 0, "an array with one element");
      break;
    case Builtin::vector:
      need(0, count_long(args[0]->type, 0) <= 1, "an array with one dimension longer than 1");
      break;
    case Builtin::matrix:
      need(0, count_long(args[0]->type, 2) == 0,
           "an array whose dimensions after the second are 1");
      break;
    case Builtin::string:
      need(0, args[0]->type.is_scalar(), "a scalar");
      break;
    case Builtin::cross:
    case Builtin::skew:
      for (size_t i = 0; i < args.size(); ++i)
        need(i,
             args[i] && args[i]->type.is_numeric() && args[i]->type.rank() == 1 &&
                 (args[i]->type.dims[0] == 3 || args[i]->type.dims[0] == unknown_size),
             "a vector of size 3");
      break;
    case Builtin::symmetric:
      need(0,
           args[0]->type.rank() == 2 &&
               (args[0]->type.dims[0] == args[0]->type.dims[1] ||
                args[0]->type.dims[0] == unknown_size || args[0]->type.dims[1] == unknown_size),
           "a square matrix");
      break;
    case Builtin::integer_of:
      need(0,
           args[0]->type.base == Primitive::enumeration || args[0]->type.base == Primitive::integer,
           "an enumeration");
      break;
    case Builtin::der:
      need(0,
           args[0]->type.base != Primitive::integer ||
               args[0]->variability == ast::Variability::constant,
           "a Real");
      break;
    case Builtin::sample:  // sample(u, clock) samples anything
      if (args.size() == 2 && args[1] && args[1]->type.base != Primitive::clock)
        for (size_t i = 0; i < 2; ++i) need(i, fixed(i), "a parameter");
      break;
    case Builtin::pure_:
      need(0, args[0]->kind == ExpKind::call, "the call of a function");
      break;
    default:
      break;
  }
}

// A function as an argument takes and gives what the input says. [Modelica 3.6, section 12.4.2]
void check_function(Context& context, const Scope& scope, const Local& input, const Exp& argument,
                    Range range) {
  const Function& wanted = *input.function_type;
  if (!argument.function) return;
  const Function& given = *argument.function;
  std::vector<const Local*> open;
  for (size_t i = 0; i < given.inputs.size(); ++i)
    if (i >= argument.args.size() || !argument.args[static_cast<uint32_t>(i)])
      open.push_back(given.inputs[i]);
  const auto alike = [](const Type& a, const Type& b) {
    return a.base == b.base || (a.is_numeric() && b.is_numeric());
  };
  bool good = open.size() >= wanted.inputs.size() && given.outputs.size() >= wanted.outputs.size();
  for (size_t i = 0; good && i < open.size(); ++i)
    good = i < wanted.inputs.size() ? alike(open[i]->type, wanted.inputs[i]->type)
                                    : open[i]->binding != nullptr;
  for (size_t i = 0; good && i < wanted.outputs.size(); ++i)
    good = alike(given.outputs[i]->type, wanted.outputs[i]->type);
  if (!good)
    context.fail(scope.class_inst, range,
                 fmt::format("{} cannot be input {}: its inputs and outputs are not those of {}",
                             base::quoted(given.name), base::quoted(input.name.text()),
                             base::quoted(wanted.name)),
                 "bind inputs that are left over: function f(k = 2)");
}

// State machines: operators of chapter 17 that would look like missing functions.
void refuse_state_machines(Context& context, const Scope& scope, const ast::Expr& e,
                           const std::string& name) {
  constexpr std::string_view operators[] = {"transition", "initialState", "activeState",
                                            "ticksInState", "timeInState"};
  if (std::find(std::begin(operators), std::end(operators), name) == std::end(operators)) return;
  if (find_name(context, scope.class_inst, e.parts[0].name)) return;  // a function of that name
  context.fail(scope.class_inst, e.range,
               fmt::format("{} is an operator of state machines, which are not supported yet",
                           base::quoted(name)),
               "use Modelica.StateGraph, or an algorithm with pre(...)");
}

// Real A[:, size(A, 1)]: a size may depend on those before it.
const Exp* size_so_far(Context& context, const Scope& scope, const ast::Expr& e) {
  if (e.arguments.size() != 2 || e.arguments[1].value->kind != ast::ExprKind::integer)
    return nullptr;
  const ast::Expr& of = *e.arguments[0].value;
  if (of.kind != ast::ExprKind::ref || of.parts.size() != 1 || of.global || scope.function ||
      !of.parts[0].subscripts.empty())
    return nullptr;
  const Entry* entry = find_name(context, scope.class_inst, of.parts[0].name);
  if (!entry || entry->is_class() || !entry->component) return nullptr;
  const Component& c = *entry->component;
  const double d = e.arguments[1].value->number;
  if (c.sized || c.removed || c.inner || !(d >= 1)) return nullptr;
  if (d > static_cast<double>(c.dims.size())) {  // one behind it
    const ast::Component& text = *c.element->component;
    const auto i = static_cast<uint32_t>(d) - 1;
    if (d > text.dims.size() || text.dims[i]->kind == ast::ExprKind::colon) return nullptr;
    return make_integer(context, evaluate_size(context, c.scope, text.dims[i]));
  }
  const int size = c.dims[static_cast<size_t>(d) - 1];
  return size == unknown_size ? nullptr : make_integer(context, size);
}

}  // namespace couplet::modelica
