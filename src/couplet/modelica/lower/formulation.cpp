// The same equations solved for something else: variables that are prescribed as functions of the
// time, and as many inputs or parameters that are found for it. Otter 1994, section 5: simulation
// and inverse dynamics are two questions to one model.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/lower/lowering.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::modelica::lower {

using base::UserError;
using equations::Kind;
using equations::Variable;

/// All inputs of the model, where variables are prescribed and nothing is said of what is to be
/// found.
bool Lowering::is_freed(const std::string& name) {
  const std::vector<std::string>& free = formulation_.free;
  if (!free.empty()) return std::ranges::find(free, name) != free.end();
  if (formulation_.prescribed.empty()) return false;
  return std::ranges::any_of(model_.variables, [&](const FlatVariable& v) {
    return v.name == name && v.direction == ast::Direction::input;
  });
}

// Parameters that follow from one that has become an unknown are unknowns, too.
void Lowering::free_dependents() {
  if (freed_.empty()) return;
  for (bool again = true; again;) {
    again = false;
    for (Variable& x : dae_.variables) {
      if (x.kind != Kind::parameter || !x.value || !dae_.is_continuous(*x.value)) continue;
      if (!x.real)
        throw UserError(x.where,
                        fmt::format("'{}' is not Real and follows from an unknown", x.name),
                        "choose another unknown");
      dae_.equations.push_back({x.symbol - *x.value, x.where});
      x.kind = Kind::continuous;
      x.fixed = false;
      x.value.reset();
      again = true;
    }
  }
  for (Variable& x : dae_.variables)
    if (x.start && x.fixed && dae_.is_continuous(*x.start))
      throw UserError(x.where,
                      fmt::format("the fixed start value of '{}' follows from an unknown", x.name),
                      "choose another unknown, or give the start value as a number");
}

void Lowering::prescribe() {
  if (!formulation_.is_inverse()) return;
  std::vector<std::string> names;
  for (const Variable& x : dae_.variables)
    if (!x.hidden && !x.is_previous) names.push_back(x.name);
  for (const std::string& name : formulation_.free) {
    const bool found = std::ranges::any_of(
        freed_, [&](const std::string& f) { return f == name || f.starts_with(name + "["); });
    if (found) continue;
    const bool exists = std::ranges::find(names, name) != names.end();
    throw UserError(
        {},
        exists ? fmt::format("'{}' can be no unknown: it shapes the model, or has its "
                             "own equation",
                             name)
               : fmt::format("there is no input or parameter '{}'", name),
        exists ? "name an input of the model, or a Real parameter" : base::suggest(name, names));
  }
  for (const auto& [name, text] : formulation_.prescribed) {
    const int k = dae_.find(Expr::symbol(name));
    if (k < 0)
      throw UserError({}, fmt::format("there is no variable '{}' to be prescribed", name),
                      base::suggest(name, names));
    if (dae_.variables[static_cast<size_t>(k)].kind != Kind::continuous)
      throw UserError({},
                      fmt::format("'{}' cannot be prescribed: it is a parameter, or changes at "
                                  "events only",
                                  name),
                      "prescribe a continuous variable");
    const base::SourceLocation here{"prescribed " + name, 0, 0};
    Expr value = symbolic::parse(text, here);
    for (const std::string& used : symbolic::find_symbols(value))
      if (used != "t" && dae_.find(Expr::symbol(used)) < 0)
        throw UserError(here, fmt::format("'{}' is neither the time t nor a variable", used),
                        base::suggest(used, names));
    value = symbolic::substitute(value, {{Expr::symbol("t"), dae_.time}});
    dae_.equations.push_back({dae_.variables[static_cast<size_t>(k)].symbol - value, here});
  }
  if (formulation_.prescribed.size() != freed_.size())
    throw UserError(
        {},
        fmt::format("{} variables are prescribed, and {} unknowns are to be found for it{}",
                    formulation_.prescribed.size(), freed_.size(),
                    freed_.empty() ? ": the model has no inputs" : ""),
        "name as many inputs or parameters with `solve_for` as there are prescribed variables");
  dae_.starts_yield = true;
}

}  // namespace couplet::modelica::lower
