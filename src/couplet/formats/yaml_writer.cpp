#include "couplet/formats/yaml_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "couplet/base/text.hpp"
#include "couplet/math/spatial.hpp"

namespace couplet::formats {
namespace {

using math::Mat3;
using math::Vec3;
using model::Joint;
using model::Model;

/// Names as the format knows them, each once.
class Names {
 public:
  std::string take(const std::string& name) {
    std::string free = name;
    for (char& c : free)
      if (std::string_view(".'\"\\").find(c) != std::string_view::npos ||
          static_cast<unsigned char>(c) < 0x20)
        c = '_';
    if (free.empty() || free == "world") free += '_';
    while (!used_.insert(free).second) free += '_';
    return of_[name] = free;
  }
  const std::string& of(const std::string& name) const { return of_.at(name); }

 private:
  std::set<std::string> used_{"world"};
  std::map<std::string, std::string> of_{{"world", "world"}};
};

// Plain where YAML takes it as it stands.
std::string quoted(const std::string& name) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  const bool letter = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  return letter && std::all_of(name.begin(), name.end(), plain) ? name : "\"" + name + "\"";
}

double clean(double x) { return x == 0 ? 0 : x; }  // no -0

std::string list(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", clean(v.x()), clean(v.y()), clean(v.z()));
}

std::string matrix(const Mat3& R) {
  return fmt::format("[{}, {}, {}]", list(R.row(0)), list(R.row(1)), list(R.row(2)));
}

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model) { check(); }

  std::string write() {
    out_ = "couplet: 1\n";
    if (!model_.name.empty()) out_ += fmt::format("name: \"{}\"\n", names_.take(model_.name));
    names_ = {};
    if (const auto* gravity = std::get_if<model::UniformGravity>(&model_.gravity))
      out_ += fmt::format("gravity: {}\n", list(gravity->g));
    out_ += "bodies:\n";
    for (size_t b = 1; b < model_.bodies.size(); ++b) add_body(model_.bodies[b]);
    if (!model_.joints.empty()) out_ += "joints:\n";
    for (const Joint& joint : model_.joints) joint_names_.take(joint.name);
    for (size_t k = 0; k < model_.joints.size(); ++k) add_joint(static_cast<int>(k));
    return out_;
  }

 private:
  void check() const {
    const bool more = !model_.parameters.empty() || !model_.states.empty() ||
                      !model_.constraints.empty() || !model_.rules.empty() ||
                      !model_.outputs.empty() || !model_.tables.empty();
    if (more)
      throw base::UserError({}, "only robots can be written as YAML, not models with expressions",
                            "copy the file");
  }

  void add_body(const model::Body& body) {
    const math::MassProperties& mass = body.mass;
    out_ += fmt::format("  {}: {{mass: {}", quoted(names_.take(body.name)), mass.mass);
    if (!mass.com.isZero(0)) out_ += fmt::format(", com: {}", list(mass.com));
    const Mat3& I = mass.inertia;
    if (mass.mass != 0 || !I.isZero(0)) {
      out_ += fmt::format(", inertia: {{xx: {}, yy: {}, zz: {}", I(0, 0), I(1, 1), I(2, 2));
      for (const auto& [key, value] : {std::pair("xy", I(0, 1)), {"xz", I(0, 2)}, {"yz", I(1, 2)}})
        if (value != 0) out_ += fmt::format(", {}: {}", key, value);
      out_ += "}";
    }
    out_ += "}\n";
  }

  std::string reference(int index) const {
    const model::Point& point = model_.points[static_cast<size_t>(index)];
    const std::string body = quoted(names_.of(model_.bodies[static_cast<size_t>(point.body)].name));
    const bool moved = !point.X_BP.p.isZero(0), turned = !point.X_BP.R.isIdentity(0);
    if (!moved && !turned) return body;
    std::string out = "{body: " + body;
    if (moved) out += ", position: " + list(point.X_BP.p);
    if (turned) out += ", orientation: " + matrix(point.X_BP.R);
    return out + "}";
  }

  void add_joint(int index) {
    const Joint& joint = model_.joints[static_cast<size_t>(index)];
    const model::JointInfo& type = info(joint.type);
    out_ += fmt::format("  {}:\n    {{type: {}", quoted(joint_names_.of(joint.name)), type.name);
    if (type.axes == model::JointInfo::Axes::one)
      out_ += fmt::format(", axis: {}", list(joint.R_axes.col(2)));
    for (const auto& [key, values] : {std::pair("q", &joint.q0), {"v", &joint.v0}})
      if (values->size() == 1) out_ += fmt::format(", {}: {}", key, (*values)[0]);
    if (!joint.limits.empty()) add_limits(joint.limits[0]);
    if (joint.mimic)
      out_ += fmt::format(
          ",\n     mimic: {{joint: {}, ratio: {}, offset: {}}}",
          quoted(joint_names_.of(model_.joints[static_cast<size_t>(joint.mimic->joint)].name)),
          joint.mimic->ratio, joint.mimic->offset);
    for (const model::Element& force : model_.forces)
      if (force.joint("joint") == index && force.expression("damping").is_constant())
        out_ += fmt::format(", damping: {}", force.expression("damping").value());
    if (joint.friction && !joint.friction->none())
      out_ += joint.friction->torque > 0
                  ? fmt::format(", friction: {{torque: {}}}", joint.friction->torque)
                  : fmt::format(", friction: {{force: {}}}", joint.friction->force);
    out_ += fmt::format(",\n     from: {}, to: {}}}\n", reference(joint.from), reference(joint.to));
  }

  void add_limits(const model::Limits& limits) {
    const bool lower = std::isfinite(limits.lower), upper = std::isfinite(limits.upper);
    if (lower && upper)
      out_ += fmt::format(", limits: [{}, {}]", limits.lower, limits.upper);
    else if (lower || upper)
      out_ += lower ? fmt::format(", limits: {{lower: {}}}", limits.lower)
                    : fmt::format(", limits: {{upper: {}}}", limits.upper);
  }

  const Model& model_;
  Names names_, joint_names_;
  std::string out_;
};

}  // namespace

std::string write_yaml(const Model& robot) { return Writer(robot).write(); }

}  // namespace couplet::formats
