// Variables of the flat model as scalars, with what their attributes say.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/modelica/lower/lowering.hpp"

namespace couplet::modelica::lower {

using equations::Kind;
using equations::Select;
using equations::Variable;

void Lowering::mark_assigned(const Exp* target) {
  std::vector<Component*> found;
  find_assigned(target, found);
  for (const Component* c : found) discrete_[c] = true;
}

void Lowering::mark_discrete(const std::vector<FlatEquation>& list) {
  for (const FlatEquation& e : list) {
    if (e.kind == FlatEquation::Kind::when) {
      for (const auto& b : e.branches)
        for (const FlatEquation& one : b.body) {
          if (one.kind == FlatEquation::Kind::equality) mark_assigned(one.left);
          if (one.kind == FlatEquation::Kind::if_)
            for (const auto& inner : one.branches)
              for (const FlatEquation& two : inner.body)
                if (two.kind == FlatEquation::Kind::equality) mark_assigned(two.left);
        }
    }
  }
}

void Lowering::mark_discrete(Slice<const Statement*> body, bool in_when) {
  for (const Statement* s : body) {
    if (in_when && s->kind == Statement::Kind::assign) mark_assigned(s->left);
    for (const auto& b : s->branches)
      mark_discrete(b.body, in_when || s->kind == Statement::Kind::when);
  }
}

namespace {

// 'a.b' and its element i, j: a.b[i,j]
void name_elements(const std::string& name, const Slice<int>& dims, size_t d,
                   const std::string& inside, std::vector<std::string>& into) {
  if (d == dims.size()) {
    into.push_back(inside.empty() ? name : name + "[" + inside + "]");
    return;
  }
  for (int i = 1; i <= dims[d]; ++i)
    name_elements(name, dims, d + 1,
                  inside.empty() ? std::to_string(i) : fmt::format("{},{}", inside, i), into);
}

Val shaped(const std::vector<Expr>& scalars, const Slice<int>& dims, size_t d, size_t& next) {
  if (d == dims.size()) return scalars.at(next++);
  Val v = Val::array({});
  for (int i = 0; i < dims[d]; ++i) v.items.push_back(shaped(scalars, dims, d + 1, next));
  return v;
}

const Exp* attribute(const FlatVariable& v, std::string_view name) {
  for (const Attribute& a : v.attributes)
    if (a.name.text() == name) return a.value;
  return nullptr;
}

}  // namespace

void Lowering::add_variable(const FlatVariable& v) {
  Component* c = v.component;
  const bool real = v.type.base == Primitive::real;
  // What has its value at translation: constants, and parameters that are no Real numbers or have
  // shaped the model.
  if (v.type.base == Primitive::external_object || v.type.base == Primitive::string ||
      v.variability == ast::Variability::constant ||
      (v.variability == ast::Variability::parameter && (!real || c->structural))) {
    const Exp* fixed = attribute(v, "fixed");
    const bool free =
        fixed && !v.binding && is_constant(value(fixed)) && scalar(fixed).is_constant(0);
    if (!free) {
      if (v.variability > ast::Variability::parameter && v.type.base == Primitive::string)
        return;  // Strings are no numbers: nobody sees them
      try {
        if (v.variability == ast::Variability::parameter && !v.binding && !attribute(v, "start") &&
            v.type.base != Primitive::external_object) {
          values_[c] =
              from_value(default_value(context_, v.type, {v.type.dims.begin(), v.type.dims.end()}));
          return;
        }
        if (v.type.base == Primitive::external_object) {
          values_[c] = from_value(v.binding ? evaluate(context_, v.binding) : Value{});
          return;
        }
        values_[c] = from_value(value_of(context_, c));
      } catch (const CannotEvaluate& reason) {
        if (v.type.base == Primitive::string) return;
        throw Refused{
            fmt::format("'{}', which has no value before the simulation: {}", v.name, reason.why),
            {}};
      }
      if (v.type.base == Primitive::external_object || v.type.base == Primitive::string) return;
      // People may look at them.
      std::vector<std::string> names;
      name_elements(v.name, v.type.dims, 0, "", names);
      std::vector<Expr> numbers;
      flatten(values_[c], numbers);
      for (size_t i = 0; i < names.size() && i < numbers.size(); ++i) {
        Variable x;
        x.name = names[i];
        x.kind = Kind::parameter;
        x.real = real;
        x.value = numbers[i];
        x.where = where_;
        const int k = dae_.add(std::move(x));
        dae_.replaced.emplace(dae_.variables[static_cast<size_t>(k)].symbol, numbers[i]);
      }
      return;
    }
  }
  std::vector<std::string> names;
  name_elements(v.name, v.type.dims, 0, "", names);
  std::string unit;
  if (const Exp* u = attribute(v, "unit"))
    if (const auto text = try_evaluate(context_, u)) unit = text->text;
  const auto number = [&](const char* name) -> std::optional<double> {
    const Exp* e = attribute(v, name);
    if (!e) return {};
    const auto found = try_evaluate(context_, e);
    return found && !found->is_array() ? std::optional(found->number) : std::nullopt;
  };
  Select select = Select::normal;
  if (const auto s = number("stateSelect")) select = static_cast<Select>(static_cast<int>(*s) - 1);
  std::vector<double> fixed;
  if (const Exp* f = attribute(v, "fixed"))
    if (const auto found = try_evaluate(context_, f)) {
      std::vector<Expr> all;
      flatten(from_value(*found), all);
      for (const Expr& x : all) fixed.push_back(x.value());
    }
  std::vector<Expr> symbols;
  for (size_t i = 0; i < names.size(); ++i) {
    Variable x;
    x.name = names[i];
    x.unit = unit;
    x.real = real;
    const bool is_freed = this->is_freed(v.name) || this->is_freed(names[i]);
    if (is_freed) freed_.push_back(names[i]);
    x.kind = is_freed                                       ? Kind::continuous
             : v.variability == ast::Variability::parameter ? Kind::parameter
             : !real || v.variability == ast::Variability::discrete || discrete_.contains(c)
                 ? Kind::discrete
                 : Kind::continuous;
    x.select = select;
    x.fixed = fixed.empty() ? x.kind == Kind::parameter
                            : fixed[fixed.size() == names.size() ? i : 0] != 0;
    x.fixed = x.fixed && !is_freed;
    x.is_input = v.direction == ast::Direction::input;
    x.is_output = v.direction == ast::Direction::output;
    x.where = where_;
    const int k = dae_.add(std::move(x));
    symbols.push_back(dae_.variables[static_cast<size_t>(k)].symbol);
  }
  size_t next = 0;
  values_[c] = shaped(symbols, v.type.dims, 0, next);
}

void Lowering::note_used_up(const Exp* e, const std::string& by) {
  if (!e) return;
  if (e->kind == ExpKind::variable) {
    const auto found = values_.find(e->variable->resolve());
    std::vector<Expr> all;
    if (found != values_.end()) flatten(found->second, all);
    for (const Expr& x : all) dae_.used_up.emplace_back(x, by);
  }
  for (const Exp* a : e->args) note_used_up(a, by);
}

// Values, start values and nominal values, which may use any other variable.
void Lowering::bind(const FlatVariable& v) {
  const auto found = values_.find(v.component);
  if (found == values_.end()) return;
  std::vector<Expr> symbols;
  flatten(found->second, symbols);
  if (symbols.empty() || dae_.find(symbols[0]) < 0) return;
  const auto spread = [&](const Exp* e, auto put) {
    std::vector<Expr> numbers;
    flatten(value(e), numbers);
    for (size_t i = 0; i < symbols.size() && !numbers.empty(); ++i) {
      const int k = dae_.find(symbols[i]);
      if (k >= 0)
        put(dae_.variables[static_cast<size_t>(k)],
            numbers[numbers.size() == symbols.size() ? i : 0]);
    }
  };
  if (const Exp* e = attribute(v, "start"))
    spread(e, [](Variable& x, const Expr& n) { x.start = n; });
  if (const Exp* e = attribute(v, "nominal"))
    spread(e, [](Variable& x, const Expr& n) { x.nominal = n; });
  if (!v.binding) return;
  if (is_freed(v.name)) {  // its value is where the search begins
    spread(v.binding, [](Variable& x, const Expr& n) { x.start = n; });
    return;
  }
  if (v.variability == ast::Variability::parameter) {
    try {
      spread(v.binding, [](Variable& x, const Expr& n) { x.value = n; });
    } catch (const Refused&) {  // what functions give that cannot be inlined: the number it is now
      const Val now = from_value(value_of(context_, v.component));
      std::vector<Expr> numbers;
      flatten(now, numbers);
      for (size_t i = 0; i < symbols.size() && i < numbers.size(); ++i)
        dae_.variables[static_cast<size_t>(dae_.find(symbols[i]))].value = numbers[i];
      note_used_up(v.binding, v.name);
    }
    return;
  }
  if (v.direction == ast::Direction::input) return;
  std::vector<Expr> numbers;
  flatten(value(v.binding), numbers);
  if (numbers.size() != symbols.size())
    throw Refused{fmt::format("the value of '{}', whose size differs", v.name), {}};
  for (size_t i = 0; i < symbols.size(); ++i) add_residual(symbols[i] - numbers[i], dae_.equations);
}

void Lowering::variables() {
  mark_discrete(model_.equations);
  for (const FlatAlgorithm& a : model_.algorithms) mark_discrete(a.body, false);
  const auto each_one = [&](auto work) {
    for (const FlatVariable& v : model_.variables) {
      const Component* c = v.component;
      const Source* source = c->scope && c->scope->def ? c->scope->def->source : nullptr;
      guarded(source, c->element ? c->element->component->range : Range{}, [&] { work(v); });
    }
  };
  each_one([&](const FlatVariable& v) { add_variable(v); });
  each_one([&](const FlatVariable& v) { bind(v); });
  each_one([&](const FlatVariable&
                   v) {  // inputs of the model itself have the value that they start with
    if (v.direction != ast::Direction::input || v.variability <= ast::Variability::parameter)
      return;
    std::vector<Expr> symbols;
    flatten(values_[v.component], symbols);
    for (const Expr& s : symbols) {
      Variable& x = dae_.variables[static_cast<size_t>(dae_.find(s))];
      if (std::ranges::find(freed_, x.name) != freed_.end()) continue;
      x.kind = Kind::parameter;
      x.fixed = true;
      if (v.binding) continue;
      x.value = x.start ? *x.start : Expr(0);
    }
  });
  free_dependents();
}

}  // namespace couplet::modelica::lower
