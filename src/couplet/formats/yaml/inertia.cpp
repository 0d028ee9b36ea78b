#include "couplet/formats/yaml/inertia.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/section.hpp"

namespace couplet::formats::yaml {

using base::quoted;
using math::Mat3;
using math::Vec3;

namespace {

// The tensor itself: [xx, yy, zz], a 3×3 matrix, or its entries by name.
std::optional<Mat3> read_tensor(const Node& node, const Section& section, const Scope& scope) {
  if (node.is_sequence() && !node.items().empty() && node.items()[0].is_sequence()) {
    const std::optional<Mat3> I = read_matrix(node, kinds::inertia, scope);
    if (!I) return std::nullopt;
    if ((*I - I->transpose()).cwiseAbs().maxCoeff() > 1e-9 * I->cwiseAbs().maxCoeff()) {
      scope.diagnostics().error(node.where, "the inertia matrix is not symmetric",
                                "entry xy must equal entry yx, and so on");
      return std::nullopt;
    }
    return I;
  }
  if (node.is_sequence()) {
    const std::optional<Vec3> diagonal = read_vector(node, kinds::inertia, scope);
    if (!diagonal) return std::nullopt;
    return Mat3(diagonal->asDiagonal());
  }
  Mat3 I = Mat3::Zero();
  bool good = true;
  const char* names[3][3] = {{"xx", "xy", "xz"}, {"xy", "yy", "yz"}, {"xz", "yz", "zz"}};
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const Node* entry = i == j ? section.require(names[i][j]) : section.find(names[i][j]);
      if (!entry) {
        good &= i != j;
        continue;
      }
      const std::optional<double> value = scope.number(*entry, kinds::inertia);
      I(i, j) = I(j, i) = value.value_or(0);
      good &= value.has_value();
    }
  }
  if (!good) return std::nullopt;
  return I;
}

// The point about which the inertia is given: `com` (usual), `origin` of the body, or [x, y, z].
std::optional<Vec3> read_about(const Node& node, const Vec3& com, const Scope& scope) {
  if (!node.is_scalar()) return read_vector(node, kinds::length, scope);
  if (node.text() == "com") return com;
  if (node.text() == "origin") return Vec3(Vec3::Zero());
  scope.diagnostics().error(node.where,
                            "expected com, origin or [x, y, z], got " + quoted(node.text()),
                            base::suggest(node.text(), {"com", "origin"}));
  return std::nullopt;
}

}  // namespace

std::optional<Mat3> read_inertia(const Node& node, const std::string& title, double mass,
                                 const Vec3& com, const Scope& scope) {
  const Node no_keys(node.where, std::span<const Node::Entry>());
  const Section section(node.is_sequence() ? no_keys : node, "inertia of " + title,
                        {"xx", "yy", "zz", "xy", "xz", "yz", "matrix", "about", "axes"},
                        scope.diagnostics());
  if (!node.is_sequence() && !node.is_mapping()) return std::nullopt;
  const Node* matrix = section.find("matrix");
  std::optional<Mat3> I = read_tensor(matrix ? *matrix : node, section, scope);
  if (!I) return std::nullopt;

  if (const Node* axes = section.find("axes")) {
    const std::optional<Mat3> R_BI = read_orientation(*axes, scope);
    if (!R_BI) return std::nullopt;
    I = Mat3(*R_BI * *I * R_BI->transpose());
  }
  if (const Node* about = section.find("about")) {  // parallel axes, back to the centre of mass
    const std::optional<Vec3> point = read_about(*about, com, scope);
    if (!point) return std::nullopt;
    const Vec3 d = com - *point;
    *I -= mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  return I;
}

namespace {

// Moments of inertia across and along the axis of a body of revolution.
Mat3 about_axis(const Vec3& a, double along, double across) {
  return across * Mat3::Identity() + (along - across) * a * a.transpose();
}

// A length that must be > 0; 0 stands for a mistake that is reported.
double read_size(const Node* node, const Scope& scope) {
  const std::optional<double> value = node ? scope.number(*node, kinds::length) : std::nullopt;
  if (!value || *value > 0) return value.value_or(0);
  scope.diagnostics().error(node->where, fmt::format("a size of {} m is not possible", *value),
                            "give a length > 0");
  return 0;
}

std::optional<Mat3> read_round_shape(const Node& node, const std::string& title, bool is_rod,
                                     double mass, const Scope& scope) {
  std::vector<std::string> keys = {"length", "axis"};
  if (!is_rod) keys.insert(keys.begin(), "radius");
  const Section section(node, title, keys, scope.diagnostics());
  const Node* axis_node = section.find("axis");
  const std::optional<Vec3> axis = axis_node ? read_axis(*axis_node, scope) : Vec3(Vec3::UnitZ());
  const double l = read_size(section.require("length"), scope);
  const double r = is_rod ? 0 : read_size(section.require("radius"), scope);
  if (!axis || l == 0 || (r == 0 && !is_rod)) return std::nullopt;
  return about_axis(*axis, mass * r * r / 2, mass * (3 * r * r + l * l) / 12);
}

std::optional<Mat3> read_box(const Node& node, double mass, const Scope& scope) {
  const std::optional<Vec3> sides = read_vector(node, kinds::length, scope);
  if (!sides) return std::nullopt;
  if (!(sides->minCoeff() > 0)) {
    scope.diagnostics().error(node.where, "a box needs three sides > 0", "write box: [a, b, c]");
    return std::nullopt;
  }
  const Vec3 s = sides->cwiseAbs2();
  return Mat3((mass / 12 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y())).asDiagonal());
}

}  // namespace

std::optional<Mat3> read_shape(const Node& node, const std::string& title, double mass,
                               const Scope& scope) {
  const Section section(node, "shape of " + title, {"box", "sphere", "cylinder", "rod", "axes"},
                        scope.diagnostics());
  const Node* given = section.require_one_of({"box", "sphere", "cylinder", "rod"});
  if (!given) return std::nullopt;
  std::optional<Mat3> I;
  if (given == section.find("box")) {
    I = read_box(*given, mass, scope);
  } else if (given == section.find("sphere")) {
    if (const double r = read_size(given, scope); r > 0)
      I = Mat3(0.4 * mass * r * r * Mat3::Identity());
  } else {
    const bool is_rod = given == section.find("rod");
    I = read_round_shape(*given, is_rod ? "rod" : "cylinder", is_rod, mass, scope);
  }
  if (const Node* axes = section.find("axes"); axes && I) {
    const std::optional<Mat3> R_BS = read_orientation(*axes, scope);
    if (!R_BS) return std::nullopt;
    I = Mat3(*R_BS * *I * R_BS->transpose());
  }
  return I;
}

}  // namespace couplet::formats::yaml
