// Names that refer to something: points by path, joints by path, symbols in expressions.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/geometry.hpp"
#include "couplet/formats/yaml/reader.hpp"
#include "couplet/model/expand.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;

// The keys of a table that lie in this part, as it would write them.
template <class Table>
std::vector<std::string> names_in(const Table& table, const Part& part) {
  const std::string& prefix = part.scope.prefix();
  std::vector<std::string> names;
  for (const auto& [name, value] : table)
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<int> find_point(const Node& node, const std::string& title, const Part& part) {
  if (part.diagnostics().full()) return std::nullopt;
  const std::optional<std::string> path =
      find_text(node, "the name of a body or point", part.diagnostics());
  if (!path) return std::nullopt;
  if (*path == "world") return part.world_point;
  const auto found = part.reading.points.find(part.full(*path));
  if (found != part.reading.points.end()) return found->second;
  std::vector<std::string> known = names_in(part.reading.points, part);
  if (!part.scope.prefix().empty()) known.push_back("world");
  part.diagnostics().error(node.where,
                           fmt::format("{}: there is no body or point {}", title, quoted(*path)),
                           base::suggest(*path, known));
  return std::nullopt;
}

std::vector<std::string> known_symbols(const Symbols& symbols, const Part& part) {
  std::vector<std::string> names = {symbols.variable};
  if (!symbols.coordinates) return names;
  for (const auto& [name, full] : symbols.locals) names.push_back(name);
  if (symbols.speeds)
    for (const std::string& name : state_names(part)) names.push_back(name);
  for (const std::string& output : part.reading.outputs)
    if (output.starts_with(part.scope.prefix()))
      names.push_back(output.substr(part.scope.prefix().size()));
  constexpr size_t not_too_many = 1000;
  if (part.reading.points.size() < not_too_many)
    for (const std::string& point : names_in(part.reading.points, part))
      for (const char* of : {".position", ".velocity", ".angular_velocity"})
        for (const char* axis : {".x", ".y", ".z"}) names.push_back(point + of + axis);
  for (const std::string& joint : names_in(part.reading.joints, part)) {
    const int index = part.reading.joints.at(part.full(joint));
    const auto type = part.reading.model.joints[static_cast<size_t>(index)].type;
    for (const auto& [name, full] : symbols_of_joint("", model::info(type)).locals)
      names.push_back(fmt::format("{}.{}", joint, name));
  }
  for (const std::string& name : names_in(part.reading.parameters, part))
    if (name.find('.') != std::string::npos) names.push_back(name);
  return names;
}

// wheel.hub.position.x, of a point of this part.
std::optional<Name> find_point_quantity(const std::string& name, const Part& part) {
  const auto asked = model::split_point_quantity(name);
  if (!asked) return std::nullopt;
  const auto found = part.reading.points.find(part.full(asked->point));
  const bool is_world = asked->point == "world";
  if (!is_world && found == part.reading.points.end()) return std::nullopt;
  const int index = is_world ? part.world_point : found->second;
  const std::string& point = part.reading.model.points[static_cast<size_t>(index)].name;
  return Name{symbol_name(point + name.substr(asked->point.size())),
              model::dimension_of(asked->kind)};
}

// Whether something of an element of this part may be called so, as pivot.force.x or strut.pull:
// whoever records it knows better.
bool may_be_recorded(const std::string& name, const Part& part) {
  for (const char* total : {"energy.", "momentum.", "constraints."})
    if (name.starts_with(total)) return part.scope.prefix().empty();
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const std::string owner = part.full(name.substr(0, dot));
    const auto is_owner = [&](const model::Element& element) { return element.name == owner; };
    if (part.reading.joints.contains(owner) || part.reading.points.contains(owner) ||
        std::ranges::any_of(part.reading.model.forces, is_owner) ||
        std::ranges::any_of(part.reading.model.constraints, is_owner))
      return true;
  }
  return false;
}

