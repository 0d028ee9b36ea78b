// Parameters: named numbers. They may use each other in any order, as long as there is no circle.
// Stronger first: --set, the value given by the enclosing model, the value in the file.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/reader.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/op.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;

class ParameterReader {
 public:
  explicit ParameterReader(Part& part) : part_(part) {}

  void read(const Node& node) {
    for (const auto& [key, value] : named_entries(node, "parameter", part_.diagnostics()))
      if (is_usable(key)) pending_[key.name()] = {&key, &value, State::waiting};
    for (const auto& [key, value] : node.entries())  // in the order of the file
      if (pending_.contains(key.name())) evaluate(key.name());
    for (const auto& [key, value] : node.entries())
      if (const Scope::Parameter* parameter = part_.scope.find_parameter(key.name()))
        publish(key.name(), *parameter, key.where);
  }

 private:
  enum class State { waiting, open, done };
  struct Pending {
    const Node* key = nullptr;
    const Node* node = nullptr;
    State state = State::waiting;
  };
  static constexpr size_t max_chain = 500;  // of parameters that are defined by later ones

  bool is_usable(const Node& key) const {
    const std::string name = key.name();
    const bool plain = symbolic::split_path(name).size() == 1 && name[0] != '\'';
    const bool taken = name == "t" || symbolic::find_function(name).has_value();
    if (plain && !taken) return true;
    part_.diagnostics().error(key.where,
                              fmt::format("a parameter cannot be called {}: {}", quoted(name),
                                          name == "t" ? "t is the time"
                                          : taken     ? "it is a function"
                                                      : "expressions could not use it"),
                              "use letters, digits and '_', and begin with a letter");
    return false;
  }

  void evaluate(const std::string& name) {
    Pending& pending = pending_[name];
    if (pending.state == State::done) return;
    pending.state = State::open;
    chain_.push_back(name);
    part_.scope.set_parameter(
        name, read_value(name, *pending.node).value_or(Scope::Parameter{1, std::nullopt}));
    chain_.pop_back();
    pending.state = State::done;
  }

  std::optional<Scope::Parameter> read_value(const std::string& name, const Node& node) {
    const auto lookup = [&](const std::string& other) { return find(other); };
    const auto known = [&] { return names(); };
    const std::string full = part_.full(name);
    if (const auto set = part_.reading.overrides.find(full); set != part_.reading.overrides.end()) {
      part_.reading.used_overrides.insert(full);
      return checked(node, part_.scope.parameter(set->second, lookup, known), set->second.where);
    }
    if (const auto given = part_.given.find(name); given != part_.given.end())
      return checked(node, given->second.value, given->second.where);
    return part_.scope.parameter(node, lookup, known);
  }

  // A new value must have the dimension of the old one, where both are known.
  std::optional<Scope::Parameter> checked(const Node& node, std::optional<Scope::Parameter> by,
                                          const base::SourceLocation& where) const {
    const auto nothing = [](const std::string&) { return std::optional<Name>(); };
    const std::optional<Dimension> declared =
        parse_expression(node.text(), nothing, [] { return std::vector<std::string>(); }).dimension;
    if (!by || !declared) return by;
    if (by->dimension && *by->dimension != *declared)
      part_.diagnostics().error(where,
                                fmt::format("the parameter is in {}, the new value in {}",
                                            declared->str(), by->dimension->str()),
                                "give a value of the same dimension");
    by->dimension = declared;
    return by;
  }

  std::optional<Name> find(const std::string& name) {
    const auto found = pending_.find(name);
    if (found == pending_.end()) return std::nullopt;
    if (found->second.state == State::open || chain_.size() > max_chain)
      report_cycle(name);
    else
      evaluate(name);
    const Scope::Parameter* value = part_.scope.find_parameter(name);
    if (!value) return Name{number_text(1), std::nullopt};  // in a circle
    return Name{number_text(value->value), value->dimension};
  }

  void report_cycle(const std::string& name) const {
    const auto start = std::find(chain_.begin(), chain_.end(), name);
    if (start == chain_.end())
      return part_.diagnostics().error(pending_.at(chain_.front()).key->where,
                                       "more than 500 parameters depend on each other in a row",
                                       "define parameters before they are used");
    std::string cycle;
    for (auto i = start; i != chain_.end(); ++i) cycle += *i + " → ";
    part_.diagnostics().error(pending_.at(name).key->where,
                              "parameters form a cycle: " + cycle + name,
                              "give one of them a number");
  }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& [name, pending] : pending_) list.push_back(name);
    return list;
  }

  void publish(const std::string& name, const Scope::Parameter& parameter,
               const base::SourceLocation& where) {
    part_.reading.model.parameters.push_back(
        {part_.full(name), parameter.value, where, false, parameter.definition});
    part_.reading.parameters[part_.full(name)] = parameter.dimension;
  }

  Part& part_;
  std::map<std::string, Pending> pending_;
  std::vector<std::string> chain_;
};

}  // namespace

void read_parameters(const Node* node, Part& part) {
  if (node) ParameterReader(part).read(*node);
  for (const auto& [name, given] : part.given)
    if (!node || !node->find(name))
      part.diagnostics().error(given.where,
                               fmt::format("{} has no parameter {}", part.title, quoted(name)),
                               base::suggest(name, part.scope.parameter_names()));
}

}  // namespace couplet::formats::yaml
