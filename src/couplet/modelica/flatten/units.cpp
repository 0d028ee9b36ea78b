// Units are compared where both sides are known, and differences are warnings: a number without a
// unit fits everything, so what is known only in part is not judged. [Modelica 3.6, chapter 19]
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/memo.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/flatten/unit.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

// Units by number, so that an expression carries an int. [0, size) are known, -1 is not.
class UnitTable {
 public:
  static constexpr int unknown = -1;

  int find(std::string_view text) {
    const auto [place, added] = by_text_.emplace(std::string(text), unknown);
    if (!added) return place->second;
    if (const auto unit = parse_unit(text)) place->second = add(*unit, std::string(text));
    return place->second;
  }
  int product(int a, int b, double power) {  // a * b^power
    if (a == unknown || b == unknown) return unknown;
    const auto [place, added] = products_.emplace(std::tuple(a, b, power), unknown);
    if (added) place->second = add(units_[at(a)].unit * units_[at(b)].unit.power(power), "");
    return place->second;
  }
  bool differ(int a, int b) const {
    return a != unknown && b != unknown && a != b && !units_[at(a)].unit.same(units_[at(b)].unit);
  }
  std::string name(int unit) const {
    const std::string& text = units_[at(unit)].text;
    return text.empty() ? "another unit" : text;
  }

 private:
  struct Known {
    Unit unit;
    std::string text;  // how a person wrote it; empty for products
  };
  static size_t at(int i) { return static_cast<size_t>(i); }
  int add(const Unit& unit, std::string text) {
    units_.push_back({unit, std::move(text)});
    return static_cast<int>(units_.size()) - 1;
  }
  std::vector<Known> units_;
  std::map<std::string, int, std::less<>> by_text_;
  std::map<std::tuple<int, int, double>, int> products_;
};

class Checker {
 public:
  explicit Checker(Translation& t) : context_(t.context), model_(t.model) {}

  void run() {
    for (const FlatVariable& v : model_.variables) {
      int& unit = units_.emplace_back(unknown);
      for (const Attribute& a : v.attributes)
        if (a.name == unit_name_ && a.value->kind == ExpKind::string)
          unit = table_.find(a.value->text);
    }
    for (const FlatVariable& v : model_.variables) {
      const Component* c = v.component;
      if (!v.binding || !c->scope || !c->scope->def) continue;
      const bool own = c->mod && c->mod->value && c->mod->scope->def;
      source_ = own ? c->mod->scope->def->source : c->scope->def->source;
      range_ = own ? c->mod->range : c->element ? c->element->component->range : Range{};
      compare(of_component(c), of(v.binding),
              [&] { return fmt::format("the value of {}", base::quoted(v.name)); });
    }
    for (const FlatEquation& e : model_.equations) equation(e);
  }

 private:
  static constexpr int unknown = UnitTable::unknown;

  int of_component(const Component* c) const {
    return c->flat >= 0 ? units_[static_cast<size_t>(c->flat)] : unknown;
  }

  void equation(const FlatEquation& e) {
    for (const auto& b : e.branches)
      for (const FlatEquation& inside : b.body) equation(inside);
    if (e.kind != FlatEquation::Kind::equality || e.left->kind == ExpKind::tuple) return;
    source_ = e.source;
    range_ = e.range;
    known_.forget();
    compare(of(e.left), of(e.right), [] { return "the right side of this equation"; });
  }

  template <class What>
  void compare(int a, int b, What what) {
    if (!table_.differ(a, b) || !source_) return;
    // One place in a class is one mistake, however many instances it has.
    if (!reported_.insert({source_, range_.begin}).second) return;
    context_.diagnostics.warning(
        source_->locate(range_.begin),
        fmt::format("{} has unit {}, and {} is expected", std::string(what()),
                    base::quoted(table_.name(b)), base::quoted(table_.name(a))));
  }

