// Keys of joints that exert forces, one value a freedom: each is an element like `joint` of the
// forces.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/forces/entry.hpp"
#include "couplet/formats/yaml/elements.hpp"

namespace couplet::formats::yaml {

using model::JointInfo;
using model::Key;
using model::OfFreedom;

Kind kind_of(OfFreedom quantity, const JointInfo& info, int freedom) {
  const FreedomKinds kinds = kinds_of(info, freedom);
  switch (quantity) {
    case OfFreedom::none:
      return kinds::any;
    case OfFreedom::position:
      return kinds.position;
    case OfFreedom::force:
      return kinds.force;
    case OfFreedom::stiffness:
      return kinds.stiffness;
    case OfFreedom::damping:
      return kinds.damping;
  }
  return kinds::any;
}

std::vector<std::string> freedom_names(const JointInfo& info) {
  std::vector<std::string> names;
  for (size_t i = 0; i < static_cast<size_t>(info.nv); ++i)
    names.emplace_back(info.on_quaternion() ? info.v_names[i] : info.q_names[i]);
  return names;
}

std::optional<int> read_freedom(const Node& node, const JointInfo& info, const Part& part) {
  const std::optional<std::string> name =
      find_text(node, "the name of a freedom", part.diagnostics());
  if (!name) return std::nullopt;
  const std::vector<std::string> names = freedom_names(info);
  const auto found = std::ranges::find(names, *name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  part.diagnostics().error(
      node.where, fmt::format("a {} joint has no freedom {}", info.name, base::quoted(*name)),
      base::suggest(*name, names));
  return std::nullopt;
}

namespace {

// The value of a key for one freedom; null: there are not as many as freedoms.
const Node* find_of_freedom(const Section& section, const Key& key, int freedom, int count,
                            const Part& part) {
  const Node* node = section.find(key.name);
  if (count == 1 && !node->is_sequence()) return node;
  if (node->is_sequence() && node->items().size() == static_cast<size_t>(count))
    return &node->items()[static_cast<size_t>(freedom)];
  if (freedom == 0)
    part.diagnostics().error(
        node->where,
        fmt::format("{}: expected {} value{} for {}, got {}", section.title(), count,
                    count == 1 ? "" : "s", key.name,
                    node->is_sequence() ? fmt::format("a list of {}", node->items().size())
                                        : describe(*node)),
        count == 1 ? "write one value" : fmt::format("write a list of {}", count));
  return nullptr;
}

}  // namespace

std::vector<std::string> joint_force_keys() {
  std::vector<std::string> names;
  for (const Key& key : forces::entry_of_joint_keys().keys)
    if (key.of_freedom != OfFreedom::none) names.emplace_back(key.name);
  return names;
}

void read_joint_forces(const Section& section, int joint_index, Part& part) {
  const model::Joint& joint = part.reading.model.joints[static_cast<size_t>(joint_index)];
  const JointInfo& info = model::info(joint.type);
  const forces::Entry& entry = forces::entry_of_joint_keys();
  const Symbols symbols = symbols_of_joint(joint.name.substr(part.scope.prefix().size()), info);
  model::Element given{joint.name, &entry, {}, section.where()};
  given.set("joint", joint_index);
  std::vector<const Key*> keys;
  for (const Key& key : entry.keys)
    if (key.of_freedom != OfFreedom::none && section.has(key.name)) {
      keys.push_back(&key);
      given.set(key.name, 0);
    }
  if (keys.empty() || has_fault(given, section, part)) return;
  for (int i = 0; i < info.nv; ++i) {
    model::Element force = given;
    if (info.nv > 1) force.name += std::string(".") + info.v_names[static_cast<size_t>(i)];
    force.set("dof", i);
    for (const Key* key : keys)
      if (const Node* node = find_of_freedom(section, *key, i, info.nv, part))
        if (const auto value =
                read_expression(*node, kind_of(key->of_freedom, info, i), symbols, part))
          force.set(key->name, *value);
    part.reading.model.forces.push_back(std::move(force));
  }
}

}  // namespace couplet::formats::yaml
