// Variability: nothing changes more often than its declaration says. [Modelica 3.6, section 3.8]
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/memo.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

using ast::Variability;

const char* name_of(Variability v) {
  constexpr const char* names[] = {"constant", "a parameter", "discrete-time", "continuous"};
  return names[static_cast<int>(v)];
}

bool is_relation(ast::Op op) { return op >= ast::Op::less && op <= ast::Op::not_equal; }

class Checker {
 public:
  explicit Checker(Translation& t) : context_(t.context), model_(t.model) {}

  void run() {
    for (const FlatEquation& e : model_.equations) find_stepping(e, false);
    for (const FlatAlgorithm& a : model_.algorithms) find_stepping(a.body, false);
    for (const FlatVariable& v : model_.variables) variable(v);
    for (const FlatEquation& e : model_.equations) equation(e, false);
    for (const FlatAlgorithm& a : model_.algorithms)
      if (!a.initial) statements(a, a.body, false);
  }

 private:
  // ---- which Real variables only change at events: those that a when-clause assigns
  void assigned(const Exp* target) {
    if (!target) return;
    if (target->kind == ExpKind::variable) stepping_.insert(target->variable);
    const bool opens = target->kind == ExpKind::tuple || target->kind == ExpKind::array;
    for (uint32_t i = 0; i < target->args.size() && (opens || i == 0); ++i)
      assigned(target->args[i]);
  }

  void find_stepping(const FlatEquation& e, bool in_when) {
    if (in_when && e.kind == FlatEquation::Kind::equality) assigned(e.left);
    for (const auto& b : e.branches)
      for (const FlatEquation& inside : b.body)
        find_stepping(inside, in_when || e.kind == FlatEquation::Kind::when);
  }

  void find_stepping(Slice<const Statement*> body, bool in_when) {
    for (const Statement* s : body) {
      if (in_when && s->kind == Statement::Kind::assign) assigned(s->left);
      for (const auto& b : s->branches)
        find_stepping(b.body, in_when || s->kind == Statement::Kind::when);
    }
  }

  // ---- variability of expressions; inside noEvent relations do not make events
  Variability of(const Exp* e, bool events = true) {
    if (!e) return Variability::constant;
    if (e->args.empty()) return find(*e, events);
    auto& known = events ? known_ : known_without_events_;
    if (const Variability* found = known.find(e)) return *found;
    context_.check_stack();
    return known.keep(e, find(*e, events));
  }

  Variability most(const Exp& e, bool events) {
    Variability v = Variability::constant;
    for (const Exp* a : e.args) v = std::max(v, of(a, events));
    return v;
  }

  // Whether the function only gives a field of its input: flat models are written with such ones.
  bool gives_field(const Exp& e) {
    const Function* f = e.function;
    const bool may = f && !e.local && f->inputs.size() == 1 && f->outputs.size() == 1 &&
                     f->inputs[0]->type.record && f->outputs[0]->type.base != Primitive::real;
    if (!may) return false;
    try {
      type_body(context_, const_cast<Function&>(*f));
    } catch (const Fault&) {
      return false;
    }
    if (f->body.size() != 1 || f->body[0]->kind != Statement::Kind::assign) return false;
    const Exp* right = f->body[0]->right;
    return right->kind == ExpKind::field && right->args[0]->kind == ExpKind::local;
  }

