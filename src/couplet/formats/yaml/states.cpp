// `states`: first-order states of the model's own, {integral: {rate: "target - slider.q", start:
// 0}}. They are declared before anything that may name them, and get their rates after the joints.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/reader.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/op.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;

const std::vector<std::string> keys = {"rate", "start", "unit"};

// What speaks against a name; empty: nothing.
std::string find_fault(const std::string& name, const Part& part) {
  if (name == "t") return "t is the time";
  if (symbolic::find_function(name)) return "it is a function";
  if (symbolic::split_path(name).size() != 1 || name[0] == '\'')
    return "expressions could not use it";
  if (part.reading.parameters.contains(part.full(name))) return "it is a parameter";
  return {};
}

void read_start(const Node& node, int index, Part& part) {
  read_derived(
      {model::Derived::Kind::start, index, -1, node.where},
      [&node, index](const Scope& scope, model::Model& model) {
        const std::optional<Scope::Parameter> start = scope.any_number(node);
        if (!start) return;
        model::StateVariable& state = model.states[static_cast<size_t>(index)];
        state.start = start->value;
        if (start->dimension && state.unit.empty()) state.unit = start->dimension->str();
      },
      part);
}

}  // namespace

void declare_states(const Node& node, Part& part) {
  for (const auto& [key, value] : named_entries(node, "state", part.diagnostics())) {
    model::StateVariable state;
    state.name = part.full(key.text());
    state.where = key.where;
    const Section section(value, "state " + quoted(state.name), keys, part.diagnostics());
    if (const std::string fault = find_fault(key.name(), part); !fault.empty()) {
      part.diagnostics().error(
          key.where, fmt::format("a state cannot be called {}: {}", quoted(key.text()), fault),
          "choose another name of letters, digits and '_'");
      continue;
    }
    if (const Node* unit = section.find("unit"))
      if (const std::optional<std::string> text = find_text(*unit, "a unit", part.diagnostics()))
        state.unit = *text;
    const auto index = static_cast<int>(part.reading.model.states.size());
    part.reading.states[state.name] = index;
    part.reading.model.states.push_back(std::move(state));
    if (const Node* start = section.find("start")) read_start(*start, index, part);
  }
}

void read_state_rates(const Node& node, Part& part) {
  for (const auto& [key, value] : node.entries()) {
    const auto found = part.reading.states.find(part.full(key.text()));
    if (found == part.reading.states.end() || !value.is_mapping()) continue;
    model::StateVariable& state = part.reading.model.states[static_cast<size_t>(found->second)];
    const Node* rate = value.find("rate");
    if (!rate) {
      part.diagnostics().error(key.where, "state " + quoted(state.name) + " has no rate",
                               "write rate: an expression, its derivative by time");
      continue;
    }
    state.rate = read_expression(*rate, kinds::any, {}, part).value_or(0);
  }
}

}  // namespace couplet::formats::yaml
