// `when`: what happens when a condition becomes true, or at given times. `outputs`: quantities to
// record.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/reader.hpp"
#include "couplet/model/parametric.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;

void read_times(const Node& node, model::EventRule& rule, const Part& part) {
  for (const Node& each : node.is_sequence() ? node.items() : std::span(&node, 1))
    if (const std::optional<double> time = part.scope.number(each, kinds::time))
      rule.times.push_back(*time);
  std::sort(rule.times.begin(), rule.times.end());
}

/// What a speed is, of a joint that rules may reset.
Kind kind_of_speed(const std::string& name, const base::SourceLocation& where, const Part& part) {
  const size_t dot = name.rfind('.');
  const int index = part.reading.joints.at(part.full(name.substr(0, dot)));
  const model::Joint& joint = part.reading.model.joints[static_cast<size_t>(index)];
  if (!joint.motion.empty())
    part.diagnostics().error(
        where, fmt::format("{} cannot be reset: the motion of its joint is given", quoted(name)),
        "switch a parameter of that motion, or leave it out");
  const model::JointInfo& info = model::info(joint.type);
  int freedom = 0;
  while (info.v_names[static_cast<size_t>(freedom)] != name.substr(dot + 1)) ++freedom;
  return info.angular >> freedom & 1u ? kinds::angular_speed : kinds::speed;
}

void read_resets(const Node& node, const std::string& title, model::EventRule& rule,
                 const Part& part) {
  if (!node.is_mapping())
    return part.diagnostics().error(node.where,
                                    title + ": expected speeds or states and their new values",
                                    "write reset: {elbow.v: \"-0.5*elbow.v\"}");
  for (const Node::Entry& entry : node.entries()) {
    const std::string name = entry.key.name();
    if (!is_coordinate(name, part, true) && !is_state(name, part)) {
      std::vector<std::string> known = speed_names(part);
      for (std::string& state : state_names(part)) known.push_back(std::move(state));
      part.diagnostics().error(
          entry.key.where, fmt::format("{}: there is no speed {} to reset", title, quoted(name)),
          base::suggest(name, known));
      continue;
    }
    const Kind kind =
        is_state(name, part) ? kinds::any : kind_of_speed(name, entry.key.where, part);
    if (const auto value = read_expression(entry.value, kind, {}, part))
      rule.resets.emplace_back(symbol_name(part.full(name)), *value);
  }
}

// Parameters that are made from this one keep their values while a model moves.
std::optional<base::SourceLocation> find_unswitchable(const std::string& name, const Part& part) {
  const std::string& prefix = part.scope.prefix();
  if (name.starts_with(prefix))  // the model is told of them when all of this part has been read
    if (const auto folded = part.scope.folded().find(name.substr(prefix.size()));
        folded != part.scope.folded().end())
      return folded->second;
  return model::find_unswitchable(part.reading.model, name);
}

void read_switches(const Node& node, const std::string& title, model::EventRule& rule,
                   const Part& part) {
  if (!node.is_mapping())
    return part.diagnostics().error(node.where,
                                    title + ": expected parameters and their new values",
                                    "write set: {stiffness: 10 N/m}");
  for (const Node::Entry& entry : node.entries()) {
    const std::string name = entry.key.name();
    if (!part.reading.parameters.contains(part.full(name))) {
      std::vector<std::string> known;
      for (const auto& [full, dimension] : part.reading.parameters)
        if (full.starts_with(part.scope.prefix()))
          known.push_back(full.substr(part.scope.prefix().size()));
      part.diagnostics().error(entry.key.where,
                               fmt::format("{}: there is no parameter {}", title, quoted(name)),
                               base::suggest(name, known));
      continue;
    }
    if (const auto fixed = find_unswitchable(part.full(name), part)) {
      part.diagnostics().error(
          entry.key.where,
          fmt::format(
              "{}: parameter {} cannot change while the model moves: {} uses it as a number", title,
              quoted(name), fixed->str()),
          "switch a parameter that only forces use");
      continue;
    }
    const std::optional<Dimension>& dimension = part.reading.parameters.at(part.full(name));
    const std::string unit = dimension ? dimension->str() : "";
    const Kind kind =
        dimension ? Kind{"a value of the dimension of its parameter", unit.c_str(), *dimension}
                  : kinds::any;
    if (const auto value = read_expression(entry.value, kind, {}, part))
      rule.switches.emplace_back(part.full(name), *value);
  }
}

}  // namespace

void read_events(const Node& node, Part& part) {
  for (const Node::Entry& entry : named_entries(node, "rule", part.diagnostics())) {
    const std::string title = "rule " + quoted(part.full(entry.key.text()));
    const Section section(entry.value, title, {"condition", "at", "reset", "set", "stop"},
                          part.diagnostics());
    if (!entry.value.is_mapping()) continue;
    model::EventRule rule;
    rule.name = part.full(entry.key.text());
    rule.where = entry.key.where;
    if (const Node* when = section.require_one_of({"condition", "at"})) {
      if (section.has("at"))
        read_times(*when, rule, part);
      else
        rule.condition = read_expression(*when, kinds::any, {}, part);
    }
    if (const Node* reset = section.find("reset")) read_resets(*reset, title, rule, part);
    if (const Node* set = section.find("set")) read_switches(*set, title, rule, part);
    if (const Node* stop = section.find("stop"))
      rule.stop = read_flag(*stop, part.diagnostics()).value_or(false);
    if (!section.has("reset") && !section.has("set") && !section.has("stop"))
      part.diagnostics().error(entry.key.where, title + " changes nothing",
                               "give reset, set or stop");
    part.reading.model.rules.push_back(std::move(rule));
  }
}

void declare_outputs(const Node& node, Part& part) {
  for (const Node::Entry& entry : node.entries())
    part.reading.outputs.insert(part.full(entry.key.text()));
}

void read_outputs(const Node& node, Part& part) {
  Symbols symbols;
  symbols.recorded = true;
  for (const Node::Entry& entry : named_entries(node, "output", part.diagnostics())) {
    const std::string title = "output " + quoted(part.full(entry.key.text()));
    model::Output output{part.full(entry.key.text()), "", 0, entry.key.where};
    const Node* value = &entry.value;
    if (value->is_mapping()) {
      const Section section(*value, title, {"value", "unit"}, part.diagnostics());
      if (const Node* unit = section.find("unit"))
        if (const std::optional<std::string> text = find_text(*unit, "a unit", part.diagnostics()))
          output.unit = *text;
      value = section.require("value");
    }
    if (!value) continue;
    output.value = read_expression(*value, kinds::any, symbols, part).value_or(0);
    part.reading.model.outputs.push_back(std::move(output));
  }
}

}  // namespace couplet::formats::yaml
