#include "couplet/formats/yaml/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"

namespace couplet::formats::yaml {
namespace {

constexpr double largest = 1e60;  // beyond it products of a few values overflow

}  // namespace

void Scope::set_parameter(const std::string& name, const Parameter& parameter) {
  parameters_[name] = parameter;
}

const Scope::Parameter* Scope::find_parameter(const std::string& name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? nullptr : &found->second;
}

std::vector<std::string> Scope::parameter_names() const {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : parameters_) names.push_back(name);
  return names;
}

std::optional<Expression> Scope::read(const Node& node, const Kind* kind, const Lookup& lookup,
                                      const KnownNames& known) const {
  const std::string expected =
      kind ? fmt::format("expected {} ({}), ", kind->name, kind->unit) : "expected a number, ";
  if (!node.is_scalar()) {
    diagnostics_.error(node.where, expected + "got " + describe(node),
                       "write a number, or an expression of parameters");
    return std::nullopt;
  }
  Expression result = parse_expression(node.text(), lookup, known, functions_);
  for (const Problem& problem : result.problems)
    diagnostics_.error(node.at(problem.offset), problem.what, problem.fix);
  if (!result.problems.empty()) return std::nullopt;
  if (kind && result.dimension && !kind->accepts(*result.dimension)) {
    diagnostics_.error(
        node.where,
        fmt::format("{}got {} ({})", expected, base::quoted(node.text()), result.dimension->str()),
        fmt::format("give it in {}, or a bare number in SI units", kind->unit));
    return std::nullopt;
  }
  return result;
}

std::optional<double> Scope::fold(const Node& node, const symbolic::Expr& value) const {
  if (value.is_constant() && std::abs(value.value()) <= largest) return value.value();
  const bool finite = value.is_constant() && std::isfinite(value.value());
  diagnostics_.error(
      node.where,
      fmt::format("the value {} is {}", base::quoted(node.text()),
                  finite ? "out of range" : "not a finite number"),
      finite ? fmt::format("give a value below {:g}", largest) : "check for divisions by zero");
  return std::nullopt;
}

// The value that a number has when it is read again.
std::optional<double> Scope::find_known(const Node& node) const {
  const auto found = std::ranges::find(nodes_, &node);
  if (found == nodes_.end()) return std::nullopt;
  return values_[static_cast<size_t>(found - nodes_.begin())];
}

std::optional<double> Scope::number(const Node& node, const Kind& kind) const {
  if (const std::optional<double> known = find_known(node)) return fold(node, *known);
  bool has_parameters = false;
  const auto lookup = [&](const std::string& name) -> std::optional<Name> {
    const Parameter* parameter = find_parameter(name);
    if (!parameter) return std::nullopt;
    has_parameters = true;
    if (!trace_) folded_.emplace(name, node.where);
    return Name{number_text(parameter->value), parameter->dimension};
  };
  const auto known = [&] { return parameter_names(); };
  const auto result = read(node, &kind, lookup, known);
  const std::optional<double> value = result ? fold(node, result->value) : std::nullopt;
  if (trace_ && value)
    trace_->push_back(
        {&node, has_parameters ? with_symbols(node, lookup, known) : symbolic::Expr(*value)});
  return value;
}

// The same with parameters as symbols; `node` has been read before.
symbolic::Expr Scope::with_symbols(const Node& node, const Lookup& lookup,
                                   const KnownNames& known) const {
  const auto symbols = [&](const std::string& name) {
    std::optional<Name> found = lookup(name);
    if (found) found->text = symbol_name(prefix_ + name);
    return found;
  };
  return parse_expression(node.text(), symbols, known, functions_).value;
}

std::optional<symbolic::Expr> Scope::expression(const Node& node, const Kind& kind,
                                                const Lookup& lookup,
                                                const KnownNames& others) const {
  const auto with_parameters = [&](const std::string& name) -> std::optional<Name> {
    if (const std::optional<Name> found = lookup(name)) return found;
    if (const Parameter* parameter = find_parameter(name))
      return Name{symbol_name(prefix_ + name), parameter->dimension};
    return std::nullopt;
  };
  const auto known = [&] {
    std::vector<std::string> names = others();
    for (const auto& [name, parameter] : parameters_) names.push_back(name);
    return names;
  };
  const auto result = read(node, &kind, with_parameters, known);
  if (!result) return std::nullopt;
  if (result->value.is_constant() && !fold(node, result->value)) return std::nullopt;
  return result->value;
}

std::optional<Scope::Parameter> Scope::parameter(const Node& node, const Lookup& lookup,
                                                 const KnownNames& known) const {
  bool has_parameters = false;
  const auto counting = [&](const std::string& name) {
    std::optional<Name> found = lookup(name);
    has_parameters |= found.has_value();
    return found;
  };
  const auto result = read(node, nullptr, counting, known);
  if (!result) return std::nullopt;
  const std::optional<double> value = fold(node, result->value);
  if (!value) return std::nullopt;
  Parameter parameter{*value, result->dimension};
  if (has_parameters) parameter.definition = with_symbols(node, lookup, known);
  return parameter;
}

std::optional<Scope::Parameter> Scope::any_number(const Node& node) const {
  if (const std::optional<double> known = find_known(node)) {
    const std::optional<double> value = fold(node, *known);
    return value ? std::optional(Parameter{*value, std::nullopt}) : std::nullopt;
  }
  const auto lookup = [&](const std::string& name) -> std::optional<Name> {
    const Parameter* found = find_parameter(name);
    if (!found) return std::nullopt;
    if (!trace_) folded_.emplace(name, node.where);
    return Name{number_text(found->value), found->dimension};
  };
  const auto number = parameter(node, lookup, [&] { return parameter_names(); });
  if (trace_ && number)
    trace_->push_back({&node, number->definition.value_or(symbolic::Expr(number->value))});
  return number;
}

std::string number_text(double value) { return fmt::format("({})", value); }

std::optional<bool> read_flag(const Node& node, base::Diagnostics& diagnostics) {
  if (node.is_scalar() && (node.text() == "true" || node.text() == "false"))
    return node.text() == "true";
  diagnostics.error(node.where, "expected true or false, got " + describe(node));
  return std::nullopt;
}

}  // namespace couplet::formats::yaml
