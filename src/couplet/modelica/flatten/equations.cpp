// Equations of components: loops unrolled, structural conditions decided. [Modelica 3.6, chapter 8]
#include "couplet/modelica/flatten/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/connect.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

using Equations = std::vector<FlatEquation>;

class Flattener {
 public:
  Flattener(Context& context, FlatModel& model) : context_(context), model_(model) {}

  void component(Component* c) {
    if (c->inner || c->is_array_of_classes() || c->type->primitive != Primitive::none) return;
    origin_ = c;
    in_class(c->type);
  }

 private:
  void in_class(ClassInst* c) {
    for (ClassInst* base : c->bases) in_class(base);
    if (!c->def->sections.empty()) check_behaviour(c);
    for (const ast::Section& s : c->def->sections) {
      if (s.algorithm)
        algorithm(c, s);
      else
        section(c, s);
    }
  }

  void section(ClassInst* c, const ast::Section& s) {
    in_initial_ = s.initial;
    body({c}, s.body, s.initial ? model_.initial_equations : model_.equations);
    in_initial_ = false;
  }

  // Connectors and records only hold variables. [Modelica 3.6, section 4.7]
  void check_behaviour(const ClassInst* c) {
    const ast::ClassKind kind = c->def->kind;
    const bool holds = kind == ast::ClassKind::connector || kind == ast::ClassKind::record ||
                       kind == ast::ClassKind::expandable_connector ||
                       kind == ast::ClassKind::operator_record || kind == ast::ClassKind::type ||
                       kind == ast::ClassKind::package;
    if (holds)
      context_.error(c, c->def->name_range,
                     fmt::format("{} is a {} and cannot have equations or algorithms",
                                 base::quoted(c->path()), to_string(kind)),
                     "put them into the model that uses it");
  }

  void algorithm(ClassInst* c, const ast::Section& s) {
    if (s.body.empty()) return;
    try {
      FlatAlgorithm a;
      a.initial = s.initial;
      a.origin = origin_;
      a.source = c->def->source;
      a.range = s.body[0]->range;
      a.body = type_statements(context_, {c}, s.body);
      model_.algorithms.push_back(a);
    } catch (const Fault&) {
      if (context_.diagnostics.full()) throw;
    }
  }

  void body(const Scope& scope, Slice<const ast::Equation*> equations, Equations& into) {
    for (const ast::Equation* e : equations) {
      try {
        equation(scope, *e, into);
      } catch (const Fault&) {
        if (context_.diagnostics.full()) throw;
      } catch (const CannotEvaluate& reason) {
        context_.error(scope.class_inst, e->range, reason.why);
      }
    }
  }

  FlatEquation make(const Scope& scope, const ast::Equation& e, FlatEquation::Kind kind) {
    FlatEquation flat;
    flat.kind = kind;
    flat.origin = origin_;
    flat.source = scope.class_inst->def->source;
    flat.range = e.range;
    return flat;
  }

  void equation(const Scope& scope, const ast::Equation& e, Equations& into) {
    switch (e.kind) {
      case ast::EqKind::equality:
        return equality(scope, e, into);
      case ast::EqKind::call:
        return call(scope, e, into);
      case ast::EqKind::connect:
        return;  // done by connection sets
      case ast::EqKind::if_:
        return if_equation(scope, e, into);
      case ast::EqKind::for_:
        return loop(scope, e, 0, into);
      case ast::EqKind::when:
        return when(scope, e, into);
      default:
        context_.fail(scope.class_inst, e.range, "this belongs into an algorithm");
    }
  }

  void equality(const Scope& scope, const ast::Equation& e, Equations& into) {
    FlatEquation flat = make(scope, e, FlatEquation::Kind::equality);
    flat.left = type_expression(context_, scope, *e.left);
    flat.right = type_expression(context_, scope, *e.right);
    if (flat.left->kind == ExpKind::tuple) return tuple(scope, e, flat, into);
    if (flat.right->kind == ExpKind::call && flat.right->type.base == Primitive::none &&
        !flat.right->type.record)
      context_.fail(scope.class_inst, e.range, "the function has no result");
    check_types(scope, e, flat);
    if (flat.left->type.record && flat.left->type.is_scalar() && split(flat, into)) return;
    if (count_scalars(flat.left->type) > 0) into.push_back(flat);
  }

