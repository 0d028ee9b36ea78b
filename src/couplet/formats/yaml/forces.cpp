// Forces: along lines between points, in joints, on bodies, from plug-ins.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/reader.hpp"

namespace couplet::formats::yaml {

using model::Expr;
using model::JointInfo;

const std::vector<std::string> joint_force_keys = {"stiffness", "rest", "damping", "force",
                                                   "torque"};

namespace {

// ---- joints

// The value of a key for one freedom; absent: 0.
Expr read_of_freedom(const Section& section, const char* key, const Kind& kind, int entry,
                     int count, const Symbols& symbols, const Part& part) {
  const Node* node = section.find(key);
  if (!node) return 0;
  if (count == 1 && !node->is_sequence())
    return read_expression(*node, kind, symbols, part).value_or(0);
  if (node->is_sequence() && node->items.size() == static_cast<size_t>(count))
    return read_expression(*node->items[static_cast<size_t>(entry)], kind, symbols, part)
        .value_or(0);
  if (entry == 0)
    part.diagnostics().error(
        node->where,
        fmt::format("{}: expected {} value{} for {}, got {}", section.title(), count,
                    count == 1 ? "" : "s", key,
                    node->is_sequence() ? fmt::format("a list of {}", node->items.size())
                                        : describe(*node)),
        count == 1 ? "write one value" : fmt::format("write a list of {}", count));
  return 0;
}

// What holds for all freedoms of a joint together. False: there is no force.
bool check_joint_force(const Section& section, const JointInfo& info, const Part& part) {
  const auto given = [&](const std::string& key) { return section.has(key); };
  if (std::none_of(joint_force_keys.begin(), joint_force_keys.end(), given)) return false;
  if (section.has("force") && section.has("torque"))
    part.diagnostics().error(section.where("torque"),
                             section.title() + " has both a force and a torque",
                             "keep one of them");
  if (section.has("torque") && info.angular == 0)
    part.diagnostics().error(section.where("torque"), section.title() + " slides; it has no torque",
                             "write force");
  if (section.has("rest") && !section.has("stiffness"))
    part.diagnostics().error(section.where("rest"),
                             section.title() + " has a rest position but no stiffness",
                             "add a stiffness, or remove the rest position");
  if (section.has("stiffness") && info.on_quaternion()) {
    part.diagnostics().error(section.where("stiffness"),
                             section.title() + " cannot have a stiffness: it has no angles",
                             "write a torque as expression, or use springs between points");
    return false;
  }
  return true;
}

std::optional<int> read_dof(const Section& section, const JointInfo& info, const Part& part) {
  const Node* node = section.find("dof");
  if (!node && info.nv == 1) return 0;
  std::vector<std::string> names;
  for (int i = 0; i < info.nv; ++i)
    names.push_back(info.on_quaternion() ? info.v_names[static_cast<size_t>(i)]
                                         : info.q_names[static_cast<size_t>(i)]);
  if (!node) {
    part.diagnostics().error(section.where(),
                             fmt::format("{}: a {} joint has {} freedoms; which one?",
                                         section.title(), info.name, info.nv),
                             "add dof: " + (names.empty() ? "…" : names[0]));
    return std::nullopt;
  }
  const std::string* name = find_text(*node, "the name of a freedom", part.diagnostics());
  if (!name) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), *name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  part.diagnostics().error(
      node->where, fmt::format("a {} joint has no freedom {}", info.name, base::quoted(*name)),
      base::suggest(*name, names));
  return std::nullopt;
}

void read_joint_force(const std::string& name, const Node& node, Part& part) {
  std::vector<std::string> keys = {"joint", "dof"};
  keys.insert(keys.end(), joint_force_keys.begin(), joint_force_keys.end());
  const Section section(node, "joint force " + base::quoted(part.full(name)), keys,
                        part.diagnostics());
  const Node* joint_node = section.require("joint");
  if (!joint_node) return;
  const std::optional<int> joint = read_joint_name(*joint_node, section.title(), part);
  if (!joint) return;
  const JointInfo& info = model::info(part.reading.model.joints[static_cast<size_t>(*joint)].type);
  const auto given = [&](const std::string& key) { return section.node().find(key) != nullptr; };
  if (std::none_of(joint_force_keys.begin(), joint_force_keys.end(), given))
    part.diagnostics().error(section.where(),
                             section.title() + " needs stiffness, damping or a force",
                             "write torque: 3 N*m, or an expression");
  if (const std::optional<int> dof = read_dof(section, info, part))
    read_joint_forces(section, name, *joint, dof, part);
}

// ---- lines between two points

struct LineKeys {
  bool stiffness, damping;
};

void read_line_force(const std::string& name, const Node& node, const std::string& type,
                     LineKeys has, Part& part) {
  std::vector<std::string> keys = {"from", "to"};
  if (has.stiffness) keys.insert(keys.end(), {"stiffness", "length"});
  if (has.damping) keys.push_back("damping");
  keys.push_back("force");
  const Section section(node, type + " " + base::quoted(part.full(name)), keys, part.diagnostics());
  if (!node.is_mapping()) return;
  model::LineForce line;
  line.name = part.full(name);
  line.where = node.where;
  const Node* from = section.require("from");
  const Node* to = section.require("to");
  const auto a = from ? read_point(*from, section.title(), name + ".from", part) : std::nullopt;
  const auto b = to ? read_point(*to, section.title(), name + ".to", part) : std::nullopt;
  line.a = a.value_or(0);
  line.b = b.value_or(0);
  if (a && b && line.a == line.b)
    part.diagnostics().error(to->where, section.title() + " connects a point with itself",
                             "choose two points");

  const Symbols own{{{"length", name + ".length"}, {"rate", name + ".rate"}}, true};
  const auto read = [&](const char* key, const Kind& kind, const Symbols& symbols, bool needed) {
    const Node* value = needed ? section.require(key) : section.find(key);
    return value ? read_expression(*value, kind, symbols, part).value_or(0) : Expr(0);
  };
  if (has.stiffness) {
    line.stiffness = read("stiffness", kinds::stiffness, own, true);
    line.free_length = read("length", kinds::length, {}, true);
  }
  if (has.damping) line.damping = read("damping", kinds::damping, own, true);
  line.force = read("force", kinds::force, own, false);
  part.reading.model.forces.emplace_back(std::move(line));
}

// ---- forces on bodies

void read_applied_force(const std::string& name, const Node& node, Part& part) {
  const Section section(node, "applied force " + base::quoted(part.full(name)),
                        {"point", "force", "torque", "axes"}, part.diagnostics());
  if (!node.is_mapping()) return;
  model::AppliedForce applied;
  applied.name = part.full(name);
  applied.where = node.where;
  if (const Node* point = section.require("point"))
    applied.point = read_point(*point, section.title(), name + ".point", part).value_or(0);
  if (!section.has("force") && !section.has("torque"))
    part.diagnostics().error(section.where(), section.title() + " needs force or torque",
                             "write force: [x, y, z]");
  if (const Node* force = section.find("force"))
    applied.force = read_expressions(*force, section.title(), "force", kinds::force, {}, part);
  if (const Node* torque = section.find("torque"))
    applied.torque = read_expressions(*torque, section.title(), "torque", kinds::torque, {}, part);
  if (const Node* axes = section.find("axes")) {
    if (const std::string* text = find_text(*axes, "world or body", part.diagnostics())) {
      if (*text != "world" && *text != "body")
        part.diagnostics().error(axes->where, "expected world or body, got " + base::quoted(*text),
                                 base::suggest(*text, {"world", "body"}));
      applied.in_point_axes = *text == "body";
    }
  }
  part.reading.model.forces.emplace_back(std::move(applied));
}

// ---- plug-ins: {plugin: path, options: {name: number}}

void read_plugin(const std::string& name, const Node& node, Part& part) {
  const Section section(node, "plug-in " + base::quoted(part.full(name)), {"plugin", "options"},
                        part.diagnostics());
  const Node* path_node = section.require("plugin");
  if (!path_node) return;
  const std::string* path = find_text(*path_node, "the path of a library", part.diagnostics());
  if (!path) return;
  model::PluginForce plugin;
  plugin.name = part.full(name);
  plugin.where = node.where;
  const std::filesystem::path directory =
      std::filesystem::path(part.reading.open_files.back().path).parent_path();
  plugin.path = (directory / *path).lexically_normal().string();
  if (const Node* options = section.find("options")) {
    const auto lookup = [&](const std::string& parameter) -> std::optional<Name> {
      const Scope::Parameter* found = part.scope.find_parameter(parameter);
      if (!found) return std::nullopt;
      return Name{number_text(found->value), found->dimension};
    };
    const auto known = [&] { return part.scope.parameter_names(); };
    for (const auto& [key, value] : named_entries(*options, "option", part.diagnostics()))
      if (const auto number = part.scope.parameter(*value, lookup, known))
        plugin.options.emplace_back(key->text, number->value);
  }
  part.reading.model.forces.emplace_back(std::move(plugin));
}

}  // namespace

