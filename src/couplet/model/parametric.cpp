#include "couplet/model/parametric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/model/split.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::model {
namespace {

using base::quoted;

using Places = std::unordered_map<std::string, size_t>;

Places index_parameters(const Model& model) {
  Places places;
  for (size_t i = 0; i < model.parameters.size(); ++i)
    places.emplace(Expr::symbol(model.parameters[i].name).name(), i);
  return places;
}

std::vector<size_t> find_parameters(std::span<const Expr> values, const Places& places) {
  std::vector<size_t> found;
  for (const std::string& symbol : symbolic::find_symbols(values)) {
    const auto at = places.find(symbol);
    base::ensure(at != places.end(), "derived numbers depend on parameters only");
    found.push_back(at->second);
  }
  return found;
}

std::vector<std::string> names_of(const std::vector<size_t>& parameters, const Model& model) {
  std::vector<std::string> names;
  for (const size_t i : parameters) names.push_back(model.parameters[i].name);
  return names;
}

// Those of the expressions behind a key.
std::vector<std::string> find_symbols(const Value& value) {
  if (const Expr* one = std::get_if<Expr>(&value)) return symbolic::find_symbols(*one);
  if (const auto* three = std::get_if<std::array<Expr, 3>>(&value))
    return symbolic::find_symbols(*three);
  return {};
}

// Definitions after those that they use; the reader has refused circles.
std::vector<size_t> order_definitions(const Model& model, const Places& places) {
  std::vector<size_t> order;
  std::vector<char> seen(model.parameters.size(), 0);
  const auto visit = [&](size_t i, const auto& self) -> void {
    if (seen[i] || !model.parameters[i].definition) return;
    seen[i] = 1;
    for (const size_t k : find_parameters(std::span(&*model.parameters[i].definition, 1), places))
      self(k, self);
    order.push_back(i);
  };
  for (size_t i = 0; i < model.parameters.size(); ++i) visit(i, visit);
  return order;
}

void check_element(const Model& model, const Derived& derived, base::Diagnostics& diagnostics) {
  const bool is_force = derived.kind == Derived::Kind::force;
  const Element& element =
      (is_force ? model.forces : model.constraints)[static_cast<size_t>(derived.element)];
  if (const std::optional<Fault> fault = element.type->find_fault(model, element))
    diagnostics.error(derived.where,
                      fmt::format("{} {} {}", is_force ? "force" : "constraint",
                                  quoted(element.name), fault->what),
                      fault->fix);
}

}  // namespace

std::vector<const Derived*> find_dependents(const Model& model, std::string_view parameter) {
  const std::string symbol = Expr::symbol(parameter).name();
  std::vector<const Derived*> found;
  for (const Derived& derived : model.derived) {
    const std::vector<std::string> symbols = symbolic::find_symbols(derived.inputs);
    if (std::ranges::find(symbols, symbol) != symbols.end()) found.push_back(&derived);
  }
  return found;
}

std::optional<SourceLocation> find_unswitchable(const Model& model, std::string_view parameter) {
  if (const std::optional<int> index = model.find_parameter(parameter)) {
    const SourceLocation& fixed_by = model.parameters[static_cast<size_t>(*index)].fixed_by;
    if (fixed_by.file || fixed_by.line > 0) return fixed_by;
  }
  using enum Derived::Kind;
  for (const Derived* derived : find_dependents(model, parameter))
    if (derived->kind == limits || derived->kind == constraint || derived->kind == force)
      return derived->where;
  const std::string symbol = Expr::symbol(parameter).name();
  for (const Element& element : model.constraints)
    for (const Key& key : element.type->keys) {
      const std::vector<std::string> used = find_symbols(element.value(key.name));
      if (std::ranges::find(used, symbol) != used.end()) return element.place(key.name);
    }
  return std::nullopt;
}

ParametricMechanism::Formula::Formula(std::span<const Expr> values, const Model& model,
                                      const Places& places)
    : parameters(find_parameters(values, places)),
      tape(values, names_of(parameters, model)),
      inputs(parameters.size()),
      outputs(values.size()),
      registers(tape.register_count()) {}

const std::vector<double>& ParametricMechanism::Formula::calc(std::span<const double> all) {
  for (size_t k = 0; k < parameters.size(); ++k) inputs[k] = all[parameters[k]];
  tape.evaluate(inputs, outputs, registers);
  return outputs;
}

ParametricMechanism::ParametricMechanism(const Mechanism& mechanism) : numbers_(mechanism) {
  auto copy = std::make_shared<Mechanism>(mechanism);
  auto model = std::make_shared<Model>(*mechanism.model);
  copy->model = model;
  changing_ = copy.get();
  model_ = model.get();
  mechanism_ = std::move(copy);
  for (const Parameter& parameter : model_->parameters) values_.push_back(parameter.value);
  is_own_.assign(values_.size(), 0);
  const Places places = index_parameters(*model_);
  for (const size_t i : order_definitions(*model_, places))
    definitions_.emplace_back(
        i, Formula(std::span(&*model_->parameters[i].definition, 1), *model_, places));
  for (const Derived& derived : model_->derived)
    parts_.push_back({Formula(derived.inputs, *model_, places)});
  for (const Body& body : model_->bodies) massless_.push_back(body.mass.mass == 0);
  halves_.assign(model_->bodies.size(), 1);
  for (const Body& body : model_->bodies)
    if (body.half_of >= 0) ++halves_[body.half_of];
}

