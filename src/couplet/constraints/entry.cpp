#include "couplet/constraints/entry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::constraints {
namespace {

using base::quoted;

void check_symbols(std::span<const Expr> all, std::span<const std::string> allowed,
                   const Element& owner, const char* what) {
  for (const Expr& e : all)
    for (const std::string& name : symbolic::find_symbols(e))
      if (std::ranges::find(allowed, name) == allowed.end())
        throw base::UserError(owner.where,
                              fmt::format("constraint {} uses {}, which is not {}",
                                          quoted(owner.name), quoted(name), what),
                              base::suggest(name, {allowed.begin(), allowed.end()}));
}

}  // namespace

SmallTape Binding::over_time(std::span<const Expr> e) const {
  check_symbols(e, names, element, "the time t or a parameter");
  return SmallTape(with_derivatives(e, Expr::symbol("t")), names);
}

SmallTape Binding::over(const Expr& s, std::span<const Expr> e) const {
  std::vector<std::string> inputs{s.name()};
  inputs.insert(inputs.end(), names.begin(), names.end());
  check_symbols(e, inputs, element, fmt::format("{} or a parameter", s.name()).c_str());
  return SmallTape(with_derivatives(e, s), inputs);
}

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

const Entry& entry_of(const Element& constraint) {
  const auto found = std::ranges::find(
      entries(), constraint.type, [](const Entry* e) -> const model::ElementType* { return e; });
  base::ensure(found != entries().end(), "the type of a constraint is listed");
  return **found;
}

Element& add_constraint(model::Model& model, std::string name, std::string_view type,
                        std::initializer_list<std::pair<std::string_view, model::Value>> values) {
  const Entry* found = find_entry(type);
  if (!found)
    throw base::UserError(
        {},
        fmt::format("constraint {}: there is no constraint type {}", quoted(name), quoted(type)),
        base::suggest(type, entry_names()));
  return model.constraints.emplace_back(model::make_element(*found, std::move(name), values));
}

}  // namespace couplet::constraints