// What an element exerts, or how something is accelerated: strut.pull, hinge.force.x.
bool follows_from_forces(const std::string& name) {
  const std::vector<std::string> parts = symbolic::split_path(name);
  constexpr std::string_view quantities[] = {
      "pull", "power",       "force",        "torque",       "effort",       "tau",
      "vdot", "local_force", "local_torque", "acceleration", "displacement", "rotation"};
  return std::ranges::any_of(std::span(parts).subspan(parts.empty() ? 0 : 1),
                             [&](const std::string& part) {
                               return std::ranges::find(quantities, part) != std::end(quantities);
                             });
}

}  // namespace

bool is_coordinate(const std::string& name, const Part& part, bool speeds_only) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return false;
  const auto found = part.reading.joints.find(part.full(name.substr(0, dot)));
  if (found == part.reading.joints.end()) return false;
  const model::JointInfo& info =
      model::info(part.reading.model.joints[static_cast<size_t>(found->second)].type);
  const std::string own = name.substr(dot + 1);
  const auto is_own = [&](const char* each) { return own == each; };
  return (!speeds_only &&
          std::any_of(info.q_names.begin(), info.q_names.begin() + info.nq, is_own)) ||
         std::any_of(info.v_names.begin(), info.v_names.begin() + info.nv, is_own);
}

bool is_state(const std::string& name, const Part& part) {
  return part.reading.states.contains(part.full(name));
}

std::vector<std::string> state_names(const Part& part) {
  return names_in(part.reading.states, part);
}

std::vector<std::string> speed_names(const Part& part) {
  std::vector<std::string> names;
  for (const std::string& joint : names_in(part.reading.joints, part)) {
    const int index = part.reading.joints.at(part.full(joint));
    const model::JointInfo& info =
        model::info(part.reading.model.joints[static_cast<size_t>(index)].type);
    for (int i = 0; i < info.nv; ++i)
      names.push_back(joint + "." + info.v_names[static_cast<size_t>(i)]);
  }
  return names;
}

int add_point(const std::string& name, int base_point, const Node& placement,
              const std::string& title, const base::SourceLocation& where, Part& part) {
  model::Model& model = part.reading.model;
  const int body = model.points[static_cast<size_t>(base_point)].body;
  const int index = model.add_point(part.full(name), body, {}, where);
  read_derived(
      {model::Derived::Kind::point, index, base_point, where},
      [=](const Scope& scope, model::Model& m) {
        const math::Pose X = read_pose(placement, title, scope).value_or(math::Pose());
        m.points[static_cast<size_t>(index)].X_BP =
            m.points[static_cast<size_t>(base_point)].X_BP * X;
      },
      part);
  if (!part.reading.points.emplace(part.full(name), index).second)
    part.diagnostics().error(where, fmt::format("there are two points {}", quoted(part.full(name))),
                             "give one of them another name");
  return index;
}

std::optional<int> read_point(const Node& node, const std::string& title,
                              const std::string& anonymous, Part& part) {
  if (!node.is_mapping()) return find_point(node, title, part);
  const Section section(node, title, {"body", "position", "orientation"}, part.diagnostics());
  const Node* body = section.require("body");
  std::vector<Node::Entry> entries(node.entries().begin(), node.entries().end());
  std::erase_if(entries, [](const Node::Entry& entry) {
    return entry.key.text() != "position" && entry.key.text() != "orientation";
  });
  const Node placement = part.reading.open_files.back().tree->make_mapping(node.where, entries);
  const std::optional<int> on = body ? find_point(*body, title, part) : std::nullopt;
  if (on) return add_point(anonymous, *on, placement, title, node.where, part);
  read_pose(placement, title, part.scope);  // for its mistakes
  return std::nullopt;
}

std::optional<int> read_joint_name(const Node& node, const std::string& title, const Part& part) {
  const std::optional<std::string> path =
      find_text(node, "the name of a joint", part.diagnostics());
  if (!path) return std::nullopt;
  const auto found = part.reading.joints.find(part.full(*path));
  if (found != part.reading.joints.end()) return found->second;
  part.diagnostics().error(node.where,
                           fmt::format("{}: there is no joint {}", title, quoted(*path)),
                           base::suggest(*path, names_in(part.reading.joints, part)));
  return std::nullopt;
}