  // Records equal records field by field, unless one side is a call that makes the whole.
  bool split(const FlatEquation& flat, Equations& into) {
    const auto simple = [](const Exp* e) {
      return e->kind == ExpKind::variable || e->kind == ExpKind::record;
    };
    if (!simple(flat.left) || !simple(flat.right)) return false;
    for (const Field& f : flat.left->type.record->fields) {
      FlatEquation one = flat;
      one.left = make_field(context_, flat.left, f.name);
      one.right = make_field(context_, flat.right, f.name);
      if (!one.left || !one.right) return false;
      if (one.left->type.record && one.left->type.is_scalar() && split(one, into)) continue;
      into.push_back(one);
    }
    return true;
  }

  void tuple(const Scope& scope, const ast::Equation& e, FlatEquation& flat, Equations& into) {
    const bool moves = flat.right->kind == ExpKind::builtin &&
                       flat.right->builtin == Builtin::spatial_distribution;
    if (moves && flat.left->args.size() <= 2) return into.push_back(flat);
    if (flat.right->kind != ExpKind::call)
      context_.fail(scope.class_inst, e.range, "several results come from a function call");
    const Function& f = *flat.right->function;
    if (flat.left->args.size() > f.outputs.size())
      context_.fail(scope.class_inst, e.range,
                    fmt::format("{} has {} results", base::quoted(f.name), f.outputs.size()));
    for (uint32_t i = 0; i < flat.left->args.size(); ++i) {
      const Exp* target = flat.left->args[i];
      if (!target) continue;
      if (!is_variable(target))
        context_.fail(scope.class_inst, e.range, "the results of a function go to variables",
                      "name a variable, or leave the place empty");
      const Type &a = target->type, &b = f.outputs[i]->type;
      const bool good = a.base == b.base || (a.base == Primitive::real && b.is_numeric());
      if (!good || a.rank() != b.rank())
        context_.fail(
            scope.class_inst, e.range,
            fmt::format("result {} is {}, and its place {}", i + 1, to_string(b), to_string(a)));
    }
    into.push_back(flat);
  }

  static bool is_variable(const Exp* e) {
    if (e->kind == ExpKind::array || e->kind == ExpKind::record) {
      for (const Exp* a : e->args)
        if (!is_variable(a)) return false;
      return true;
    }
    while (e->kind == ExpKind::subscript || e->kind == ExpKind::field) e = e->args[0];
    return e->kind == ExpKind::variable;
  }

  void check_types(const Scope& scope, const ast::Equation& e, FlatEquation& flat) {
    const Type &a = flat.left->type, &b = flat.right->type;
    const bool forwards = a.base == b.base || !a.is_numeric() || b.base != Primitive::real;
    // An Integer on one side and a Real on the other are compared as Real.
    if (forwards)
      flat.right =
          coerce(context_, scope, flat.right, a, e.range, "the right side of this equation");
    else
      flat.left = coerce(context_, scope, flat.left, b, e.range, "the left side of this equation");
  }

  void call(const Scope& scope, const ast::Equation& e, Equations& into) {
    FlatEquation flat = make(scope, e, FlatEquation::Kind::call);
    flat.left = type_expression(context_, scope, *e.left);
    const Builtin id = flat.left->builtin;
    if (flat.left->kind == ExpKind::builtin && id >= Builtin::root && id <= Builtin::branch) return;
    const bool holds = flat.left->kind == ExpKind::builtin && id == Builtin::assert_ &&
                       flat.left->args[0]->kind == ExpKind::boolean &&
                       flat.left->args[0]->number != 0;
    if (holds) return;
    check_assertion(scope, e, flat);
    into.push_back(flat);
  }

  // assert(false, "...") can never hold; as a warning it may.
  void check_assertion(const Scope& scope, const ast::Equation& e, const FlatEquation& flat) {
    const Exp& call = *flat.left;
    const bool fails = call.kind == ExpKind::builtin && call.builtin == Builtin::assert_ &&
                       call.args[0]->kind == ExpKind::boolean && !in_when_ && !in_branch_;
    const bool warns = call.args.size() > 2 && call.args[2]->kind == ExpKind::enum_literal &&
                       call.args[2]->number == 1;
    if (!fails || warns || asserted_) return;  // once is enough
    asserted_ = true;
    const auto why = try_evaluate(context_, call.args[1]);
    context_.error(scope.class_inst, e.range,
                   fmt::format("this assertion never holds{}", why ? ": " + why->text : ""),
                   "change what the model is made of, or drop the assertion");
  }

