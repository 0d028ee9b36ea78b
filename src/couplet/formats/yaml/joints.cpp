// Joints: their type, the points they connect, their axes. Expressions come in a second pass, when
// the coordinates of all joints have names.
#include <fmt/format.h>

#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/geometry.hpp"
#include "couplet/formats/yaml/reader.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;
using math::Mat3;
using math::Vec3;
using model::JointInfo;
using model::JointType;
using Axes = JointInfo::Axes;

std::vector<std::string> keys_of(const JointInfo& info) {
  std::vector<std::string> keys = {"type", "from", "to"};
  if (info.axes == Axes::one) keys.push_back("axis");
  if (info.axes == Axes::two) keys.push_back("axes");
  if (info.has_pitch) keys.push_back("pitch");
  if (info.nv > 0) {
    keys.insert(keys.end(), {"q", "v", "limits", "motion", "friction"});
    for (const std::string& key : joint_force_keys()) keys.push_back(key);
  }
  keys.push_back("cut");
  return keys;
}

// First axis = x, second = y of the joint's frame.
std::optional<Mat3> read_two_axes(const Node& node, const std::string& title, const Scope& scope) {
  if (!node.is_sequence() || node.items.size() != 2) {
    scope.diagnostics().error(node.where, title + ": expected two axes", "write axes: [x, y]");
    return std::nullopt;
  }
  const std::optional<Vec3> x = read_axis(*node.items[0], scope);
  const std::optional<Vec3> y = read_axis(*node.items[1], scope);
  if (!x || !y) return std::nullopt;
  if (std::abs(x->dot(*y)) > 1e-3) {
    scope.diagnostics().error(node.where, title + ": the two axes are not perpendicular",
                              "turn the second axis, or use two revolute joints");
    return std::nullopt;
  }
  Mat3 R;
  R.col(0) = *x;
  R.col(2) = x->cross(*y).normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  return R;
}

void read_axes(const Section& section, const Scope& scope, model::Joint& joint) {
  const JointInfo& type = info(joint.type);
  if (const Node* axis = type.axes == Axes::one ? section.find("axis") : nullptr)
    if (const std::optional<Vec3> z = read_axis(*axis, scope))
      joint.R_axes = math::rotation_with_z(*z);
  if (const Node* axes = type.axes == Axes::two ? section.find("axes") : nullptr)
    if (const std::optional<Mat3> R = read_two_axes(*axes, section.title(), scope))
      joint.R_axes = *R;
  if (type.has_pitch)
    if (const Node* pitch = section.require("pitch"))
      joint.pitch = scope.number(*pitch, kinds::pitch).value_or(0);
}

std::optional<int> read_joint(const Node& key, const Node& node, Part& part) {
  const std::string* name =  // it decides which keys there may be
      find_type(node, "joint " + quoted(part.full(key.text)), "joint", model::joint_type_names(),
                part.diagnostics());
  if (!name) return std::nullopt;
  const JointType type = *model::find_joint_type(*name);
  const JointInfo& info = model::info(type);
  const Section section(node, fmt::format("{} joint {}", info.name, quoted(part.full(key.text))),
                        keys_of(info), part.diagnostics());
  model::Joint joint;
  joint.name = part.full(key.text);
  joint.type = type;
  joint.where = key.where;
  const Node* from = section.require("from");
  const Node* to = section.require("to");
  const auto from_point =
      from ? read_point(*from, section.title(), key.text + ".from", part) : std::nullopt;
  const auto to_point =
      to ? read_point(*to, section.title(), key.text + ".to", part) : std::nullopt;
  joint.from = from_point.value_or(0);
  joint.to = to_point.value_or(0);
  const std::vector<model::Point>& points = part.reading.model.points;
  if (from_point && to_point &&
      points[static_cast<size_t>(joint.from)].body == points[static_cast<size_t>(joint.to)].body)
    part.diagnostics().error(to->where, section.title() + " connects a body with itself",
                             "choose points on two bodies");
  if (const Node* cut = section.find("cut")) joint.cut = read_flag(*cut, part.diagnostics());
  const int index = static_cast<int>(part.reading.model.joints.size());
  part.reading.joints.emplace(joint.name, index);
  part.reading.model.joints.push_back(std::move(joint));
  read_derived(
      {model::Derived::Kind::axes, index, -1, key.where},
      [&node, title = section.title(), index](const Scope& scope, model::Model& model) {
        read_axes(Section(node, title, scope.diagnostics()), scope,
                  model.joints[static_cast<size_t>(index)]);
      },
      part);
  return index;
}

}  // namespace

Symbols symbols_of_joint(const std::string& joint_name, const JointInfo& info) {
  Symbols symbols;
  for (int i = 0; i < info.nq; ++i)
    symbols.locals[info.q_names[static_cast<size_t>(i)]] =
        joint_name + "." + info.q_names[static_cast<size_t>(i)];
  for (int i = 0; i < info.nv; ++i)
    symbols.locals[info.v_names[static_cast<size_t>(i)]] =
        joint_name + "." + info.v_names[static_cast<size_t>(i)];
  return symbols;
}

void read_joints(const Node& node, Part& part) {
  std::vector<std::pair<Node::Entry, int>> joints;
  for (const Node::Entry& entry : named_entries(node, "joint", part.diagnostics()))
    if (const std::optional<int> index = read_joint(*entry.key, *entry.value, part))
      joints.emplace_back(entry, *index);

  base::Diagnostics known;  // unknown keys were reported in the first pass
  for (const auto& [entry, index] : joints) {
    const model::Joint& joint = part.reading.model.joints[static_cast<size_t>(index)];
    const JointInfo& info = model::info(joint.type);
    if (info.nv == 0) continue;
    const Section section(*entry.value, fmt::format("{} joint {}", info.name, quoted(joint.name)),
                          keys_of(info), known);
    read_joint_values(section, index, part);
    read_joint_forces(section, index, part);
  }
}

}  // namespace couplet::formats::yaml