std::optional<model::Expr> read_expression(const Node& node, const Kind& kind,
                                           const Symbols& symbols, const Part& part) {
  const auto lookup = [&](const std::string& name) -> std::optional<Name> {
    if (name == symbols.variable) return Name{name, std::nullopt};
    if (!symbols.coordinates && (symbols.locals.contains(name) || is_coordinate(name, part))) {
      part.diagnostics().error(
          node.where,
          fmt::format("{} cannot depend on coordinates such as {}", symbols.user, quoted(name)),
          fmt::format("write it as a function of {}{} and of parameters",
                      symbols.variable == "t" ? "the time " : "", symbols.variable));
      return Name{"0", std::nullopt};
    }
    if (!(symbols.coordinates && symbols.speeds) && is_state(name, part)) {
      part.diagnostics().error(
          node.where,
          fmt::format("{} cannot depend on states such as {}", symbols.user, quoted(name)),
          "its derivatives would be needed; let a force follow the state instead");
      return Name{"0", std::nullopt};
    }
    if (!symbols.speeds && is_coordinate(name, part, true)) {
      part.diagnostics().error(
          node.where,
          fmt::format("{} cannot depend on speeds such as {}", symbols.user, quoted(name)),
          "relate positions; of constraints on speeds there is type: rolling");
      return Name{"0", std::nullopt};
    }
    if (const auto local = symbols.locals.find(name); local != symbols.locals.end()) {
      if (const bool parameter = part.scope.find_parameter(name); parameter || is_state(name, part))
        part.diagnostics().warning(
            node.where,
            fmt::format("{} means {} here, not the {} of that name", quoted(name), local->second,
                        parameter ? "parameter" : "state"),
            parameter ? "rename the parameter" : "rename the state");
      return Name{symbol_name(part.full(local->second)), std::nullopt};
    }
    if (symbols.coordinates && (is_coordinate(name, part) || is_state(name, part)))
      return Name{symbol_name(part.full(name)), std::nullopt};
    if (const auto quantity = find_point_quantity(name, part)) {
      const bool position = name[name.size() - 3] == 'n';  // position, velocity
      if (!symbols.coordinates || (!symbols.speeds && !position)) {
        part.diagnostics().error(
            node.where,
            fmt::format("{} cannot depend on {} such as {}", symbols.user,
                        position ? "positions" : "velocities", quoted(name)),
            symbols.coordinates
                ? "relate positions; of constraints on speeds there is type: rolling"
                : fmt::format("write it as a function of {} and of parameters", symbols.variable));
        return Name{"0", std::nullopt};
      }
      return quantity;
    }
    const bool is_output =
        symbols.variable == "t" && part.reading.outputs.contains(part.full(name));
    if (is_output && !part.scope.find_parameter(name))
      return Name{symbol_name(part.full(name)), std::nullopt};
    if (symbols.recorded && may_be_recorded(name, part) &&
        !part.reading.parameters.contains(part.full(name)))
      return Name{symbol_name(part.full(name)), std::nullopt};
    const auto inner = part.reading.parameters.find(part.full(name));  // of a subsystem
    if (inner != part.reading.parameters.end())
      return Name{symbol_name(part.full(name)), inner->second};
    if (!symbols.coordinates || !follows_from_forces(name)) return std::nullopt;
    part.diagnostics().error(
        node.where, fmt::format("{} is known only after the forces", quoted(name)),
        "make an output of the expression behind it, and use that in both places");
    return Name{"0", std::nullopt};
  };
  return part.scope.expression(node, kind, lookup, [&] { return known_symbols(symbols, part); });
}

std::array<model::Expr, 3> read_expressions(const Node& node, const std::string& title,
                                            const char* key, const Kind& kind,
                                            const Symbols& symbols, const Part& part) {
  std::array<model::Expr, 3> values{0, 0, 0};
  if (!node.is_sequence() || node.items().size() != 3) {
    part.diagnostics().error(node.where,
                             fmt::format("{}: expected a list of 3 values for {}", title, key),
                             fmt::format("write [x, y, z] ({})", kind.unit));
    return values;
  }
  for (size_t i = 0; i < 3; ++i)
    values[i] = read_expression(node.items()[i], kind, symbols, part).value_or(0);
  return values;
}

}  // namespace couplet::formats::yaml
