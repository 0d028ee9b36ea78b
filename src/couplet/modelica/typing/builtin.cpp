// Predefined operators and functions: their names and types. [Modelica 3.6, sections 3.7, 10.3]
#include <fmt/format.h>

#include <array>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/arguments.hpp"
#include "couplet/modelica/typing/clocked.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {
namespace {

enum class Rule : uint8_t {
  real,     // elementwise, Real
  same,     // the type of the first argument
  number,   // elementwise, Integer or Real by its arguments
  integer,  // elementwise, Integer
  boolean,  // elementwise, Boolean
  truth,    // a scalar Boolean
  none,     // no value
  special,  // see type_special
};

struct Info {
  std::string_view name;
  Builtin id;
  Rule rule;
  int fewest, most;
};

constexpr int many = 1000000;

constexpr std::array table{
    Info{"sin", Builtin::sin, Rule::real, 1, 1},
    Info{"cos", Builtin::cos, Rule::real, 1, 1},
    Info{"tan", Builtin::tan, Rule::real, 1, 1},
    Info{"asin", Builtin::asin, Rule::real, 1, 1},
    Info{"acos", Builtin::acos, Rule::real, 1, 1},
    Info{"atan", Builtin::atan, Rule::real, 1, 1},
    Info{"atan2", Builtin::atan2, Rule::real, 2, 2},
    Info{"sinh", Builtin::sinh, Rule::real, 1, 1},
    Info{"cosh", Builtin::cosh, Rule::real, 1, 1},
    Info{"tanh", Builtin::tanh, Rule::real, 1, 1},
    Info{"exp", Builtin::exp, Rule::real, 1, 1},
    Info{"log", Builtin::log, Rule::real, 1, 1},
    Info{"log10", Builtin::log10, Rule::real, 1, 1},
    Info{"sqrt", Builtin::sqrt, Rule::real, 1, 1},
    Info{"abs", Builtin::abs, Rule::number, 1, 1},
    Info{"sign", Builtin::sign, Rule::integer, 1, 1},
    Info{"div", Builtin::div, Rule::number, 2, 2},
    Info{"mod", Builtin::mod, Rule::number, 2, 2},
    Info{"rem", Builtin::rem, Rule::number, 2, 2},
    Info{"floor", Builtin::floor, Rule::real, 1, 1},
    Info{"ceil", Builtin::ceil, Rule::real, 1, 1},
    Info{"integer", Builtin::integer, Rule::integer, 1, 1},
    Info{"min", Builtin::min, Rule::special, 1, 2},
    Info{"max", Builtin::max, Rule::special, 1, 2},
    Info{"sum", Builtin::sum, Rule::special, 1, 1},
    Info{"product", Builtin::product, Rule::special, 1, 1},
    Info{"size", Builtin::size, Rule::special, 1, 2},
    Info{"ndims", Builtin::ndims, Rule::special, 1, 1},
    Info{"scalar", Builtin::scalar, Rule::special, 1, 1},
    Info{"vector", Builtin::vector, Rule::special, 1, 1},
    Info{"matrix", Builtin::matrix, Rule::special, 1, 1},
    Info{"transpose", Builtin::transpose, Rule::special, 1, 1},
    Info{"outerProduct", Builtin::outer_product, Rule::special, 2, 2},
    Info{"identity", Builtin::identity, Rule::special, 1, 1},
    Info{"diagonal", Builtin::diagonal, Rule::special, 1, 1},
    Info{"zeros", Builtin::zeros, Rule::special, 1, many},
    Info{"ones", Builtin::ones, Rule::special, 1, many},
    Info{"fill", Builtin::fill, Rule::special, 2, many},
    Info{"linspace", Builtin::linspace, Rule::special, 3, 3},
    Info{"symmetric", Builtin::symmetric, Rule::same, 1, 1},
    Info{"cross", Builtin::cross, Rule::special, 2, 2},
    Info{"skew", Builtin::skew, Rule::special, 1, 1},
    Info{"cat", Builtin::cat, Rule::special, 2, many},
    Info{"promote", Builtin::promote, Rule::special, 2, 2},
    Info{"array", Builtin::array, Rule::special, 1, many},
    Info{"der", Builtin::der, Rule::same, 1, 1},
    Info{"pre", Builtin::pre, Rule::same, 1, 1},
    Info{"edge", Builtin::edge, Rule::boolean, 1, 1},
    Info{"change", Builtin::change, Rule::boolean, 1, 1},
    Info{"initial", Builtin::initial, Rule::truth, 0, 0},
    Info{"terminal", Builtin::terminal, Rule::truth, 0, 0},
    Info{"sample", Builtin::sample, Rule::special, 1, 2},
    Info{"delay", Builtin::delay, Rule::same, 2, 3},
    Info{"noEvent", Builtin::no_event, Rule::same, 1, 1},
    Info{"smooth", Builtin::smooth, Rule::special, 2, 2},
    Info{"homotopy", Builtin::homotopy, Rule::same, 2, 2},
    Info{"semiLinear", Builtin::semi_linear, Rule::real, 3, 3},
    Info{"reinit", Builtin::reinit, Rule::none, 2, 2},
    Info{"spatialDistribution", Builtin::spatial_distribution, Rule::real, 4, 6},
    Info{"inStream", Builtin::in_stream, Rule::same, 1, 1},
    Info{"actualStream", Builtin::actual_stream, Rule::same, 1, 1},
    Info{"cardinality", Builtin::cardinality, Rule::special, 1, 1},
    Info{"rooted", Builtin::rooted, Rule::truth, 1, 1},
    Info{"Connections.rooted", Builtin::rooted, Rule::truth, 1, 1},
    Info{"Connections.isRoot", Builtin::is_root, Rule::truth, 1, 1},
    Info{"Connections.root", Builtin::root, Rule::none, 1, 1},
    Info{"Connections.potentialRoot", Builtin::potential_root, Rule::none, 1, 2},
    Info{"Connections.uniqueRoot", Builtin::unique_root, Rule::none, 1, 2},
    Info{"Connections.branch", Builtin::branch, Rule::none, 2, 2},
    Info{"getInstanceName", Builtin::get_instance_name, Rule::special, 0, 0},
    Info{"assert", Builtin::assert_, Rule::none, 2, 3},
    Info{"terminate", Builtin::terminate, Rule::none, 1, 1},
    Info{"String", Builtin::string, Rule::special, 1, 4},
    Info{"Integer", Builtin::integer_of, Rule::integer, 1, 1},
    Info{"pure", Builtin::pure_, Rule::same, 1, 1},
    Info{"Clock", Builtin::clock_of, Rule::special, 0, 2},
    Info{"hold", Builtin::hold, Rule::special, 1, 1},
    Info{"previous", Builtin::previous, Rule::special, 1, 1},
    Info{"subSample", Builtin::sub_sample, Rule::special, 1, 2},
    Info{"superSample", Builtin::super_sample, Rule::special, 1, 2},
    Info{"shiftSample", Builtin::shift_sample, Rule::special, 2, 3},
    Info{"backSample", Builtin::back_sample, Rule::special, 2, 3},
    Info{"noClock", Builtin::no_clock, Rule::special, 1, 1},
    Info{"interval", Builtin::interval, Rule::special, 0, 1},
    Info{"firstTick", Builtin::first_tick, Rule::special, 0, 1},
};

struct ArgumentNames {
  Builtin id;
  std::array<std::string_view, 6> names;
};
constexpr std::array argument_names{
    ArgumentNames{Builtin::homotopy, {"actual", "simplified"}},
    ArgumentNames{Builtin::assert_, {"condition", "message", "level"}},
    ArgumentNames{Builtin::sample, {"start", "interval"}},
    ArgumentNames{Builtin::delay, {"expr", "delayTime", "delayMax"}},
    ArgumentNames{Builtin::spatial_distribution,
                  {"in0", "in1", "x", "positiveVelocity", "initialPoints", "initialValues"}},
    ArgumentNames{Builtin::terminate, {"message"}},
    ArgumentNames{Builtin::semi_linear, {"x", "positiveSlope", "negativeSlope"}},
    ArgumentNames{Builtin::sample, {"u", "c"}},
    ArgumentNames{Builtin::clock_of, {"intervalCounter", "resolution"}},
    ArgumentNames{Builtin::clock_of, {"interval"}},
    ArgumentNames{Builtin::clock_of, {"condition", "startInterval"}},
    ArgumentNames{Builtin::clock_of, {"c", "solverMethod"}},
    ArgumentNames{Builtin::sub_sample, {"u", "factor"}},
    ArgumentNames{Builtin::super_sample, {"u", "factor"}},
    ArgumentNames{Builtin::shift_sample, {"u", "shiftCounter", "resolution"}},
    ArgumentNames{Builtin::back_sample, {"u", "backCounter", "resolution"}},
    ArgumentNames{Builtin::string,
                  {"", "significantDigits", "minimumLength", "leftJustified", "format"}},
};

const Info* find_info(Builtin id) {
  for (const Info& i : table)
    if (i.id == id) return &i;
  return nullptr;
}

Type scalar_type(Primitive base) {
  Type t;
  t.base = base;
  return t;
}

size_t argument_index(Context& context, const Scope& scope, Builtin id, const ast::Argument& a,
                      size_t next) {
  if (a.name.empty()) return next;
  for (const ArgumentNames& n : argument_names)
    if (n.id == id)
      for (size_t i = 0; i < n.names.size(); ++i)
        if (n.names[i] == a.name.text()) return i;
  context.fail(scope.class_inst, a.value->range,
               fmt::format("{} has no argument {}", base::quoted(builtin_name(id)),
                           base::quoted(a.name.text())));
}

// A component and not its value: cardinality(c), Connections.root(R).
const Exp* structural_call(Context& context, const Scope& scope, const ast::Expr& e, Builtin id,
                           Type type) {
  std::vector<const Exp*> args;
  for (const ast::Argument& a : e.arguments) {
    const bool is_priority =
        (id == Builtin::potential_root || id == Builtin::unique_root) && args.size() == 1;
    if (is_priority) {
      args.push_back(type_expression(context, scope, *a.value));
      continue;
    }
    const std::vector<Component*> found = type_components(context, scope, *a.value);
    const bool several = id == Builtin::root || id == Builtin::potential_root ||
                         id == Builtin::unique_root || id == Builtin::branch;
    if (found.size() != 1 && !several)
      context.fail(scope.class_inst, a.value->range, "expected one component");
    if (id == Builtin::cardinality && !found[0]->is_connector)
      context.fail(scope.class_inst, a.value->range,
                   fmt::format("{} is no connector: cardinality counts connections",
                               base::quoted(found[0]->path())));
    std::vector<const Exp*> nodes;
    for (Component* one : found) {
      Exp c{.kind = ExpKind::variable};
      c.variable = one;
      nodes.push_back(context.arena.make(c));
    }
    if (nodes.size() == 1) {
      args.push_back(nodes[0]);
      continue;
    }
    Exp all{.kind = ExpKind::array};  // of an array of components
    all.args = context.arena.copy(nodes);
    args.push_back(context.arena.make(all));
  }
  Exp call{.kind = ExpKind::builtin};
  call.builtin = id;
  call.type = type;
  call.args = context.arena.copy(args);
  call.variability = ast::Variability::parameter;
  const bool has_value = type.base != Primitive::none;
  if (has_value && context.connections)
    return to_exp(context, evaluate_structure(context, call), type);
  return context.arena.make(call);
}

int evaluated_size(Context& context, const Exp* size) {
  if (const auto value = try_evaluate(context, size)) return to_size(value->number);
  return unknown_size;
}

Type elementwise(const std::vector<const Exp*>& args, Primitive base) {
  Type t = args[0]->type;
  for (const Exp* a : args)
    if (a->type.rank() > t.rank()) t.dims = a->type.dims;
  t.base = base;
  t.enumeration = nullptr;
  return t;
}

const Exp* type_size(Context& context, const Scope& scope, const std::vector<const Exp*>& args,
                     Range range) {
  const Type& t = args[0]->type;
  if (args.size() == 1) {
    std::vector<const Exp*> all;
    for (size_t i = 0; i < t.rank(); ++i)
      all.push_back(t.dims[i] != unknown_size
                        ? make_integer(context, t.dims[i])
                        : make_builtin(context, Builtin::size,
                                       {args[0], make_integer(context, static_cast<double>(i) + 1)},
                                       scalar_type(Primitive::integer)));
    return make_array(context, all, scalar_type(Primitive::integer));
  }
  const auto index = try_evaluate(context, args[1]);
  if (index) {
    if (!(index->number >= 1 && index->number <= static_cast<double>(t.rank())))
      context.fail(scope.class_inst, range,
                   fmt::format("{} has no dimension {}", to_string(t), index->number));
    const int d = t.dims[static_cast<size_t>(index->number) - 1];
    if (d != unknown_size) return make_integer(context, d);
  }
  return make_builtin(context, Builtin::size, args, scalar_type(Primitive::integer));
}

const Exp* type_fill(Context& context, Builtin id, const std::vector<const Exp*>& args) {
  Type t = id == Builtin::fill ? args[0]->type : scalar_type(Primitive::real);
  if (id != Builtin::fill) t.base = Primitive::integer;  // zeros(n) fits Integer and Real
  std::vector<int> dims;
  for (size_t i = id == Builtin::fill ? 1 : 0; i < args.size(); ++i)
    dims.push_back(evaluated_size(context, args[i]));
  dims.insert(dims.end(), t.dims.begin(), t.dims.end());
  return make_builtin(context, id, args, with_dims(context, t, dims));
}

const Exp* type_special(Context& context, const Scope& scope, const ast::Expr& e, Builtin id,
                        std::vector<const Exp*> args) {
  const Type first = args.empty() ? Type{} : args[0]->type;
  const auto wrong = [&](const char* needed) {
    context.fail(scope.class_inst, e.range,
                 fmt::format("{} takes {}, not {}", builtin_name(id), needed, to_string(first)));
  };
  const auto sized = [&](std::vector<int> dims) {
    return make_builtin(context, id, args, with_dims(context, first, dims));
  };
  if (id == Builtin::sample || (id >= Builtin::clock_of && id <= Builtin::first_tick))
    return type_clocked(context, scope, e, id, args);
  switch (id) {
    case Builtin::min:
    case Builtin::max: {
      if (args.size() == 1) return make_builtin(context, id, args, with_dims(context, first, {}));
      const Type& second = args[1]->type;
      const bool numbers = first.is_numeric() && second.is_numeric();
      const bool alike = first.base == second.base && !first.record && !second.record &&
                         first.base != Primitive::string &&
                         same_enumeration(first.enumeration, second.enumeration);
      if (!numbers && !alike)
        context.fail(scope.class_inst, e.range,
                     fmt::format("{} takes two values of one kind, not {} and {}", builtin_name(id),
                                 to_string(first), to_string(second)));
      const bool real = first.base == Primitive::real || second.base == Primitive::real;
      Type t = elementwise(args, real ? Primitive::real : first.base);
      t.enumeration = first.enumeration;
      return make_builtin(context, id, args, t);
    }
    case Builtin::sum:
    case Builtin::product:
      if (first.rank() == 0) wrong("an array");
      return make_builtin(context, id, args, with_dims(context, first, {}));
    case Builtin::size:
      return type_size(context, scope, args, e.range);
    case Builtin::ndims:
      return make_integer(context, static_cast<double>(first.rank()));
    case Builtin::scalar: {
      const Exp* a = args[0];
      while (a->type.rank() > 0) a = make_subscript(context, a, {make_integer(context, 1)});
      return a;
    }
    case Builtin::vector: {
      if (first.rank() == 1) return args[0];
      if (first.rank() == 0) return make_array(context, {args[0]}, first);
      bool known = true;
      for (const int d : first.dims) known = known && d != unknown_size;
      return sized({known ? to_size(static_cast<double>(count_scalars(first))) : unknown_size});
    }
    case Builtin::matrix:
      if (first.rank() < 2) return promote(context, args[0], 2);
      return sized({first.dims[0], first.dims[1]});
    case Builtin::transpose: {
      if (first.rank() < 2) wrong("a matrix");
      std::vector<int> dims(first.dims.begin(), first.dims.end());
      std::swap(dims[0], dims[1]);
      return sized(dims);
    }
    case Builtin::outer_product:
      if (first.rank() != 1 || args[1]->type.rank() != 1) wrong("two vectors");
      return make_builtin(context, id, args,
                          with_dims(context, elementwise(args, Primitive::real),
                                    {first.dims[0], args[1]->type.dims[0]}));
    case Builtin::identity: {
      const int n = evaluated_size(context, args[0]);
      return sized({n, n});
    }
    case Builtin::diagonal:
      if (first.rank() != 1) wrong("a vector");
      return sized({first.dims[0], first.dims[0]});
    case Builtin::zeros:
    case Builtin::ones:
    case Builtin::fill:
      return type_fill(context, id, args);
    case Builtin::linspace:
      return make_builtin(
          context, id, args,
          with_dims(context, scalar_type(Primitive::real), {evaluated_size(context, args[2])}));
    case Builtin::cross:
      if (first.rank() != 1 || args[1]->type.rank() != 1) wrong("two vectors of size 3");
      return make_builtin(
          context, id, args,
          with_dims(context,
                    scalar_type(first.base == args[1]->type.base ? first.base : Primitive::real),
                    {3}));
    case Builtin::skew:
      if (first.rank() != 1) wrong("a vector of size 3");
      return sized({3, 3});
    case Builtin::cat: {
      const auto dimension = try_evaluate(context, args[0]);
      if (!dimension)
        context.fail(scope.class_inst, e.range,
                     "the dimension of cat must be known at translation");
      return make_cat(context, scope, to_int(dimension->number), {args.begin() + 1, args.end()},
                      e.range);
    }
    case Builtin::promote: {
      const auto rank = try_evaluate(context, args[1]);
      if (!rank) context.fail(scope.class_inst, e.range, "the rank must be known at translation");
      if (!(rank->number >= static_cast<double>(first.rank()) && rank->number <= 32))
        context.fail(scope.class_inst, e.range,
                     fmt::format("promote cannot give {} {} dimensions, at most 32 are possible",
                                 to_string(first), rank->number));
      return promote(context, args[0], static_cast<size_t>(rank->number));
    }
    case Builtin::array:
      return join_elements(context, scope, args, e.range);
    case Builtin::smooth: {
      const Type t = args[1]->type;
      return make_builtin(context, id, args, t);
    }
    case Builtin::get_instance_name: {
      const Component* self = scope.class_inst->most_derived()->self;
      const std::string model =
          context.model && context.model->type->def ? context.model->type->def->name.text() : "";
      const std::string path = self ? self->path() : "";
      return make_string(context, path.empty() ? model : model + "." + path);
    }
    case Builtin::string:
      return make_builtin(context, id, args, scalar_type(Primitive::string));
    default:
      break;
  }
  context.fail(scope.class_inst, e.range, fmt::format("{} is not supported yet", builtin_name(id)));
}

const Exp* type_reduction(Context& context, const Scope& scope, const ast::Expr& e, Builtin id) {
  return type_comprehension(context, scope, e, id, *e.arguments[0].value);
}

void check_numbers(Context& context, const Scope& scope, Builtin id,
                   const std::vector<const Exp*>& args, Range range) {
  for (const Exp* a : args)
    if (a && !a->type.is_numeric() &&
        !(id == Builtin::integer_of && a->type.base == Primitive::enumeration))
      context.fail(scope.class_inst, range,
                   fmt::format("{} takes numbers, not {}", builtin_name(id), to_string(a->type)));
}

}  // namespace

