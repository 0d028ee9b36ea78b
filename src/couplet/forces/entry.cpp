#include "couplet/forces/entry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::forces {

using base::quoted;

// ---- what elements are made from

Expr Binding::expression(std::string_view key) const {
  return element.type->find_key(key) && element.has(key) ? element.expression(key) : Expr(0);
}

std::array<Expr, 3> Binding::expressions(std::string_view key) const {
  return element.has(key) ? element.expressions(key) : std::array<Expr, 3>{0, 0, 0};
}

bool Binding::is_fixed(const Expr& e) const {
  return std::ranges::all_of(symbolic::find_symbols(e), [this](const std::string& name) {
    const std::optional<int> parameter = model.find_parameter(name);
    return parameter && !model.parameters[static_cast<size_t>(*parameter)].hidden;
  });
}

void add_vector(std::vector<Signal>& list, const std::string& name, const char* unit) {
  for (const char* axis : {".x", ".y", ".z"}) list.push_back({name + axis, unit});
}

// ---- the list

const Entry* find_entry(std::string_view name) {
  for (const Entry* each : entries())
    if (name == each->name) return each;
  return nullptr;
}

std::vector<std::string> entry_names() {
  std::vector<std::string> names;
  for (const Entry* each : entries()) names.emplace_back(each->name);
  return names;
}

Element& add_force(model::Model& model, std::string name, std::string_view type,
                   std::initializer_list<std::pair<std::string_view, model::Value>> values,
                   base::SourceLocation where) {
  const Entry* found = find_entry(type);
  if (!found)
    throw base::UserError(
        where, fmt::format("force {}: there is no force element {}", quoted(name), quoted(type)),
        base::suggest(type, entry_names()));
  return model.forces.emplace_back(
      model::make_element(*found, std::move(name), values, std::move(where)));
}

}  // namespace couplet::forces
