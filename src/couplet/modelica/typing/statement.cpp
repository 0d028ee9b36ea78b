// Statements of algorithms. Loops stay loops in functions; in models, where all ranges are known,
// they are unrolled.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

using Kind = Statement::Kind;

class Typer {
 public:
  Typer(Context& context, const Scope& scope) : context_(context), scope_(scope) {}

  void body(Slice<const ast::Equation*> equations, std::vector<const Statement*>& into) {
    for (const ast::Equation* e : equations) statement(*e, into);
  }

 private:
  Slice<const Statement*> block(Slice<const ast::Equation*> equations) {
    std::vector<const Statement*> list;
    body(equations, list);
    return context_.arena.copy(list);
  }

  void add(std::vector<const Statement*>& into, Statement s, const ast::Equation& e) {
    s.text = &e;
    into.push_back(context_.arena.make(s));
  }

  void statement(const ast::Equation& e, std::vector<const Statement*>& into) {
    const Deeper deeper(context_, scope_.class_inst, e.range, "statements");
    switch (e.kind) {
      case ast::EqKind::assign:
        return assign(e, into);
      case ast::EqKind::call: {
        Statement s{.kind = Kind::call};
        s.right = type_expression(context_, scope_, *e.left);
        if (s.right->kind == ExpKind::builtin && s.right->builtin >= Builtin::root &&
            s.right->builtin <= Builtin::branch)
          context_.fail(scope_.class_inst, e.range,
                        fmt::format("{} stands in an algorithm", builtin_name(s.right->builtin)),
                        "the graph of connections belongs to equations");
        return add(into, s, e);
      }
      case ast::EqKind::if_:
        return branches(e, Kind::if_, into);
      case ast::EqKind::when:
        return branches(e, Kind::when, into);
      case ast::EqKind::for_:
        return loop(e, 0, into);
      case ast::EqKind::while_:
        return branches(e, Kind::while_, into);
      case ast::EqKind::break_:
        return add(into, {.kind = Kind::break_}, e);
      case ast::EqKind::return_:
        return add(into, {.kind = Kind::return_}, e);
      default:
        context_.fail(scope_.class_inst, e.range, "this is no statement");
    }
  }

  // Flat text has no record variables: R(r.a, r.b) := f(x) stands for r := f(x).
  bool is_flat_record(const Exp& e) const {
    if (e.kind != ExpKind::record || scope_.function) return false;
    for (const Exp* a : e.args)
      if (a->kind != ExpKind::variable && !is_flat_record(*a)) return false;
    return true;
  }

  void assign(const ast::Equation& e, std::vector<const Statement*>& into) {
    Statement s{.kind = Kind::assign};
    Scope left = scope_;
    left.keep_constants = true;
    s.left = type_expression(context_, left, *e.left);
    s.right = type_expression(context_, scope_, *e.right);
    const bool target = s.left->kind == ExpKind::local || s.left->kind == ExpKind::variable ||
                        s.left->kind == ExpKind::subscript || s.left->kind == ExpKind::field ||
                        s.left->kind == ExpKind::tuple || s.left->kind == ExpKind::array ||
                        is_flat_record(*s.left);
    if (!target) context_.fail(scope_.class_inst, e.left->range, "only variables can be assigned");
    if (s.left->kind == ExpKind::local && s.left->local->direction == ast::Direction::input)
      context_.fail(scope_.class_inst, e.left->range, "an input cannot be assigned");
    if (s.left->kind == ExpKind::tuple && s.right->kind == ExpKind::call && s.right->function &&
        s.left->args.size() > s.right->function->outputs.size())
      context_.fail(scope_.class_inst, e.range,
                    fmt::format("{} has {} results", base::quoted(s.right->function->name),
                                s.right->function->outputs.size()));
    const RecordType* whole = s.left->type.record;
    if (whole && whole->class_inst) {
      const ast::ClassKind kind_of_left = kind_of(whole->class_inst);
      if (kind_of_left == ast::ClassKind::model || kind_of_left == ast::ClassKind::block)
        context_.fail(scope_.class_inst, e.left->range,
                      fmt::format("this is a {}, and only variables can be assigned",
                                  to_string(kind_of_left)));
    }
    if (s.left->kind != ExpKind::tuple)
      s.right = coerce(context_, scope_, s.right, s.left->type, e.range, "the right side");
    add(into, s, e);
  }