bool ParametricMechanism::set(std::string_view parameter, double value) {
  const std::optional<int> index = model_->find_parameter(parameter);
  if (!index) {
    std::vector<std::string> names;
    for (const Parameter& p : model_->parameters) names.push_back(p.name);
    throw base::UserError({}, "the model has no parameter " + quoted(parameter),
                          base::suggest(parameter, names));
  }
  const Change change{static_cast<size_t>(*index), value};
  return set(std::span(&change, 1));
}

void ParametricMechanism::check_free(size_t i) const {
  const Parameter& parameter = model_->parameters[i];
  if (parameter.fixed_by.file || parameter.fixed_by.line > 0)
    throw base::UserError(
        parameter.where,
        fmt::format("parameter {} cannot change in a compiled model: {} uses it as a number",
                    quoted(parameter.name), parameter.fixed_by.str()),
        "read the model again with the new value");
}

bool ParametricMechanism::set(std::span<const Change> changes) {
  const std::vector<double> old_values = values_;
  const std::vector<char> old_own = is_own_;
  std::vector<char> changed(values_.size(), 0);
  for (const Change& change : changes) {
    if (!std::isfinite(change.value))
      throw base::UserError(
          model_->parameters[change.parameter].where,
          fmt::format("parameter {} cannot be {}",
                      quoted(model_->parameters[change.parameter].name), change.value),
          "give a finite number");
    is_own_[change.parameter] = 1;
    changed[change.parameter] |= values_[change.parameter] != change.value;
    values_[change.parameter] = change.value;
  }
  follow(changed);
  find_due(changed);
  const bool any = std::ranges::any_of(parts_, &Part::is_due);
  try {
    for (size_t i = 0; i < changed.size(); ++i)
      if (changed[i]) check_free(i);
    apply_due();
    check_structure();
  } catch (...) {
    values_ = old_values;
    is_own_ = old_own;
    apply_due();
    throw;
  }
  for (size_t i = 0; i < values_.size(); ++i) model_->parameters[i].value = values_[i];
  if (any) numbers_.calc(*changing_);
  return any;
}

void ParametricMechanism::follow(std::vector<char>& changed) {
  for (auto& [index, formula] : definitions_) {
    const bool is_due =
        std::ranges::any_of(formula.parameters, [&](size_t i) { return changed[i]; });
    if (!is_due || is_own_[index]) continue;
    const double value = formula.calc(values_)[0];
    changed[index] |= values_[index] != value;
    values_[index] = value;
  }
}

// What depends on changed parameters, or is placed on a point that does.
void ParametricMechanism::find_due(const std::vector<char>& changed) {
  std::vector<char> moved(model_->points.size(), 0);
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Derived& derived = model_->derived[k];
    parts_[k].is_due =
        std::ranges::any_of(parts_[k].formula.parameters, [&](size_t i) { return changed[i]; }) ||
        (derived.base_point >= 0 && moved[derived.base_point]);
    if (parts_[k].is_due && derived.kind == Derived::Kind::point) moved[derived.element] = 1;
  }
}

void ParametricMechanism::apply_due() {
  for (size_t k = 0; k < parts_.size(); ++k)
    if (parts_[k].is_due) model_->derived[k].apply(parts_[k].formula.calc(values_), *model_);
  share_halves();
}

// As split_bodies() has shared the masses, and copied the ends of joints.
void ParametricMechanism::share_halves() {
  const bool has_halves = std::ranges::any_of(halves_, [](int n) { return n > 1; });
  if (!has_halves) return;
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Derived& derived = model_->derived[k];
    if (!parts_[k].is_due || derived.kind != Derived::Kind::mass || halves_[derived.element] == 1)
      continue;
    const MassProperties share =
        share_of(model_->bodies[derived.element].mass, halves_[derived.element]);
    for (size_t b = 0; b < model_->bodies.size(); ++b)
      if (static_cast<int>(b) == derived.element || model_->bodies[b].half_of == derived.element)
        model_->bodies[b].mass = share;
  }
  for (Joint& weld : model_->joints) {
    if (weld.split_for < 0) continue;
    model_->points[weld.to].X_BP = model_->points[weld.from].X_BP;
    weld.R_axes = model_->joints[weld.split_for].R_axes;
  }
}

void ParametricMechanism::check_structure() const {
  base::Diagnostics diagnostics;
  for (size_t k = 0; k < parts_.size(); ++k) {
    if (!parts_[k].is_due) continue;
    const Derived& derived = model_->derived[k];
    if (derived.kind == Derived::Kind::mass) {
      const Body& body = model_->bodies[derived.element];
      check_body(body, Strictness::strict, diagnostics);
      if ((body.mass.mass == 0) != static_cast<bool>(massless_[derived.element]))
        diagnostics.error(
            derived.where,
            fmt::format("body {} {} its mass: that changes the structure of the model",
                        quoted(body.name), body.mass.mass == 0 ? "loses" : "gets"),
            "read the model again with the new value");
    }
    if (derived.kind == Derived::Kind::constraint || derived.kind == Derived::Kind::force)
      check_element(*model_, derived, diagnostics);
    if (derived.kind == Derived::Kind::axes) {
      const Joint& joint = model_->joints[derived.element];
      const int slot = changing_->joint_slot[derived.element];
      if (!info(joint.type).has_pitch || slot < 0) continue;
      const LinkKind kind = changing_->links[changing_->joints[slot].link].kind;
      if ((joint.pitch == 0) != (kind == LinkKind::revolute))
        diagnostics.error(derived.where,
                          fmt::format("joint {} {} its pitch: that changes the structure of the "
                                      "model",
                                      quoted(joint.name), joint.pitch == 0 ? "loses" : "gets"),
                          "read the model again with the new value");
    }
  }
  diagnostics.check();
}

}  // namespace couplet::model