  Variability find(const Exp& e, bool events) {
    if (e.kind == ExpKind::variable) return of_variable(e);
    if (e.kind == ExpKind::local) return Variability::constant;  // an iterator
    const Variability inside = most(e, events);
    if (e.kind == ExpKind::binary && is_relation(e.op) && events)
      return std::min(inside, Variability::discrete);
    // An Integer in a record that a function makes, e.g. the phase of a medium, steps by itself.
    const bool is_field = e.kind == ExpKind::field || (e.kind == ExpKind::call && gives_field(e));
    if (is_field && e.type.base != Primitive::real && !e.type.record)
      return std::min(inside, Variability::discrete);
    if (e.kind != ExpKind::builtin) return inside;
    switch (e.builtin) {
      case Builtin::time:
      case Builtin::delay:
      case Builtin::spatial_distribution:
        return Variability::continuous;
      case Builtin::der:
        return inside <= Variability::parameter ? inside : Variability::continuous;
      case Builtin::pre:
      case Builtin::edge:
      case Builtin::change:
      case Builtin::sample:
      case Builtin::initial:
      case Builtin::terminal:
      case Builtin::clock_of:
      case Builtin::hold:
      case Builtin::previous:
      case Builtin::sub_sample:
      case Builtin::super_sample:
      case Builtin::shift_sample:
      case Builtin::back_sample:
      case Builtin::no_clock:
      case Builtin::interval:
      case Builtin::first_tick:
        return Variability::discrete;
      case Builtin::no_event:
        return most(e, false);
      case Builtin::ceil:
      case Builtin::floor:
      case Builtin::div:
      case Builtin::sign:  // by the letter continuous, but Integers are bound to it in practice
      case Builtin::integer:
        return events ? std::min(inside, Variability::discrete) : inside;
      case Builtin::size:
      case Builtin::ndims:
        return Variability::constant;
      default:
        return inside;
    }
  }

  Variability of_variable(const Exp& e) {
    const Component* c = e.variable;
    Variability v = c->variability;
    if (e.type.base != Primitive::real && e.type.base != Primitive::none)
      v = std::min(v, Variability::discrete);
    if (stepping_.count(c)) v = std::min(v, Variability::discrete);
    if (!e.type.record) return v;
    Variability fields = Variability::constant;  // a record varies as its fields do
    for (const Component* child : children(context_, const_cast<Component*>(c))) {
      const bool is_real = child->type && child->type->primitive == Primitive::real;
      fields = std::max(fields, is_real ? child->variability
                                        : std::min(child->variability, Variability::discrete));
    }
    return std::min(v, fields);
  }

  // ---- what must hold
  void variable(const FlatVariable& v) {
    if (!v.binding) return;
    known_.forget();
    known_without_events_.forget();
    checked_.forget();
    // An external object is made once: its constructor may be impure. [section 12.9.7]
    const bool steps =
        v.variability > Variability::parameter && v.type.base != Primitive::external_object;
    if (steps && v.component->scope && v.component->scope->def)
      check_calls(v.component->scope->def->source,
                  v.component->element ? v.component->element->component->range : Range{},
                  v.binding);
    const Variability have = of(v.binding);
    Variability want = v.variability;
    if (stepping_.count(v.component)) want = std::min(want, Variability::discrete);
    if (have <= want) return;
    const Component* c = v.component;
    const bool own = c->mod && c->mod->value;
    context_.error(own ? c->mod->scope : c->scope,
                   own          ? c->mod->range
                   : c->element ? c->element->component->range
                                : Range{},
                   fmt::format("{} is {}, and its value is {}", base::quoted(v.name), name_of(want),
                               name_of(have)),
                   "what is fixed before the simulation cannot follow what changes during it");
  }

  // pre, edge and change need values that step; impure functions run at events only.
  // [Modelica 3.6, sections 3.7.5 and 12.3]
  const char* find_fault(const Exp* e) {
    if (!e) return nullptr;
    if (e->kind == ExpKind::call && e->function && e->function->purity == Purity::impure)
      return "an impure function is called outside of a when-clause";
    if (e->kind == ExpKind::builtin && e->builtin == Builtin::pure_) return nullptr;
    const bool steps =
        e->kind == ExpKind::builtin && (e->builtin == Builtin::pre || e->builtin == Builtin::edge ||
                                        e->builtin == Builtin::change);
    if (steps && of(e->args[0]) > Variability::discrete)
      return "pre, edge and change take what steps at events, and this is continuous";
    if (e->args.empty() || checked_.find(e)) return nullptr;
    checked_.keep(e, true);
    context_.check_stack();
    for (const Exp* a : e->args)
      if (const char* fault = find_fault(a)) return fault;
    return nullptr;
  }

  void check_calls(const Source* source, Range range, const Exp* e) {
    const char* fault = find_fault(e);
    if (fault && source)
      report(context_.diagnostics, *source, range, fault, "use it inside of a when-clause");
  }