  int of(const Exp* e) {
    if (!e || (e->type.base != Primitive::real && e->type.base != Primitive::integer))
      return unknown;
    if (e->kind == ExpKind::variable) return of_component(e->variable);
    if (e->args.empty() && e->kind != ExpKind::builtin) return unknown;
    if (const int* found = known_.find(e)) return *found;
    context_.check_stack();
    return known_.keep(e, find(*e));
  }

  int find(const Exp& e) {
    switch (e.kind) {
      case ExpKind::subscript:
      case ExpKind::unary:
        return of(e.args[0]);
      case ExpKind::array: {
        const int first = of(e.args[0]);
        for (const Exp* a : e.args)
          if (of(a) == unknown || table_.differ(first, of(a))) return unknown;
        return first;
      }
      case ExpKind::if_:
        return either(of(e.args[1]), of(e.args.back()));
      case ExpKind::binary:
        return binary(e);
      case ExpKind::builtin:
        return builtin(e);
      case ExpKind::call:
        return call(e);
      default:
        return unknown;
    }
  }

  static int either(int a, int b) { return a != unknown ? a : b; }

  int binary(const Exp& e) {
    const int a = of(e.args[0]), b = of(e.args[1]);
    switch (e.op) {
      case ast::Op::add:
      case ast::Op::sub:
      case ast::Op::el_add:
      case ast::Op::el_sub:
        compare(a, b, [] { return "the second operand of this sum"; });
        return either(a, b);
      case ast::Op::mul:
      case ast::Op::el_mul:
        return table_.product(a, b, 1);
      case ast::Op::div:
      case ast::Op::el_div:
        return table_.product(a, b, -1);
      case ast::Op::pow:
      case ast::Op::el_pow: {
        const bool number = e.args[1]->kind == ExpKind::integer || e.args[1]->kind == ExpKind::real;
        return number && e.args[0]->type.is_scalar()
                   ? table_.product(table_.find("1"), a, e.args[1]->number)
                   : unknown;
      }
      default:
        return unknown;
    }
  }

  int builtin(const Exp& e) {
    const int first = e.args.empty() ? unknown : of(e.args[0]);
    switch (e.builtin) {
      case Builtin::time:
        return table_.find("s");
      case Builtin::der:
        return table_.product(first, table_.find("s"), -1);
      case Builtin::sqrt:
        return table_.product(table_.find("1"), first, 0.5);
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
        return e.args.size() > 1 ? either(first, of(e.args[1])) : first;
      default:
        return unknown;
    }
  }

  // Units of inputs and outputs, where the class of the function gives them.
  int call(const Exp& e) {
    if (!e.function || e.function->constructs || e.local) return unknown;
    for (size_t i = 0; i < e.function->inputs.size() && i < e.args.size(); ++i)
      if (e.args[i])
        compare(declared(*e.function->inputs[i]), of(e.args[i]), [&] {
          return fmt::format("input {} of {}", base::quoted(e.function->inputs[i]->name.text()),
                             base::quoted(e.function->name));
        });
    return e.function->outputs.empty() ? unknown : declared(*e.function->outputs[0]);
  }

  int declared(const Local& local) {
    const auto found = locals_.find(&local);
    if (found != locals_.end()) return found->second;
    const ClassInst* type = local.declared ? local.declared->primitive_class : nullptr;
    const Mod* mod = type ? find_mod(type->mods, unit_name_) : nullptr;
    const bool given = mod && mod->value && mod->value->kind == ast::ExprKind::string;
    return locals_[&local] = given ? table_.find(mod->value->text) : unknown;
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
  UnitTable table_;
  std::vector<int> units_;  // by flat variable
  const Symbol unit_name_{"unit"};
  std::unordered_map<const Local*, int> locals_;
  Memo<int> known_;
  std::unordered_set<Place, HashPlace> reported_;
};

}  // namespace

void check_units(Translation& t) { Checker(t).run(); }

}  // namespace couplet::modelica