  void loop(const Scope& scope, const ast::Equation& e, uint32_t i, Equations& into) {
    if (i == e.iterators.size()) return body(scope, e.branches[0].body, into);
    for (const Exp* value : iteration_values(context_, scope, e.iterators[i], e.branches[0].body)) {
      context_.count_step(scope.class_inst, e.range);
      const Binding binding{scope.bindings, e.iterators[i].name, value};
      Scope inside = scope;
      inside.bindings = &binding;
      loop(inside, e, i + 1, into);
    }
  }

  static bool has_connect(Slice<const ast::Equation*> equations) {
    for (const ast::Equation* e : equations) {
      if (e->kind == ast::EqKind::connect) return true;
      for (const ast::Branch& b : e->branches)
        if (has_connect(b.body)) return true;
    }
    return false;
  }

  void if_equation(const Scope& scope, const ast::Equation& e, Equations& into) {
    FlatEquation flat = make(scope, e, FlatEquation::Kind::if_);
    bool connects = false;
    for (const ast::Branch& b : e.branches) connects = connects || has_connect(b.body);
    bool is_parameter = true;
    std::vector<const Exp*> conditions;
    for (const ast::Branch& b : e.branches) {
      const Exp* condition = b.condition ? type_expression(context_, scope, *b.condition) : nullptr;
      if (condition && (condition->type.base != Primitive::boolean || !condition->type.is_scalar()))
        context_.fail(
            scope.class_inst, b.condition->range,
            fmt::format("a condition is Boolean, this is {}", to_string(condition->type)));
      const bool decides = condition && (is_fixed(context_, condition) || connects);
      const auto value = decides ? try_evaluate(context_, condition) : std::nullopt;
      if (value && !value->truth()) continue;
      FlatEquation::Branch branch{value ? nullptr : condition, {}};
      if (condition && !value)
        is_parameter = is_parameter && condition->variability <= ast::Variability::parameter;
      if (condition && !value) conditions.push_back(condition);
      if (!flat_branch(scope, b.body, conditions, is_parameter, !condition, branch.body)) continue;
      flat.branches.push_back(std::move(branch));
      if (!condition || value) break;
    }
    if (flat.branches.empty()) return;
    if (!flat.branches[0].condition) {
      for (FlatEquation& one : flat.branches[0].body) into.push_back(std::move(one));
      return;
    }
    if (is_parameter && sizes_differ(flat)) return decide(scope, e, flat, into);
    const bool counts = !in_when_ && !in_initial_;
    if (counts && sizes_differ(flat))
      context_.fail(
          scope.class_inst, e.range,
          fmt::format("this decides during the simulation between {} equations", sizes_of(flat)),
          "give every branch as many equations, also the one behind 'else'");
    into.push_back(std::move(flat));
  }

  // The equations of one branch. False: they have faults, but conditions, all of them parameters,
  // say that the branch is never taken.
  bool flat_branch(const Scope& scope, Slice<const ast::Equation*> equations,
                   const std::vector<const Exp*>& conditions, bool is_parameter, bool is_else,
                   Equations& into) {
    const Restore restore(in_branch_, in_branch_ || !conditions.empty());
    if (!is_parameter || conditions.empty()) {
      body(scope, equations, into);
      return true;
    }
    {
      const Muted muted(context_);
      body(scope, equations, into);
      if (!muted.failed()) return true;
    }
    into.clear();
    for (size_t i = 0; i < conditions.size(); ++i) {
      const auto value = try_evaluate(context_, conditions[i]);
      if (!value) break;
      const bool own = !is_else && i + 1 == conditions.size();
      if (value->truth() != own) return false;
    }
    body(scope, equations, into);
    return true;
  }

  static long total(const Equations& body) {
    long sum = 0;
    for (const FlatEquation& e : body) sum += e.count();
    return sum;
  }

  static bool sizes_differ(const FlatEquation& flat) {
    for (const auto& b : flat.branches)
      if (total(b.body) != total(flat.branches[0].body)) return true;
    return flat.branches.back().condition &&
           total(flat.branches[0].body) > 0;  // no else: none then
  }

  static std::string sizes_of(const FlatEquation& flat) {
    std::string text;
    for (const auto& b : flat.branches)
      text += (text.empty() ? "" : " and ") + std::to_string(total(b.body));
    return flat.branches.back().condition ? text + " and 0" : text;
  }

