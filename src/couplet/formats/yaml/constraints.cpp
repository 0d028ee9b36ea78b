// Constraints besides joints: points on lines, planes and curves, rods, rolling, and relations
// between coordinates, of which gears, couplers and racks are the common ones.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/geometry.hpp"
#include "couplet/formats/yaml/reader.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;
using math::Mat3;
using model::Expr;
using model::JointInfo;
using ConstraintKind = decltype(model::Constraint::kind);

/// One entry of `constraints` with what its values are read by.
struct Entry {
  const std::string& name;
  const Section& section;
  Part& part;

  int point(const char* key) const {
    const Node* node = section.require(key);
    return node ? read_point(*node, section.title(), name + "." + key, part).value_or(0) : 0;
  }
  double number(const char* key, const Kind& kind) const {
    const Node* node = section.require(key);
    return node ? part.scope.number(*node, kind).value_or(0) : 0;
  }
  double number_or_zero(const char* key, const Kind& kind) const {
    return section.has(key) ? number(key, kind) : 0;
  }
  Mat3 axes(const char* key) const {
    const Node* node = section.find(key);
    const auto z = node ? read_axis(*node, part.scope) : std::nullopt;
    return z ? math::rotation_with_z(*z) : Mat3::Identity();
  }
  Expr expression(const char* key, const Kind& kind, const Symbols& symbols) const {
    const Node* node = section.require(key);
    if (!node) return 0;
    const Expr value = read_expression(*node, kind, symbols, part).value_or(0);
    hold(value, node->where);
    return value;
  }
  /// Parameters of a constraint cannot jump while the model moves.
  void hold(const Expr& value, const base::SourceLocation& where) const {
    for (const std::string& symbol : symbolic::find_symbols(value))
      if (symbol.starts_with(part.scope.prefix()))
        part.scope.hold(symbol.substr(part.scope.prefix().size()), where);
  }
};

// ---- points

ConstraintKind read_distance(const Entry& entry) {
  Symbols only_time;
  only_time.coordinates = false;
  only_time.user = "the length of a distance";
  return model::Distance{entry.point("from"), entry.point("to"),
                         entry.expression("length", kinds::length, only_time)};
}

ConstraintKind read_on_line(const Entry& entry) {
  return model::PointOnLine{entry.point("point"), entry.point("on"), entry.axes("axis")};
}

ConstraintKind read_on_plane(const Entry& entry) {
  return model::PointOnPlane{entry.point("point"), entry.point("on"), entry.axes("normal")};
}

ConstraintKind read_on_curve(const Entry& entry) {
  Symbols only_s;
  only_s.coordinates = false;
  only_s.user = "a curve";
  only_s.variable = "s";
  model::PointOnCurve curve{entry.point("point"), entry.point("on"), {0, 0, 0}, 0};
  if (const Node* node = entry.section.require("curve")) {
    if (entry.part.scope.find_parameter("s") || entry.part.reading.parameters.contains("s"))
      entry.part.diagnostics().error(
          node->where,
          entry.section.title() + ": s runs along the curve, but a parameter has that name too",
          "rename the parameter");
    curve.curve =
        read_expressions(*node, entry.section.title(), "curve", kinds::length, only_s, entry.part);
    for (const Expr& x : curve.curve) entry.hold(x, node->where);
  }
  curve.s0 = entry.number_or_zero("s", kinds::any);
  return curve;
}

ConstraintKind read_rolling(const Entry& entry) {
  model::Rolling rolling;
  if (entry.section.require_one_of({"wheel", "ball"})) {
    rolling.ball = entry.section.has("ball");
    rolling.wheel = entry.point(rolling.ball ? "ball" : "wheel");
  }
  if (rolling.ball && entry.section.has("axis"))
    entry.part.diagnostics().error(entry.section.where("axis"),
                                   entry.section.title() + ": a ball has no axis",
                                   "remove it, or write wheel instead of ball");
  rolling.on = entry.point("on");
  rolling.radius = entry.number("radius", kinds::length);
  rolling.R_axes = entry.axes("axis");
  rolling.R_plane = entry.axes("normal");
  return rolling;
}

// ---- relations between coordinates

/// A coordinate, as "elbow" (of a joint with one freedom) or "bore.q2", and whether it is an angle.
struct Coordinate {
  Expr q;
  bool angle = false;
};

std::optional<Coordinate> read_coordinate(const Node& node, const Entry& entry) {
  const Part& part = entry.part;
  const size_t dot = node.text.rfind('.');
  const bool of_joint =
      node.is_scalar() && is_coordinate(node.text, part) && !is_coordinate(node.text, part, true);
  Node joint_node = node;
  if (of_joint) joint_node.text.resize(dot);
  const std::optional<int> joint = read_joint_name(joint_node, entry.section.title(), part);
  if (!joint) return std::nullopt;
  const JointInfo& info = model::info(part.reading.model.joints[static_cast<size_t>(*joint)].type);
  const auto own = [&](int i) { return std::string(info.q_names[static_cast<size_t>(i)]); };
  int which = 0;
  if (of_joint)
    while (own(which) != node.text.substr(dot + 1)) ++which;
  if (info.on_quaternion() || info.nv == 0 || (!of_joint && info.nv > 1)) {
    part.diagnostics().error(node.where,
                             fmt::format("{}: {} joint {} has {}", entry.section.title(), info.name,
                                         quoted(joint_node.text),
                                         info.nv == 0           ? "no coordinate"
                                         : info.on_quaternion() ? "no angles"
                                                                : "several coordinates"),
                             info.nv == 0 || info.on_quaternion()
                                 ? "choose a joint that turns about or slides along axes"
                                 : fmt::format("write {}.{}", node.text, own(0)));
    return std::nullopt;
  }
  const std::string name = part.full(joint_node.text) + "." + own(which);
  return Coordinate{Expr::symbol(symbol_name(name)), (info.angular >> which & 1) != 0};
}