  void branches(const ast::Equation& e, Kind kind, std::vector<const Statement*>& into) {
    Statement s{.kind = kind};
    std::vector<Statement::Branch> list;
    std::vector<const Exp*> conditions;
    for (const ast::Branch& b : e.branches) {
      const Exp* condition =
          b.condition ? type_expression(context_, scope_, *b.condition) : nullptr;
      const bool ticks =
          condition && kind == Kind::when && condition->type.base == Primitive::clock;
      if (ticks)
        context_.fail(scope_.class_inst, b.condition->range,
                      "a when-statement of an algorithm cannot follow a clock",
                      "write a when-equation");
      const bool scalar = !condition || condition->type.is_scalar() || kind == Kind::when;
      if (condition && (condition->type.base != Primitive::boolean || !scalar))
        context_.fail(
            scope_.class_inst, b.condition->range,
            fmt::format("a condition is Boolean, this is {}", to_string(condition->type)));
      if (condition) conditions.push_back(condition);
      Slice<const Statement*> inside;
      if (kind != Kind::if_ || !dead(b.body, conditions, !condition, inside))
        list.push_back({condition, inside.empty() ? block(b.body) : inside});
    }
    if (list.empty()) return;
    if (!list[0].condition) {  // nothing but the else is left
      into.insert(into.end(), list[0].body.begin(), list[0].body.end());
      return;
    }
    s.branches = context_.arena.copy(list);
    add(into, s, e);
  }

  // Whether a branch of `if` in a model has faults, and conditions, all of them parameters, say
  // that it is never taken. Otherwise its statements, if it was looked at.
  bool dead(Slice<const ast::Equation*> body, const std::vector<const Exp*>& conditions,
            bool is_else, Slice<const Statement*>& inside) {
    bool known = !scope_.function;
    for (const Exp* c : conditions) known = known && c->variability <= ast::Variability::parameter;
    if (!known) return false;
    {
      const Muted muted(context_);
      try {
        inside = block(body);
        if (!muted.failed()) return false;
      } catch (const Fault&) {
      }
      inside = {};
    }
    for (size_t i = 0; i < conditions.size(); ++i) {
      const auto value = try_evaluate(context_, conditions[i]);
      if (!value) return false;
      const bool own = !is_else && i + 1 == conditions.size();
      if (value->truth() != own) return true;
    }
    return false;
  }

  // for i in 1:2, j in 1:3: the first is the outer one.
  void loop(const ast::Equation& e, uint32_t i, std::vector<const Statement*>& into) {
    if (i == e.iterators.size()) return body(e.branches[0].body, into);
    const ast::Iterator& iterator = e.iterators[i];
    Scope counting = scope_;
    counting.types_count = true;
    const Exp* range = iterator.range ? type_expression(context_, counting, *iterator.range)
                                      : implied(e, iterator);
    const bool known = !scope_.function && !is_left(e.branches[0].body) &&
                       (range->kind == ExpKind::array || try_evaluate(context_, range));
    if (known) {  // in a model: unroll
      for (const Exp* value : iteration_values(context_, scope_, iterator, e.branches[0].body)) {
        context_.count_step(scope_.class_inst, e.range);
        const Binding binding{scope_.bindings, iterator.name, value};
        Scope inside = scope_;
        inside.bindings = &binding;
        Typer(context_, inside).loop(e, i + 1, into);
      }
      return;
    }
    Statement s{.kind = Kind::for_};
    s.right = range;
    if (s.right->type.rank() != 1)
      context_.fail(scope_.class_inst, e.range, "a loop runs over a vector");
    Local local;
    local.name = iterator.name;
    local.type = with_dims(context_, s.right->type, {});
    local.slot = scope_.function ? scope_.function->slots++ : loops_around();
    s.local = context_.arena.make(local);
    Exp ref{.kind = ExpKind::local};
    ref.local = s.local;
    ref.type = local.type;
    ref.variability = ast::Variability::continuous;
    const Binding binding{scope_.bindings, iterator.name, context_.arena.make(ref)};
    Scope inside = scope_;
    inside.bindings = &binding;
    std::vector<const Statement*> list;
    Typer(context_, inside).loop(e, i + 1, list);
    s.branches = context_.arena.copy<Statement::Branch>({{nullptr, context_.arena.copy(list)}});
    add(into, s, e);
  }

  // Whether `break` leaves the loop around `body`.
  static bool is_left(Slice<const ast::Equation*> body) {
    for (const ast::Equation* e : body) {
      if (e->kind == ast::EqKind::break_) return true;
      if (e->kind == ast::EqKind::for_ || e->kind == ast::EqKind::while_) continue;
      for (const ast::Branch& b : e->branches)
        if (is_left(b.body)) return true;
    }
    return false;
  }

  // Loops of a model that stay loops, around this one.
  int loops_around() const {
    int count = 0;
    for (const Binding* b = scope_.bindings; b; b = b->outer)
      count += b->value->kind == ExpKind::local;
    return count;
  }

  const Exp* implied(const ast::Equation& e, const ast::Iterator& iterator) {
    return deduce_range(context_, scope_, iterator, e.branches[0].body);
  }

  Context& context_;
  Scope scope_;
};

}  // namespace

Slice<const Statement*> type_statements(Context& context, const Scope& scope,
                                        Slice<const ast::Equation*> body) {
  std::vector<const Statement*> list;
  Scope inside = scope;
  inside.open_ranges = true;
  Typer(context, inside).body(body, list);
  return context.arena.copy(list);
}

}  // namespace couplet::modelica
