// Values of a joint's coordinates: initial positions and speeds, limits, prescribed motion,
// friction.
#include <fmt/format.h>

#include <tuple>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/geometry.hpp"
#include "couplet/formats/yaml/reader.hpp"

namespace couplet::formats::yaml {

using model::JointInfo;

FreedomKinds kinds_of(const JointInfo& info, int freedom) {
  if (info.angular >> freedom & 1)
    return {kinds::angle, kinds::angular_speed, kinds::torque, kinds::angular_stiffness,
            kinds::angular_damping};
  return {kinds::length, kinds::speed, kinds::force, kinds::stiffness, kinds::damping};
}

namespace {

// The values of a key, one per coordinate: a list, or the value itself if there is one coordinate.
std::vector<const Node*> values_of(const Node& node, int count, const Section& section,
                                   const char* key, const Scope& scope) {
  if (count == 1 && !node.is_sequence()) return {&node};
  if (node.is_sequence() && node.items().size() == static_cast<size_t>(count)) {
    std::vector<const Node*> values;
    for (const Node& item : node.items()) values.push_back(&item);
    return values;
  }
  scope.diagnostics().error(
      node.where,
      fmt::format(
          "{}: expected {} value{} for {}, got {}", section.title(), count, count == 1 ? "" : "s",
          key,
          node.is_sequence() ? fmt::format("a list of {}", node.items().size()) : describe(node)),
      count == 1 ? "write one number" : fmt::format("write a list of {}", count));
  return {};
}

// Positions of joints on quaternions: numbers, or an orientation (and position) in words.
void read_quaternion_position(const Node& node, const Section& section, const JointInfo& info,
                              model::Joint& joint, const Scope& scope) {
  const auto set = [&](const math::Quaternion& q, const math::Vec3& p) {
    joint.q0 = {q[0], q[1], q[2], q[3]};
    if (info.nq == 7) joint.q0 = {q[0], q[1], q[2], q[3], p[0], p[1], p[2]};
  };
  if (node.is_mapping() && info.nq == 4) {
    if (const auto R = read_orientation(node, scope)) set(math::quaternion(*R), math::Vec3::Zero());
    return;
  }
  if (node.is_mapping()) {
    if (const auto X = read_pose(node, section.title(), scope)) set(math::quaternion(X->R), X->p);
    return;
  }
  const std::vector<const Node*> values = values_of(node, info.nq, section, "q", scope);
  if (values.empty()) return;
  const auto some = [&](size_t first, size_t count) {
    return Node(node.where, node.items().subspan(first, count));
  };
  const std::optional<math::Quaternion> q = read_quaternion(some(0, 4), scope);
  if (info.nq == 4) {
    if (q) set(*q, math::Vec3::Zero());
    return;
  }
  const std::optional<math::Vec3> p = read_vector(some(4, 3), kinds::length, scope);
  if (q && p) set(*q, *p);
}

void read_position(const Node& node, const Section& section, const JointInfo& info,
                   model::Joint& joint, const Scope& scope) {
  if (info.on_quaternion()) return read_quaternion_position(node, section, info, joint, scope);
  int i = 0;
  for (const Node* value : values_of(node, info.nq, section, "q", scope))
    joint.q0.push_back(scope.number(*value, kinds_of(info, i++).position).value_or(0));
}

void read_speed(const Node& node, const Section& section, const JointInfo& info,
                model::Joint& joint, const Scope& scope) {
  int i = 0;
  for (const Node* value : values_of(node, info.nv, section, "v", scope))
    joint.v0.push_back(scope.number(*value, kinds_of(info, i++).speed).value_or(0));
}

// [lower, upper], or {lower: …} and {upper: …} for a range that is open on one side.
model::Limits read_range(const Node& node, const Kind& kind, const Section& joint,
                         const Scope& scope) {
  model::Limits limits;
  const auto set = [&](double& bound, const Node* value) {
    if (!value) return;
    if (const std::optional<double> number = scope.number(*value, kind)) bound = *number;
  };
  if (node.is_sequence() && node.items().size() == 2) {
    set(limits.lower, &node.items()[0]);
    set(limits.upper, &node.items()[1]);
  } else if (node.is_mapping()) {
    const Section section(node, "limits", {"lower", "upper", "restitution"}, scope.diagnostics());
    set(limits.lower, section.find("lower"));
    set(limits.upper, section.find("upper"));
    if (const Node* e = section.find("restitution")) {
      limits.restitution = scope.number(*e, kinds::number).value_or(0);
      if (limits.restitution < 0 || limits.restitution > 1)
        scope.diagnostics().error(
            e->where,
            fmt::format("{}: a restitution of {} is not possible", joint.title(),
                        limits.restitution),
            "give a number from 0 (stays at the stop) to 1 (bounces without loss)");
    }
  } else {
    scope.diagnostics().error(node.where, joint.title() + ": expected [lower, upper] as limits",
                              "write [-1, 1], or {upper: 1} if there is no lower limit");
  }
  if (limits.lower > limits.upper)
    scope.diagnostics().error(node.where,
                              fmt::format("{}: the lower limit {} is above the upper limit {}",
                                          joint.title(), limits.lower, limits.upper),
                              "write the lower limit first");
  return limits;
}

void read_limits(const Node& node, const Section& section, const JointInfo& info,
                 model::Joint& joint, const Scope& scope) {
  if (info.on_quaternion())
    return scope.diagnostics().error(section.where("limits"),
                                     section.title() + " cannot have limits: it has no angles",
                                     "remove them, or use a gimbal joint");
  if (info.nv == 1) {
    joint.limits.push_back(read_range(node, kinds_of(info, 0).position, section, scope));
    return;
  }
  int i = 0;
  for (const Node* value : values_of(node, info.nv, section, "limits", scope))
    joint.limits.push_back(read_range(*value, kinds_of(info, i++).position, section, scope));
}

void read_motion(const Node& node, const Section& section, const JointInfo& info,
                 model::Joint& joint, const Part& part) {
  if (info.on_quaternion())
    return part.diagnostics().error(
        section.where("motion"),
        section.title() + " is on a quaternion; its motion cannot be prescribed",
        info.nv == 6 ? "write motion: {position: [x, y, z], orientation: {rpy: [roll, pitch, yaw]}}"
                     : "write motion: {rpy: [roll, pitch, yaw]} or {axis: …, angle: …}");
  for (const char* key : {"q", "v"})
    if (section.has(key))
      part.diagnostics().error(
          section.where(key),
          fmt::format("{} has a motion, which gives {} already", section.title(), key),
          "remove one of them");
  Symbols only_time = symbols_of_joint(joint.name, info);
  only_time.coordinates = false;
  int i = 0;
  for (const Node* value : values_of(node, info.nv, section, "motion", part.scope))
    joint.motion.push_back(
        read_expression(*value, kinds_of(info, i++).position, only_time, part).value_or(0));
}

// {coefficient, static-coefficient, radius, force, torque, stick-speed}; with a coefficient turning
// freedoms need the radius at which the joint rubs.
void read_friction(const Node& node, const Section& joint_section, const JointInfo& info,
                   model::Joint& joint, const Scope& scope) {
  const Section section(
      node, "the friction of " + joint_section.title(),
      {"coefficient", "static-coefficient", "radius", "force", "torque", "stick-speed"},
      scope.diagnostics());
  if (!node.is_mapping()) return;
  const unsigned all = (1u << info.nv) - 1;
  const Kind& speed = info.angular == all ? kinds::angular_speed
                      : info.angular == 0 ? kinds::speed
                                          : kinds::any;
  model::Friction friction;
  const bool constant = section.has("force") || section.has("torque");
  const bool sticks = section.has("static-coefficient");
  const bool presses = !constant || sticks || section.has("coefficient");
  if (const Node* value = presses ? section.require("coefficient") : nullptr)
    friction.coefficient = scope.number(*value, kinds::number).value_or(0);
  if (const Node* value = section.find("static-coefficient"))
    friction.static_coefficient = scope.number(*value, kinds::number);
  if (friction.static_coefficient.value_or(friction.coefficient) < friction.coefficient)
    scope.diagnostics().error(
        section.where("static-coefficient"),
        fmt::format("{}: the static coefficient {} is below the coefficient {}", section.title(),
                    *friction.static_coefficient, friction.coefficient),
        fmt::format("give at least {}, or leave it out", friction.coefficient));
  if (const Node* value =
          presses && info.angular != 0 ? section.require("radius") : section.find("radius"))
    friction.radius = scope.number(*value, kinds::length).value_or(0);
  if (const Node* value = section.find("stick-speed"))
    friction.stick_speed = scope.number(*value, speed).value_or(0);
  if (const Node* value = section.find("force"))
    friction.force = scope.number(*value, kinds::force).value_or(0);
  if (const Node* value = section.find("torque"))
    friction.torque = scope.number(*value, kinds::torque).value_or(0);
  for (const auto& [key, none, how] : {std::tuple("force", info.angular == all, "turns"),
                                       std::tuple("torque", info.angular == 0, "slides")})
    if (section.has(key) && none)
      scope.diagnostics().error(
          section.where(key), fmt::format("{} has no {}: the joint {}", section.title(), key, how),
          fmt::format("write {}", info.angular == 0 ? "force" : "torque"));
  if (section.has("radius") && info.angular == 0)
    scope.diagnostics().error(section.where("radius"),
                              section.title() + " needs no radius: the joint slides", "remove it");
  joint.friction = friction;
}

void read_start(const Section& section, const JointInfo& info, model::Joint& joint,
                const Scope& scope) {
  joint.q0.clear();
  joint.v0.clear();
  if (const Node* q = section.find("q")) read_position(*q, section, info, joint, scope);
  if (const Node* v = section.find("v")) read_speed(*v, section, info, joint, scope);
}

void read_all_limits(const Section& section, const JointInfo& info, model::Joint& joint,
                     const Scope& scope) {
  joint.limits.clear();
  if (const Node* limits = section.find("limits"))
    read_limits(*limits, section, info, joint, scope);
}

void read_all_friction(const Section& section, const JointInfo& info, model::Joint& joint,
                       const Scope& scope) {
  if (const Node* friction = section.find("friction"))
    read_friction(*friction, section, info, joint, scope);
}

}  // namespace

void read_joint_values(const Section& section, int index, Part& part) {
  const auto joint_of = [index](model::Model& model) -> model::Joint& {
    return model.joints[static_cast<size_t>(index)];
  };
  const JointInfo& info = model::info(joint_of(part.reading.model).type);
  // Reads one group of keys; each may depend on parameters.
  const auto read = [&](model::Derived::Kind kind, auto set) {
    read_derived(
        {kind, index, -1, section.where()},
        [&node = section.node(), title = section.title(), set, joint_of, &info](
            const Scope& scope, model::Model& model) {
          set(Section(node, title, scope.diagnostics()), info, joint_of(model), scope);
        },
        part);
  };
  read(model::Derived::Kind::start, read_start);
  read(model::Derived::Kind::limits, read_all_limits);
  if (const Node* motion = section.find("motion"))
    read_motion(*motion, section, info, joint_of(part.reading.model), part);
  read(model::Derived::Kind::friction, read_all_friction);
}

}  // namespace couplet::formats::yaml
