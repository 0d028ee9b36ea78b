// Types of the operators of clocked models. What they give changes when a clock ticks only.
// [Modelica 3.6, chapter 16]
#include "couplet/modelica/typing/clocked.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"

namespace couplet::modelica {
namespace {

Type scalar_type(Primitive base) {
  Type t;
  t.base = base;
  return t;
}

}  // namespace

const Exp* type_clocked(Context& context, const Scope& scope, const ast::Expr& e, Builtin id,
                        const std::vector<const Exp*>& args) {
  if (scope.function)
    context.fail(scope.class_inst, e.range,
                 fmt::format("{} cannot be used in a function", base::quoted(builtin_name(id))));
  const auto wrong = [&](size_t i, const char* needed) {
    context.fail(scope.class_inst, e.range,
                 fmt::format("argument {} of {} is {}, and {} is needed", i + 1, builtin_name(id),
                             to_string(args[i]->type), needed));
  };
  Type t = args.empty() ? Type{} : args[0]->type;
  if (id == Builtin::clock_of) {
    for (size_t i = 0; i < args.size(); ++i)
      if (!args[i]->type.is_scalar()) wrong(i, "a scalar");
    const bool second = args.size() == 2;
    const bool fits =
        args.empty() ||
        (t.base == Primitive::clock && (!second || args[1]->type.base == Primitive::string)) ||
        (t.base == Primitive::boolean && (!second || args[1]->type.is_numeric())) ||
        (t.base == Primitive::real && !second) ||
        (t.base == Primitive::integer && (!second || args[1]->type.base == Primitive::integer));
    if (!fits) wrong(second ? 1 : 0, "another kind of value");
    t = scalar_type(Primitive::clock);
  } else if (id == Builtin::sample && args.size() == 2 && args[1]->type.base != Primitive::clock) {
    for (size_t i = 0; i < 2; ++i)
      if (!args[i]->type.is_numeric() || !args[i]->type.is_scalar()) wrong(i, "a number");
    t = scalar_type(Primitive::boolean);
  } else if (id == Builtin::interval) {
    t = scalar_type(Primitive::real);
  } else if (id == Builtin::first_tick) {
    t = scalar_type(Primitive::boolean);
  } else {
    const bool counts = id >= Builtin::sub_sample && id <= Builtin::back_sample;
    for (size_t i = 1; counts && i < args.size(); ++i)
      if (args[i]->type.base != Primitive::integer || !args[i]->type.is_scalar())
        wrong(i, "an Integer");
    if (t.base == Primitive::clock && !counts) wrong(0, "a variable that is no Clock");
  }
  Exp made = *make_builtin(context, id, args, t);
  made.variability = ast::Variability::discrete;
  return context.arena.make(made);
}

}  // namespace couplet::modelica
