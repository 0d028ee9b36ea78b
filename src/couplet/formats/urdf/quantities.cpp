#include "couplet/formats/urdf/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/expression.hpp"

namespace couplet::formats::urdf {
namespace {

namespace kinds = model::kinds;

/// A number that may be changed.
struct Quantity {
  std::string name;
  Kind kind;
  std::function<void(double)> set;
};

void add_inertial(Link& link, std::vector<Quantity>& out) {
  const auto put = [](double& number) { return [&number](double value) { number = value; }; };
  out.push_back({link.name + ".mass", kinds::mass, put(link.mass.mass)});
  constexpr const char* axes = "xyz";
  for (int i = 0; i < 3; ++i) {
    out.push_back(
        {fmt::format("{}.com.{}", link.name, axes[i]), kinds::length, put(link.mass.com[i])});
    for (int k = i; k < 3; ++k)
      out.push_back({fmt::format("{}.i{}{}", link.name, axes[i], axes[k]), kinds::inertia,
                     [&link, i, k](double value) {
                       link.mass.inertia(i, k) = link.mass.inertia(k, i) = value;
                     }});
  }
}

void add_joint(Joint& joint, std::vector<Quantity>& out) {
  if (info(joint.type).nv != 1) return;
  const bool turns = (info(joint.type).angular & 1u) != 0;
  const Kind& position = turns ? kinds::angle : kinds::length;
  const auto put = [](double& number) { return [&number](double value) { number = value; }; };
  const auto give = [](std::vector<double>& list) {
    return [&list](double value) { list = {value}; };
  };
  const auto range = [&joint](double Range::*end) {
    return [&joint, end](double value) {
      if (!joint.range) joint.range.emplace();
      *joint.range.*end = value;
    };
  };
  out.push_back({joint.name + ".damping", turns ? kinds::angular_damping : kinds::damping,
                 put(joint.damping)});
  out.push_back(
      {joint.name + ".friction", turns ? kinds::torque : kinds::force, put(joint.friction)});
  out.push_back({joint.name + ".lower", position, range(&Range::lower)});
  out.push_back({joint.name + ".upper", position, range(&Range::upper)});
  out.push_back({joint.name + ".q", position, give(joint.q0)});
  out.push_back({joint.name + ".v", turns ? kinds::angular_speed : kinds::speed, give(joint.v0)});
}

std::vector<Quantity> list_quantities(Robot& robot) {
  std::vector<Quantity> out;
  for (Link& link : robot.links) add_inertial(link, out);
  for (Joint& joint : robot.joints) add_joint(joint, out);
  return out;
}

std::optional<double> read_number(const std::string& text, const Kind& kind,
                                  const base::SourceLocation& where, base::Diagnostics& found) {
  const yaml::Expression read = yaml::parse_expression(
      text, [](const std::string&) { return std::optional<yaml::Name>(); },
      [] { return std::vector<std::string>(); });
  for (const yaml::Problem& problem : read.problems) found.error(where, problem.what, problem.fix);
  if (!read.problems.empty()) return std::nullopt;
  if (read.dimension && !kind.accepts(*read.dimension))
    found.error(where,
                fmt::format("expected {} ({}), got {} ({})", kind.name, kind.unit,
                            base::quoted(text), read.dimension->str()),
                fmt::format("give it in {}, or a bare number in SI units", kind.unit));
  else if (!read.value.is_constant() || !std::isfinite(read.value.value()))
    found.error(where, fmt::format("{} is not a finite number", base::quoted(text)));
  else
    return read.value.value();
  return std::nullopt;
}

}  // namespace

void set_quantities(std::span<const std::pair<std::string, std::string>> values, Robot& robot,
                    base::Diagnostics& found) {
  if (values.empty()) return;
  const std::vector<Quantity> all = list_quantities(robot);
  for (const auto& [name, text] : values) {
    const base::SourceLocation where{fmt::format("`set` {}={}", name, text), 0, 0};
    const auto at = std::ranges::find(all, name, &Quantity::name);
    if (at == all.end()) {
      std::vector<std::string> known;
      for (const Quantity& each : all) known.push_back(each.name);
      found.error(where, fmt::format("the robot has no quantity {}", base::quoted(name)),
                  base::find_nearest(name, known)
                      ? base::suggest(name, known)
                      : "write LINK.mass, LINK.com.x, LINK.ixx or JOINT.damping, .friction, "
                        ".lower, .upper, .q, .v");
      continue;
    }
    if (const auto value = read_number(text, at->kind, where, found)) at->set(*value);
  }
  for (const Joint& joint : robot.joints)
    if (joint.friction < 0)
      found.error(
          joint.where,
          fmt::format("joint {} has a friction of {}", base::quoted(joint.name), joint.friction),
          "give a force or torque >= 0");
}

}  // namespace couplet::formats::urdf