Builtin find_builtin(std::string_view name) {
  for (const Info& i : table)
    if (i.name == name) return i.id;
  return Builtin::none;
}

std::string_view builtin_name(Builtin id) {
  if (id == Builtin::time) return "time";
  if (id == Builtin::rooted) return "Connections.rooted";
  const Info* info = find_info(id);
  return info ? info->name : "";
}

const Exp* type_builtin(Context& context, const Scope& scope, const ast::Expr& e, Builtin id) {
  if (!e.iterators.empty()) return type_reduction(context, scope, e, id);
  const Info& info = *find_info(id);
  const auto count = static_cast<int>(e.arguments.size());
  if (count < info.fewest || (count > info.most && id != Builtin::string))
    context.fail(scope.class_inst, e.range,
                 fmt::format("{} takes {} argument{}, not {}", info.name, info.fewest,
                             info.fewest == 1 ? "" : "s", count));
  if (id >= Builtin::cardinality && id <= Builtin::branch)
    return structural_call(context, scope, e, id,
                           id == Builtin::cardinality ? scalar_type(Primitive::integer)
                           : info.rule == Rule::truth ? scalar_type(Primitive::boolean)
                                                      : Type{});
  if (id == Builtin::size)
    if (const Exp* known = size_so_far(context, scope, e)) return known;
  std::vector<const Exp*> args;
  for (const ast::Argument& a : e.arguments) {
    const size_t i = argument_index(context, scope, id, a, args.size());
    if (args.size() <= i) args.resize(i + 1);
    Scope counting = scope;
    counting.types_count = id == Builtin::size;
    args[i] = type_expression(context, counting, *a.value);
  }
  for (size_t i = 0; i < std::max(args.size(), static_cast<size_t>(info.fewest)); ++i)
    if (i >= args.size() || (!args[i] && id != Builtin::string) || (!args[i] && i == 0))
      context.fail(scope.class_inst, e.range,
                   fmt::format("argument {} of {} is missing", i + 1, info.name));
  const auto finish = [&](Type t, ast::Variability least) {
    Exp call{.kind = ExpKind::builtin};
    call.builtin = id;
    call.type = t;
    call.args = context.arena.copy(args);
    call.variability = least;
    return make_exp(context, call);
  };
  if (id == Builtin::in_stream || id == Builtin::actual_stream) context.uses_streams = true;
  const bool in_time = id >= Builtin::der && id <= Builtin::actual_stream &&
                       id != Builtin::no_event && id != Builtin::smooth &&
                       id != Builtin::homotopy && id != Builtin::semi_linear;
  const auto least = !in_time                                     ? ast::Variability::constant
                     : id == Builtin::der || id == Builtin::delay ? ast::Variability::continuous
                                                                  : ast::Variability::discrete;
  if (id == Builtin::spatial_distribution) {
    check_distribution(context, scope, args, e.range);
    return finish(scalar_type(Primitive::real), ast::Variability::continuous);
  }
  check_arguments(context, scope, id, args, e.range);
  switch (info.rule) {
    case Rule::real:
      check_numbers(context, scope, id, args, e.range);
      return finish(elementwise(args, Primitive::real), least);
    case Rule::integer:
      check_numbers(context, scope, id, args, e.range);
      return finish(elementwise(args, Primitive::integer), least);
    case Rule::number: {
      check_numbers(context, scope, id, args, e.range);
      bool real = false;
      for (const Exp* a : args) real = real || a->type.base == Primitive::real;
      return finish(elementwise(args, real ? Primitive::real : Primitive::integer), least);
    }
    case Rule::same: {
      Type t = args[0]->type;
      if (id == Builtin::der || id == Builtin::homotopy || id == Builtin::delay) {
        if (!t.is_numeric()) check_numbers(context, scope, id, {args[0]}, e.range);
        t.base = Primitive::real;
      }
      return finish(t, least);
    }
    case Rule::boolean:
      return finish(elementwise(args, Primitive::boolean), least);
    case Rule::truth:
      return finish(scalar_type(Primitive::boolean), least);
    case Rule::none:
      return finish({}, least);
    case Rule::special:
      return type_special(context, scope, e, id, args);
  }
  return nullptr;
}

}  // namespace couplet::modelica