// The coordinate under a key, of the right kind.
Expr read_turning(const Node* node, bool angle, const Entry& entry) {
  const auto found = node ? read_coordinate(*node, entry) : std::nullopt;
  if (found && found->angle != angle)
    entry.part.diagnostics().error(
        node->where,
        fmt::format("{}: joint {} {}", entry.section.title(), quoted(node->text),
                    angle ? "slides" : "turns"),
        angle ? "choose one that turns; a coupler relates any coordinates"
              : "choose one that slides; a coupler relates any coordinates");
  return found ? found->q : Expr(0);
}

ConstraintKind read_gear(const Entry& entry) {
  const Node* joints = entry.section.require("joints");
  const size_t complaints = entry.part.diagnostics().list().size();
  const double ratio = entry.number("ratio", kinds::number);
  const bool read = entry.part.diagnostics().list().size() == complaints;
  const double offset = entry.number_or_zero("offset", kinds::angle);
  if (!joints) return model::Relation{};
  if (!joints->is_sequence() || joints->items.size() != 2) {
    entry.part.diagnostics().error(joints->where, entry.section.title() + ": expected two joints",
                                   "write joints: [first, second]; first = ratio*second + offset");
    return model::Relation{};
  }
  const Expr first = read_turning(joints->items[0], true, entry),
             second = read_turning(joints->items[1], true, entry);
  if (first == second)
    entry.part.diagnostics().error(joints->where,
                                   entry.section.title() + " connects a joint with itself",
                                   "choose two joints");
  if (const Node* given = entry.section.find("ratio"); read && given && ratio == 0)
    entry.part.diagnostics().error(
        given->where, entry.section.title() + " has a ratio of 0",
        "give the turns of the first joint per turn of the second; a weld holds a joint");
  return model::Relation{first - ratio * second - offset};
}

ConstraintKind read_coupler(const Entry& entry) {
  const Node* joints = entry.section.require("joints");
  Expr sum = -entry.number_or_zero("offset", kinds::any);
  if (!joints) return model::Relation{};
  if (!joints->is_mapping() || joints->entries.empty()) {
    entry.part.diagnostics().error(
        joints->where, entry.section.title() + ": expected joints and their factors",
        "write joints: {left: 1, right: -1}; the sum of factor*joint is the offset");
    return model::Relation{};
  }
  for (const Node::Entry& term : joints->entries) {
    const auto coordinate = read_coordinate(*term.key, entry);
    const auto factor = entry.part.scope.number(*term.value, kinds::any);
    if (coordinate && factor) sum += *factor * coordinate->q;
  }
  return model::Relation{sum};
}

ConstraintKind read_rack(const Entry& entry) {
  const Expr pinion = read_turning(entry.section.require("pinion"), true, entry);
  const Expr rack = read_turning(entry.section.require("rack"), false, entry);
  const double radius = entry.number("radius", kinds::length);
  if (entry.section.has("radius") && !(radius > 0))
    entry.part.diagnostics().error(
        entry.section.find("radius")->where,
        fmt::format("{} has a radius of {} m", entry.section.title(), radius),
        "give a radius > 0; turn an axis round to change the direction");
  return model::Relation{rack - radius * pinion - entry.number_or_zero("offset", kinds::length)};
}

ConstraintKind read_relation(const Entry& entry) {
  Symbols positions;
  positions.speeds = false;
  positions.user = "a relation";
  return model::Relation{entry.expression("value", kinds::any, positions)};
}

// ---- the list

struct ConstraintType {
  const char* name;
  std::vector<std::string> keys;
  ConstraintKind (*read)(const Entry&);
};

const std::vector<ConstraintType>& constraint_types() {
  static const std::vector<ConstraintType> types = {
      {"distance", {"from", "to", "length"}, read_distance},
      {"on-line", {"point", "on", "axis"}, read_on_line},
      {"on-plane", {"point", "on", "normal"}, read_on_plane},
      {"on-curve", {"point", "on", "curve", "s"}, read_on_curve},
      {"rolling", {"wheel", "ball", "radius", "on", "axis", "normal"}, read_rolling},
      {"gear", {"joints", "ratio", "offset"}, read_gear},
      {"rack-and-pinion", {"pinion", "rack", "radius", "offset"}, read_rack},
      {"coupler", {"joints", "offset"}, read_coupler},
      {"relation", {"value"}, read_relation},
  };
  return types;
}

}  // namespace

void read_constraints(const Node& node, Part& part) {
  std::vector<std::string> names;
  for (const ConstraintType& type : constraint_types()) names.emplace_back(type.name);
  for (const auto& [key, value] : named_entries(node, "constraint", part.diagnostics())) {
    const std::string full = part.full(key->text);
    const std::string* name =
        find_type(*value, "constraint " + quoted(full), "constraint", names, part.diagnostics());
    if (!name) continue;
    const ConstraintType& type =
        *std::find_if(constraint_types().begin(), constraint_types().end(),
                      [&](const ConstraintType& each) { return *name == each.name; });
    std::vector<std::string> keys = {"type"};
    keys.insert(keys.end(), type.keys.begin(), type.keys.end());
    const Section section(*value, fmt::format("{} {}", type.name, quoted(full)), keys,
                          part.diagnostics());
    part.reading.model.constraints.push_back(
        {full, type.read({key->text, section, part}), key->where});
  }
}

}  // namespace couplet::formats::yaml
