// Units are compared where both sides are known, and differences are warnings: a number without a
// unit fits everything, so what is known only in part is not judged. [Modelica 3.6, chapter 19]
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/flatten/unit.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

struct Known {
  Unit unit;
  std::string text;  // how a person wrote it, when it comes from one variable
};
using Maybe = std::optional<Known>;

class Checker {
 public:
  explicit Checker(Translation& t) : context_(t.context), model_(t.model) {}

  void run() {
    for (const FlatVariable& v : model_.variables) {
      for (const Attribute& a : v.attributes)
        if (a.name.text() == "unit" && a.value->kind == ExpKind::string)
          units_.emplace(v.component, unit_text(std::string(a.value->text)));
    }
    for (const FlatVariable& v : model_.variables) {
      const Component* c = v.component;
      if (!v.binding || !c->scope || !c->scope->def) continue;
      const bool own = c->mod && c->mod->value && c->mod->scope->def;
      source_ = own ? c->mod->scope->def->source : c->scope->def->source;
      range_ = own ? c->mod->range : c->element ? c->element->component->range : Range{};
      const auto found = units_.find(c);
      compare(found == units_.end() ? Maybe() : found->second, of(v.binding),
              [&] { return fmt::format("the value of {}", base::quoted(v.name)); });
    }
    for (const FlatEquation& e : model_.equations) equation(e);
  }

 private:
  static Maybe unit_text(std::string text) {
    const auto unit = parse_unit(text);
    return unit ? Maybe({*unit, std::move(text)}) : Maybe();
  }

  void equation(const FlatEquation& e) {
    for (const auto& b : e.branches)
      for (const FlatEquation& inside : b.body) equation(inside);
    if (e.kind != FlatEquation::Kind::equality || e.left->kind == ExpKind::tuple) return;
    source_ = e.source;
    range_ = e.range;
    compare(of(e.left), of(e.right), [] { return "the right side of this equation"; });
  }

  template <class What>
  void compare(const Maybe& a, const Maybe& b, What what) {
    if (!a || !b || a->unit.same(b->unit) || !source_) return;
    // One place in a class is one mistake, however many instances it has.
    if (!reported_.insert({source_, range_.begin}).second) return;
    const auto name = [](const Known& k) { return k.text.empty() ? "another unit" : k.text; };
    context_.diagnostics.warning(
        source_->locate(range_.begin),
        fmt::format("{} has unit {}, and {} is expected", std::string(what()),
                    base::quoted(name(*b)), base::quoted(name(*a))));
  }

  Maybe of(const Exp* e) {
    if (!e || (e->type.base != Primitive::real && e->type.base != Primitive::integer)) return {};
    const auto found = known_.find(e);
    if (found != known_.end()) return found->second;
    context_.check_stack();
    Maybe unit = find(*e);
    return known_[e] = std::move(unit);
  }

  Maybe find(const Exp& e) {
    switch (e.kind) {
      case ExpKind::variable: {
        const auto found = units_.find(e.variable);
        return found == units_.end() ? Maybe() : found->second;
      }
      case ExpKind::subscript:
        return of(e.args[0]);
      case ExpKind::unary:
        return of(e.args[0]);
      case ExpKind::array: {
        Maybe first = e.args.empty() ? Maybe() : of(e.args[0]);
        for (uint32_t i = 1; first && i < e.args.size(); ++i) {
          const Maybe next = of(e.args[i]);
          if (!next || !next->unit.same(first->unit)) return {};
        }
        return first;
      }
      case ExpKind::if_:
        return same(e.args[1], e.args.back());
      case ExpKind::binary:
        return binary(e);
      case ExpKind::builtin:
        return builtin(e);
      case ExpKind::call:
        return call(e);
      default:
        return {};
    }
  }

  Maybe same(const Exp* a, const Exp* b) {
    const Maybe x = of(a), y = of(b);
    return x ? x : y;
  }

  Maybe binary(const Exp& e) {
    const Maybe a = of(e.args[0]), b = of(e.args[1]);
    switch (e.op) {
      case ast::Op::add:
      case ast::Op::sub:
      case ast::Op::el_add:
      case ast::Op::el_sub:
        compare(a, b, [] { return "the second operand of this sum"; });
        return a ? a : b;
      case ast::Op::mul:
      case ast::Op::el_mul:
        return a && b ? Maybe({a->unit * b->unit, ""}) : Maybe();
      case ast::Op::div:
      case ast::Op::el_div:
        return a && b ? Maybe({a->unit * b->unit.power(-1), ""}) : Maybe();
      case ast::Op::pow:
      case ast::Op::el_pow: {
        const bool number = e.args[1]->kind == ExpKind::integer || e.args[1]->kind == ExpKind::real;
        return a && number && e.args[0]->type.is_scalar()
                   ? Maybe({a->unit.power(e.args[1]->number), ""})
                   : Maybe();
      }
      default:
        return {};
    }
  }

  Maybe builtin(const Exp& e) {
    const Maybe first = e.args.empty() ? Maybe() : of(e.args[0]);
    switch (e.builtin) {
      case Builtin::time:
        return unit_text("s");
      case Builtin::der:
        return first ? Maybe({first->unit * parse_unit("s")->power(-1), ""}) : Maybe();
      case Builtin::sqrt:
        return first ? Maybe({first->unit.power(0.5), ""}) : Maybe();
      case Builtin::abs:
      case Builtin::pre:
      case Builtin::no_event:
      case Builtin::sum:
      case Builtin::transpose:
      case Builtin::vector:
        return first;
      case Builtin::smooth:
        return of(e.args[1]);
      case Builtin::min:
      case Builtin::max:
      case Builtin::homotopy:
        return e.args.size() > 1 ? same(e.args[0], e.args[1]) : first;
      default:
        return {};
    }
  }

  // Units of inputs and outputs, where the class of the function gives them.
  Maybe call(const Exp& e) {
    if (!e.function || e.function->constructs || e.local) return {};
    for (size_t i = 0; i < e.function->inputs.size() && i < e.args.size(); ++i)
      if (e.args[i])
        compare(declared(*e.function->inputs[i]), of(e.args[i]), [&] {
          return fmt::format("input {} of {}", base::quoted(e.function->inputs[i]->name.text()),
                             base::quoted(e.function->name));
        });
    return e.function->outputs.empty() ? Maybe() : declared(*e.function->outputs[0]);
  }

  Maybe declared(const Local& local) {
    const auto found = locals_.find(&local);
    if (found != locals_.end()) return found->second;
    const ClassInst* type = local.declared ? local.declared->primitive_class : nullptr;
    const Mod* mod = type ? find_mod(type->mods, Symbol("unit")) : nullptr;
    const bool given = mod && mod->value && mod->value->kind == ast::ExprKind::string;
    return locals_[&local] = given ? unit_text(std::string(mod->value->text)) : Maybe();
  }

  struct Place {
    const Source* source;
    uint32_t offset;
    bool operator==(const Place&) const = default;
  };
  struct HashPlace {
    size_t operator()(const Place& p) const {
      return std::hash<const void*>()(p.source) * 31 + p.offset;
    }
  };

  Context& context_;
  const FlatModel& model_;
  const Source* source_ = nullptr;
  Range range_;
  std::unordered_map<const Component*, Maybe> units_;
  std::unordered_map<const Exp*, Maybe> known_;
  std::unordered_map<const Local*, Maybe> locals_;
  std::unordered_set<Place, HashPlace> reported_;
};

}  // namespace

void check_units(Translation& t) { Checker(t).run(); }

}  // namespace couplet::modelica
