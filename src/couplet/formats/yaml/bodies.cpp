// Gravity, bodies and their points.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/inertia.hpp"
#include "couplet/formats/yaml/reader.hpp"

namespace couplet::formats::yaml {

using base::quoted;
using math::Mat3;
using math::Pose;
using math::Vec3;

namespace {

model::Gravity read_gravity_value(const Node& node, const Scope& scope) {
  if (node.is_scalar()) {
    if (node.text() != "none")
      scope.diagnostics().error(node.where,
                                "gravity: expected [x, y, z] or none, got " + quoted(node.text()),
                                "write gravity: [0, 0, -9.81]");
    return model::UniformGravity{};
  }
  if (node.is_sequence()) {
    const std::optional<Vec3> g = read_vector(node, kinds::acceleration, scope);
    return model::UniformGravity{g.value_or(Vec3::Zero())};
  }
  const Section section(node, "gravity", {"centre", "mu"}, scope.diagnostics());
  model::PointGravity gravity;
  if (const Node* centre = section.find("centre"))
    gravity.centre = read_vector(*centre, kinds::length, scope).value_or(Vec3::Zero());
  if (const Node* mu = section.require("mu")) gravity.mu = scope.number(*mu, kinds::mu).value_or(0);
  if (gravity.mu < 0)
    scope.diagnostics().error(section.where("mu"), fmt::format("gravity: mu is {} < 0", gravity.mu),
                              "give mu = G M > 0; for the Earth it is 3.986004418e14 m^3/s^2");
  return gravity;
}

bool is_same(const model::Gravity& a, const model::Gravity& b) {
  if (a.index() != b.index()) return false;
  if (const auto* uniform = std::get_if<model::UniformGravity>(&a))
    return uniform->g == std::get<model::UniformGravity>(b).g;
  const auto& point_a = std::get<model::PointGravity>(a);
  const auto& point_b = std::get<model::PointGravity>(b);
  return point_a.mu == point_b.mu && point_a.centre == point_b.centre;
}

}  // namespace

/// Gravity belongs to the outermost model; a subsystem may only repeat it.
void read_gravity(const Node& node, Part& part) {
  if (part.scope.prefix().empty())
    return read_derived(
        {model::Derived::Kind::gravity, 0, -1, node.where},
        [&node](const Scope& scope, model::Model& model) {
          model.gravity = read_gravity_value(node, scope);
        },
        part);
  if (!is_same(read_gravity_value(node, part.scope), part.reading.model.gravity))
    part.diagnostics().warning(node.where, fmt::format("the gravity of {} is ignored", part.title),
                               "give gravity in the outermost model only");
}

namespace {

// Points placed on another one; `owner` is the first part of their names.
void read_points(const Node& node, const std::string& owner, int base_point, Part& part) {
  for (const auto& [key, value] : named_entries(node, "point", part.diagnostics())) {
    const std::string name = owner + "." + key.name();
    add_point(name, base_point, value, "point " + quoted(name), key.where, part);
  }
}

bool read_particle(const Section& section, const Part& part) {
  const Node* node = section.find("particle");
  const bool particle = node && read_flag(*node, part.diagnostics()).value_or(false);
  for (const char* key : {"inertia", "shape"})
    if (particle && section.has(key))
      part.diagnostics().error(section.where(key),
                               fmt::format("{} is a particle and has no {}", section.title(), key),
                               "remove it, or remove 'particle: true'");
  return particle;
}

double read_mass(const Section& section, const Scope& scope) {
  const Node* node = section.require("mass");
  const std::optional<double> mass = node ? scope.number(*node, kinds::mass) : std::nullopt;
  if (!mass || *mass >= 0) return mass.value_or(0);
  scope.diagnostics().error(node->where, fmt::format("{} has mass {} kg", section.title(), *mass),
                            "give a mass > 0, or 0 for a body without mass");
  return 0;
}

math::MassProperties read_mass_properties(const Section& section, bool particle,
                                          const Scope& scope) {
  math::MassProperties properties;
  properties.mass = read_mass(section, scope);
  if (const Node* com = section.find("com"))
    properties.com = read_vector(*com, kinds::length, scope).value_or(Vec3::Zero());
  const Node* inertia = section.find("inertia");
  const Node* shape = section.find("shape");
  if (particle) return properties;
  if (inertia && shape)
    scope.diagnostics().error(section.where("shape"),
                              section.title() + " has both an inertia and a shape",
                              "keep one of them");
  else if (inertia)
    properties.inertia =
        read_inertia(*inertia, section.title(), properties.mass, properties.com, scope)
            .value_or(Mat3::Zero());
  else if (shape)
    properties.inertia =
        read_shape(*shape, section.title(), properties.mass, scope).value_or(Mat3::Zero());
  else if (properties.mass > 0 && !section.node().find("inertia") && !section.node().find("shape"))
    scope.diagnostics().error(section.where(), section.title() + " has mass but no inertia",
                              "add an inertia or a shape, or write particle: true");
  return properties;
}

void read_body(const Node& key, const Node& node, Part& part) {
  const Section section(node, "body " + quoted(part.full(key.text())),
                        {"mass", "com", "inertia", "shape", "particle", "points", "frames"},
                        part.diagnostics());
  const bool particle = read_particle(section, part);
  const int body = part.reading.model.add_body(part.full(key.text()), {}, key.where);
  model::Body& added = part.reading.model.bodies.back();
  added.particle = particle;
  const int origin = added.origin;
  part.reading.points.emplace(added.name, origin);
  read_derived(
      {model::Derived::Kind::mass, body, -1, key.where},
      [&node, title = section.title(), particle, body](const Scope& scope, model::Model& model) {
        const Section again(node, title, scope.diagnostics());
        model.bodies[static_cast<size_t>(body)].mass = read_mass_properties(again, particle, scope);
      },
      part);
  for (const char* name : {"points", "frames"})
    if (const Node* points = section.find(name)) read_points(*points, key.name(), origin, part);
}

}  // namespace

void read_bodies(const Node& node, Part& part) {
  size_t points = 0;
  for (const auto& [key, value] : node.entries())
    for (const char* name : {"points", "frames"})
      if (const Node* own = value.find(name)) points += own->entries().size();
  const size_t bodies = node.entries().size();
  part.reading.model.expect(bodies, bodies + points, 0);
  for (const auto& [key, value] : named_entries(node, "body", part.diagnostics()))
    read_body(key, value, part);
}

void read_world_points(const Node& node, Part& part) {
  read_points(node, "world", part.world_point, part);
}

}  // namespace couplet::formats::yaml