  void equation(const FlatEquation& e, bool in_when) {
    known_.forget();
    known_without_events_.forget();
    checked_.forget();
    if (!in_when && e.kind == FlatEquation::Kind::equality) {
      check_calls(e.source, e.range, e.left);
      check_calls(e.source, e.range, e.right);
    }
    for (const auto& b : e.branches) {
      const bool is_when = e.kind == FlatEquation::Kind::when;
      if (is_when && b.condition) condition(*e.source, e.range, b.condition);
      for (const FlatEquation& inside : b.body) equation(inside, in_when || is_when);
    }
    if (e.kind != FlatEquation::Kind::equality || in_when) return;
    for (const auto& [side, other] : {std::pair{e.left, e.right}, std::pair{e.right, e.left}})
      if (is_discrete(*side) && e.source && !stepping_.count(side->variable) &&
          of(other) > Variability::discrete)
        report(context_.diagnostics, *e.source, e.range,
               fmt::format("{} is discrete-time and gets a continuous value",
                           base::quoted(side->variable->path())),
               "assign it in a when-clause, or drop 'discrete'");
    const auto is_real = [](const Type& t) { return t.base == Primitive::real || t.record; };
    if (is_real(e.left->type) || is_real(e.right->type) || e.left->kind == ExpKind::tuple ||
        !e.source)
      return;
    for (const Exp* side : {e.left, e.right})
      if (of(side) > Variability::discrete)
        report(context_.diagnostics, *e.source, e.range,
               fmt::format("{} values change at events only, and this side is continuous",
                           to_string(side->type)),
               "take it out of noEvent, or compare and round at events");
  }

  // discrete Real x, which no when-clause assigns
  static bool is_discrete(const Exp& e) {
    return e.kind == ExpKind::variable && e.type.base == Primitive::real &&
           e.variable->variability == Variability::discrete && e.variable->element &&
           e.variable->element->component->variability == Variability::discrete;
  }

  void condition(const Source& source, Range range, const Exp* e) {
    if (const char* fault = find_fault(e))
      report(context_.diagnostics, source, range, fault, "compare what steps, or use initial()");
    if (of(e) > Variability::discrete)
      report(context_.diagnostics, source, range,
             "the condition of a when-clause is continuous: no event makes it true",
             "take it out of noEvent");
  }

  void statements(const FlatAlgorithm& a, Slice<const Statement*> body, bool in_when) {
    for (const Statement* s : body) {
      const bool is_when = s->kind == Statement::Kind::when;
      for (const auto& b : s->branches) {
        if (is_when && b.condition) condition(*a.source, s->text->range, b.condition);
        statements(a, b.body, in_when || is_when);
      }
      if (s->kind == Statement::Kind::assign && s->left) target(a, *s, in_when);
    }
  }

  void target(const FlatAlgorithm& a, const Statement& s, bool in_when) {
    const Exp* e = s.left;
    while (e->kind == ExpKind::subscript || e->kind == ExpKind::field) e = e->args[0];
    if (e->kind != ExpKind::variable) return;
    const Component* c = e->variable;
    if (c->variability <= Variability::parameter) {
      report(context_.diagnostics, *a.source, s.text->range,
             fmt::format("{} is {} and cannot be assigned", base::quoted(c->path()),
                         name_of(c->variability)),
             "drop its prefix, or bind it where it is declared");
      return;
    }
    const bool steps =
        c->variability == Variability::discrete || s.left->type.base != Primitive::real;
    if (in_when || !steps || s.left->type.record || of(s.right) <= Variability::discrete) return;
    report(context_.diagnostics, *a.source, s.text->range,
           fmt::format("{} changes at events only, and the right side is continuous",
                       base::quoted(c->path())),
           "assign it in a when-clause");
  }

  Context& context_;
  const FlatModel& model_;
  std::unordered_set<const Component*> stepping_;
  Memo<Variability> known_, known_without_events_;
  Memo<bool> checked_;
};

}  // namespace

void check_variability(Translation& t) { Checker(t).run(); }

}  // namespace couplet::modelica
