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

model::Gravity read_gravity_value(const Node& node, const Part& part) {
  if (node.is_scalar()) {
    if (node.text != "none")
      part.diagnostics().error(node.where,
                               "gravity: expected [x, y, z] or none, got " + quoted(node.text),
                               "write gravity: [0, 0, -9.81]");
    return model::UniformGravity{};
  }
  if (node.is_sequence()) {
    const std::optional<Vec3> g = read_vector(node, kinds::acceleration, part.scope);
    return model::UniformGravity{g.value_or(Vec3::Zero())};
  }
  const Section section(node, "gravity", {"centre", "mu"}, part.diagnostics());
  model::PointGravity gravity;
  if (const Node* centre = section.find("centre"))
    gravity.centre = read_vector(*centre, kinds::length, part.scope).value_or(Vec3::Zero());
  if (const Node* mu = section.require("mu"))
    gravity.mu = part.scope.number(*mu, kinds::mu).value_or(0);
  if (gravity.mu < 0)
    part.diagnostics().error(section.where("mu"), fmt::format("gravity: mu is {} < 0", gravity.mu),
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
  const model::Gravity gravity = read_gravity_value(node, part);
  if (part.scope.prefix().empty())
    part.reading.model.gravity = gravity;
  else if (!is_same(gravity, part.reading.model.gravity))
    part.diagnostics().warning(node.where, fmt::format("the gravity of {} is ignored", part.title),
                               "give gravity in the outermost model only");
}

namespace {

// Points on a body, placed relative to the frame X_BF on it; `owner` is the first part of their
// names.
void read_points(const Node& node, const std::string& owner, int body, const Pose& X_BF,
                 Part& part) {
  for (const auto& [key, value] : named_entries(node, "point", part.diagnostics())) {
    const std::string name = owner + "." + key->text;
    const std::optional<Pose> X = read_pose(*value, "point " + quoted(name), part.scope);
    add_point(name, body, X_BF * X.value_or(Pose()), key->where, part);
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

double read_mass(const Section& section, const Part& part) {
  const Node* node = section.require("mass");
  const std::optional<double> mass = node ? part.scope.number(*node, kinds::mass) : std::nullopt;
  if (!mass || *mass >= 0) return mass.value_or(0);
  part.diagnostics().error(node->where, fmt::format("{} has mass {} kg", section.title(), *mass),
                           "give a mass > 0, or 0 for a body without mass");
  return 0;
}

math::MassProperties read_mass_properties(const Section& section, bool particle, const Part& part) {
  math::MassProperties properties;
  properties.mass = read_mass(section, part);
  if (const Node* com = section.find("com"))
    properties.com = read_vector(*com, kinds::length, part.scope).value_or(Vec3::Zero());
  const Node* inertia = section.find("inertia");
  const Node* shape = section.find("shape");
  if (particle) return properties;
  if (inertia && shape)
    part.diagnostics().error(section.where("shape"),
                             section.title() + " has both an inertia and a shape",
                             "keep one of them");
  else if (inertia)
    properties.inertia =
        read_inertia(*inertia, section.title(), properties.mass, properties.com, part.scope)
            .value_or(Mat3::Zero());
  else if (shape)
    properties.inertia =
        read_shape(*shape, section.title(), properties.mass, part.scope).value_or(Mat3::Zero());
  else if (properties.mass > 0 && !section.node().find("inertia") && !section.node().find("shape"))
    part.diagnostics().error(section.where(), section.title() + " has mass but no inertia",
                             "add an inertia or a shape, or write particle: true");
  return properties;
}

void read_body(const Node& key, const Node& node, Part& part) {
  const Section section(node, "body " + quoted(part.full(key.text)),
                        {"mass", "com", "inertia", "shape", "particle", "points", "frames"},
                        part.diagnostics());
  const bool particle = read_particle(section, part);
  const math::MassProperties mass = read_mass_properties(section, particle, part);
  const int body = part.reading.model.add_body(part.full(key.text), mass, key.where);
  model::Body& added = part.reading.model.bodies.back();
  added.particle = particle;
  part.reading.points.emplace(added.name, added.origin);
  for (const char* name : {"points", "frames"})
    if (const Node* points = section.find(name)) read_points(*points, key.text, body, {}, part);
}

}  // namespace

void read_bodies(const Node& node, Part& part) {
  for (const auto& [key, value] : named_entries(node, "body", part.diagnostics()))
    read_body(*key, *value, part);
}

void read_world_points(const Node& node, Part& part) {
  const model::Point world = part.reading.model.points[static_cast<size_t>(part.world_point)];
  read_points(node, "world", world.body, world.X_BP, part);
}

}  // namespace couplet::formats::yaml