  // Branches of different size: which one holds must be known now.
  void decide(const Scope& scope, const ast::Equation& e, FlatEquation& flat, Equations& into) {
    for (auto& b : flat.branches) {
      if (b.condition) {
        try {
          if (!evaluate(context_, b.condition).truth()) continue;
        } catch (const CannotEvaluate& reason) {
          context_.fail(
              scope.class_inst, e.range,
              fmt::format("the branches have different numbers of equations, and the condition is "
                          "not known at translation: {}",
                          reason.why));
        }
      }
      for (FlatEquation& one : b.body) into.push_back(std::move(one));
      return;
    }
  }

  void when(const Scope& scope, const ast::Equation& e, Equations& into) {
    FlatEquation flat = make(scope, e, FlatEquation::Kind::when);
    if (in_when_)
      context_.fail(scope.class_inst, e.range, "a when-equation stands inside of another",
                    "use 'and' in one condition, or two when-equations");
    const Restore restore(in_when_);
    for (const ast::Branch& b : e.branches) {
      FlatEquation::Branch branch{type_expression(context_, scope, *b.condition), {}};
      const bool ticks = branch.condition->type.base == Primitive::clock;
      if (ticks && e.branches.size() > 1)
        context_.fail(scope.class_inst, e.range, "a clocked when-equation has no elsewhen");
      if (!ticks && branch.condition->type.base != Primitive::boolean)
        context_.fail(
            scope.class_inst, b.condition->range,
            fmt::format("a condition is Boolean, this is {}", to_string(branch.condition->type)));
      body(scope, b.body, branch.body);
      for (const FlatEquation& inside : branch.body)
        if (!ticks && inside.kind == FlatEquation::Kind::equality &&
            inside.left->kind != ExpKind::tuple && !is_variable(inside.left))
          context_.fail(scope.class_inst, inside.range,
                        "an equation of a when-clause has the form 'variable = expression'");
      flat.branches.push_back(std::move(branch));
    }
    check_branches(scope, e, flat);
    into.push_back(std::move(flat));
  }

  // What one branch of when gives, all give. [Modelica 3.6, section 8.3.5.3]
  void check_branches(const Scope& scope, const ast::Equation& e, const FlatEquation& flat) {
    const std::set<const Component*> first = given_by(flat.branches[0].body);
    for (size_t i = 1; i < flat.branches.size(); ++i) {
      const std::set<const Component*> other = given_by(flat.branches[i].body);
      std::vector<const Component*> lone;
      std::set_symmetric_difference(first.begin(), first.end(), other.begin(), other.end(),
                                    std::back_inserter(lone));
      if (lone.empty()) continue;
      context_.error(scope.class_inst, e.range,
                     fmt::format("{} gets its value in one branch of this when-equation and not in "
                                 "another",
                                 base::quoted(lone[0]->path())),
                     "give it a value in every branch; pre() keeps the one that it has");
    }
  }

  static std::set<const Component*> given_by(const Equations& body) {
    std::set<const Component*> given;
    for (const FlatEquation& e : body) {
      if (e.kind == FlatEquation::Kind::equality) add_given(e.left, given);
      for (const auto& b : e.branches) given.merge(given_by(b.body));
    }
    return given;
  }

  static void add_given(const Exp* e, std::set<const Component*>& given) {
    if (!e) return;
    const bool several =
        e->kind == ExpKind::tuple || e->kind == ExpKind::array || e->kind == ExpKind::record;
    if (e->kind == ExpKind::variable) given.insert(e->variable);
    for (uint32_t i = 0; i < e->args.size() && (several || i == 0); ++i)
      add_given(e->args[i], given);
  }

  struct Restore {  // `flag` has another value for as long as this lives
    explicit Restore(bool& f, bool value = true) : flag(f), before(f) { f = value; }
    ~Restore() { flag = before; }
    Restore(const Restore&) = delete;
    Restore& operator=(const Restore&) = delete;
    bool& flag;
    bool before;
  };

  Context& context_;
  FlatModel& model_;
  Component* origin_ = nullptr;
  bool in_when_ = false, in_initial_ = false, in_branch_ = false, asserted_ = false;
};

}  // namespace

void add_equations(Context& context, FlatModel& model) {
  Flattener flattener(context, model);
  visit_components(context, context.model, [&](Component* c) { flattener.component(c); });
}

}  // namespace couplet::modelica
