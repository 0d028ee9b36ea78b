#include "couplet/workbench/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

#include "couplet/constraints/entry.hpp"
#include "couplet/dynamics/substructure/formalisms.hpp"
#include "couplet/forces/entry.hpp"
#include "couplet/generate/formalisms.hpp"
#include "couplet/generate/formulas.hpp"
#include "couplet/integrate/rule.hpp"
#include "couplet/model/joints.hpp"
#include "couplet/modelica/translate.hpp"

namespace couplet::workbench {
namespace {

using model::Key;
using model::ValueType;

std::string type_text(const Key& key) {
  switch (key.type) {
    case ValueType::flag:
      return "true or false";
    case ValueType::choice:
      return fmt::format("{}", fmt::join(key.choices, " or "));
    case ValueType::number:
      return "number";
    case ValueType::axis:
      return "axis";
    case ValueType::expression:
      return "expression";
    case ValueType::expressions:
      return "three expressions";
    case ValueType::point:
      return "point";
    case ValueType::joint:
      return "joint";
    case ValueType::freedom:
      return "freedom of the joint";
    case ValueType::coordinates:
      return key.count == 1 ? "coordinate" : fmt::format("{} coordinates", key.count);
    case ValueType::terms:
      return "{coordinate: factor}";
    case ValueType::path:
      return "path";
    case ValueType::options:
      return "{name: number}";
  }
  return "";
}

std::string value_text(const Key& key) {
  const bool has_unit = !key.kind.anything && !(key.kind.dimension == model::Dimension{});
  return type_text(key) + (has_unit ? fmt::format(", {}", key.kind.unit) : "");
}

Choice choice_of(const model::ElementType& type, const char* example) {
  Choice out{type.name, type.doc};
  for (const Key& key : type.keys)
    out.keys.push_back({key.name, value_text(key), key.doc, key.required()});
  out.example = example;
  return out;
}

template <class Entries>
ChoiceList list_of(std::string name, std::string doc, const Entries& entries) {
  ChoiceList out{std::move(name), std::move(doc), {}};
  for (const auto& entry : entries) out.choices.push_back({entry.name, entry.doc});
  return out;
}

}  // namespace

const Choice* ChoiceList::find(const std::string& choice) const {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const Choice& each) { return each.name == choice; });
  return found == choices.end() ? nullptr : &*found;
}

std::span<const dynamics::FormalismEntry> formalisms() {
  static std::once_flag once;
  std::call_once(once, [] {
    dynamics::add_substructure_formalisms();
    generate::add_formalisms();
  });
  return dynamics::formalisms();
}

std::vector<ChoiceList> list_choices() {
  std::vector<ChoiceList> out;
  out.push_back(list_of("formalisms", "how equations of motion are formed", formalisms()));
  out.push_back(list_of("integrators", "how they are stepped", integrate::rules()));
  ChoiceList joints{"joints", "what bodies are connected by", {}};
  for (const model::JointInfo* joint : model::joint_types())
    joints.choices.push_back({joint->name, joint->doc});
  ChoiceList constraints{"constraints", "what else motions keep", {}};
  for (const constraints::Entry* entry : constraints::entries())
    constraints.choices.push_back(choice_of(*entry, entry->example));
  ChoiceList forces{"forces", "what acts", {}};
  for (const forces::Entry* entry : forces::entries())
    forces.choices.push_back(choice_of(*entry, entry->examples.usual));
  for (ChoiceList* each : {&joints, &constraints, &forces}) out.push_back(std::move(*each));
  out.push_back(list_of("code", "what can be generated", generate::whats()));
  out.push_back({"passes", "from a Modelica class to flat equations", {}});
  for (const modelica::PassInfo& pass : modelica::list_passes())
    out.back().choices.push_back({std::string(pass.name), std::string(pass.doc)});
  return out;
}

}  // namespace couplet::workbench
