// Joints: their type, the points they connect, their axes. Expressions come in a second pass, when
// the coordinates of all joints have names.
#include <fmt/format.h>

#include <cmath>
#include <tuple>

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
    if (info.nv == 1) keys.push_back("mimic");
    for (const std::string& key : joint_force_keys()) keys.push_back(key);
  }
  keys.push_back("cut");
  return keys;
}

// First axis = x, second = y of the joint's frame.
std::optional<Mat3> read_two_axes(const Node& node, const std::string& title, const Scope& scope) {
  if (!node.is_sequence() || node.items().size() != 2) {
    scope.diagnostics().error(node.where, title + ": expected two axes", "write axes: [x, y]");
    return std::nullopt;
  }
  const std::optional<Vec3> x = read_axis(node.items()[0], scope);
  const std::optional<Vec3> y = read_axis(node.items()[1], scope);
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

/// Where `from` and `to` of a joint are; the world for what is missing.
std::pair<int, int> read_ends(const Section& section, const std::string& name, Part& part) {
  const Node* from = section.require("from");
  const Node* to = section.require("to");
  const auto point_at = [&](const Node* node, const char* key) {
    return node ? read_point(*node, section.title(), name + key, part) : std::nullopt;
  };
  const std::optional<int> from_point = point_at(from, ".from"), to_point = point_at(to, ".to");
  const auto body_at = [&](int point) {
    return part.reading.model.points[static_cast<size_t>(point)].body;
  };
  if (from_point && to_point && body_at(*from_point) == body_at(*to_point))
    part.diagnostics().error(to->where, section.title() + " connects a body with itself",
                             "choose points on two bodies");
  return {from_point.value_or(0), to_point.value_or(0)};
}

// {rpy: [r, p, y]} or {axis: …, angle: …} of the time: a gimbal about z, y and x, or a revolute.
model::Joint read_turn(const Node& node, const std::string& title, const Symbols& only_time,
                       Part& part) {
  model::Joint joint;
  const Section section(node, title, {"rpy", "axis", "angle"}, part.diagnostics());
  if (!node.is_mapping()) return joint;
  const Node* given = section.require_one_of({"rpy", "angle"});
  if (given && section.has("rpy")) {
    const auto [roll, pitch, yaw] =
        read_expressions(*given, title, "rpy", kinds::angle, only_time, part);
    joint.type = *model::find_joint_type("gimbal");
    joint.R_axes.col(0) = Vec3::UnitZ();  // then y, then -x
    joint.R_axes.col(1) = Vec3::UnitY();
    joint.R_axes.col(2) = -Vec3::UnitX();
    joint.motion = {yaw, pitch, -roll};
  } else if (given) {
    joint.type = JointType::revolute;
    if (const Node* axis = section.find("axis"))
      if (const std::optional<Vec3> z = read_axis(*axis, part.scope))
        joint.R_axes = math::rotation_with_z(*z);
    joint.motion = {read_expression(*given, kinds::angle, only_time, part).value_or(0)};
  }
  return joint;
}

// A joint on a quaternion whose pose is prescribed becomes one with angles: of a free joint an xyz
// joint with its name, and one that turns, `<name>.turn`, on a massless body between them.
void read_posed_joint(const Node& key, const Node& node, JointType type, Part& part) {
  const std::string name = part.full(key.text());
  const Section section(node, fmt::format("{} joint {}", info(type).name, quoted(name)),
                        {"type", "from", "to", "motion"}, part.diagnostics());
  const auto [from, to] = read_ends(section, key.name(), part);
  const Node& written = *section.find("motion");
  const bool slides = info(type).nv == 6;
  const std::string title = "the motion of " + section.title();
  Symbols only_time;
  only_time.coordinates = false;
  const Section motion(written, title,
                       slides ? std::vector<std::string>{"position", "orientation"}
                              : std::vector<std::string>{"rpy", "axis", "angle"},
                       part.diagnostics());
  model::Model& model = part.reading.model;
  const auto add = [&](model::Joint joint, const std::string& full, int a, int b) {
    joint.name = full;
    joint.from = a;
    joint.to = b;
    joint.where = key.where;
    part.reading.joints.emplace(full, static_cast<int>(model.joints.size()));
    model.joints.push_back(std::move(joint));
  };
  if (!slides) return add(read_turn(written, title, only_time, part), name, from, to);
  model::Joint slide, turn;
  slide.type = JointType::xyz;
  slide.motion = {0, 0, 0};
  if (const Node* position = motion.find("position")) {
    const auto xyz = read_expressions(*position, title, "position", kinds::length, only_time, part);
    slide.motion = std::vector<model::Expr>(xyz.begin(), xyz.end());
  }
  if (const Node* orientation = motion.find("orientation"))
    turn = read_turn(*orientation, title, only_time, part);
  const int between = model.add_body(name + ".between", {}, key.where);
  const int middle = model.bodies[static_cast<size_t>(between)].origin;
  add(std::move(slide), name, from, middle);
  add(std::move(turn), name + ".turn", middle, to);
}

std::optional<int> read_joint(const Node& key, const Node& node, Part& part) {
  const std::optional<std::string> name =  // it decides which keys there may be
      find_type(node, "joint " + quoted(part.full(key.text())), "joint", model::joint_type_names(),
                part.diagnostics());
  if (!name) return std::nullopt;
  const JointType type = *model::find_joint_type(*name);
  if (const Node* motion = node.find("motion");
      motion && motion->is_mapping() && model::info(type).on_quaternion()) {
    read_posed_joint(key, node, type, part);
    return std::nullopt;
  }
  const JointInfo& info = model::info(type);
  const Section section(node, fmt::format("{} joint {}", info.name, quoted(part.full(key.text()))),
                        keys_of(info), part.diagnostics());
  model::Joint joint;
  joint.name = part.full(key.text());
  joint.type = type;
  joint.where = key.where;
  std::tie(joint.from, joint.to) = read_ends(section, key.name(), part);
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

// {joint, ratio, offset}: q of this joint = ratio * q of the other one + offset.
void read_mimic(const Node& node, int index, Part& part) {
  model::Joint& joint = part.reading.model.joints[static_cast<size_t>(index)];
  const std::string title = "the mimic of joint " + quoted(joint.name);
  const Section section(node, title, {"joint", "ratio", "offset"}, part.diagnostics());
  const Node* leader = node.is_mapping() ? section.require("joint") : nullptr;
  const auto found = leader ? read_joint_name(*leader, title, part) : std::nullopt;
  if (!found) return;
  model::Mimic mimic{*found};
  if (const Node* ratio = section.find("ratio"))
    mimic.ratio = part.scope.number(*ratio, kinds::any).value_or(1);
  if (const Node* offset = section.find("offset"))
    mimic.offset = part.scope.number(*offset, kinds_of(info(joint.type), 0).position).value_or(0);
  if (joint.friction)
    part.diagnostics().error(node.where, title + ": a joint that follows another has no friction",
                             "give the friction to the joint that leads");
  joint.mimic = mimic;
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
  part.reading.model.expect(0, 0, node.entries().size());
  std::vector<std::pair<const Node*, int>> joints;
  for (const Node::Entry& entry : named_entries(node, "joint", part.diagnostics()))
    if (const std::optional<int> index = read_joint(entry.key, entry.value, part))
      joints.emplace_back(&entry.value, *index);

  base::Diagnostics known;  // unknown keys were reported in the first pass
  for (const auto& [values, index] : joints) {
    const model::Joint& joint = part.reading.model.joints[static_cast<size_t>(index)];
    const JointInfo& info = model::info(joint.type);
    if (info.nv == 0) continue;
    const Section section(*values, fmt::format("{} joint {}", info.name, quoted(joint.name)),
                          keys_of(info), known);
    read_joint_values(section, index, part);
    if (const Node* mimic = section.find("mimic")) read_mimic(*mimic, index, part);
    read_joint_forces(section, index, part);
  }
}

}  // namespace couplet::formats::yaml