void read_joint_forces(const Section& section, const std::string& name, int joint_index,
                       std::optional<int> freedom, Part& part) {
  const model::Joint& joint = part.reading.model.joints[static_cast<size_t>(joint_index)];
  const JointInfo& info = model::info(joint.type);
  if (!check_joint_force(section, info, part)) return;
  const Symbols symbols = symbols_of_joint(joint.name.substr(part.scope.prefix().size()), info);
  const int count = freedom ? 1 : info.nv;
  const char* force_key = section.has("torque") ? "torque" : "force";
  for (int i = 0; i < count; ++i) {
    const int dof = freedom.value_or(i);
    const FreedomKinds kinds = kinds_of(info, dof);
    const auto read = [&](const char* key, const Kind& kind) {
      return read_of_freedom(section, key, kind, i, count, symbols, part);
    };
    model::JointForce force;
    force.name = part.full(name);
    if (count > 1) force.name += std::string(".") + info.v_names[static_cast<size_t>(dof)];
    force.joint = joint_index;
    force.dof = dof;
    force.stiffness = read("stiffness", kinds.stiffness);
    force.rest = read("rest", kinds.position);
    force.damping = read("damping", kinds.damping);
    force.force = read(force_key, kinds.force);
    force.where = section.where();
    part.reading.model.forces.emplace_back(std::move(force));
  }
}

void read_forces(const Node& node, Part& part) {
  const std::vector<std::string> types = {"spring", "damper",  "spring-damper",
                                          "joint",  "applied", "plugin"};
  std::vector<std::string> keys = types;
  keys.push_back("options");
  for (const auto& [key, value] : named_entries(node, "force", part.diagnostics())) {
    const std::string& name = key->text;
    const Section section(*value, "force " + base::quoted(part.full(name)), keys,
                          part.diagnostics());
    const Node* given = section.require_one_of(types);
    if (!given) continue;
    if (section.has("options") && !section.has("plugin"))
      part.diagnostics().error(section.where("options"), "only a plug-in has options",
                               "remove them");
    if (section.has("spring")) read_line_force(name, *given, "spring", {true, false}, part);
    if (section.has("damper")) read_line_force(name, *given, "damper", {false, true}, part);
    if (section.has("spring-damper"))
      read_line_force(name, *given, "spring-damper", {true, true}, part);
    if (section.has("joint")) read_joint_force(name, *given, part);
    if (section.has("applied")) read_applied_force(name, *given, part);
    if (section.has("plugin")) read_plugin(name, *value, part);
  }
}

}  // namespace couplet::formats::yaml
