#include "couplet/formats/yaml/geometry.hpp"

#include <fmt/format.h>

#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/section.hpp"

namespace couplet::formats::yaml {

using base::quoted;
using math::Mat3;
using math::Pose;
using math::Quaternion;
using math::Vec3;

namespace {

constexpr double rounding = 1e-3;  // what people lose by writing 0.7071; beyond it we ask

// A list of exactly `count` numbers.
bool read_list(const Node& node, const Kind& kind, size_t count, const char* example,
               const Scope& scope, double* values) {
  if (!node.is_sequence() || node.items().size() != count) {
    const std::string got =
        node.is_sequence() ? fmt::format("a list of {}", node.items().size()) : describe(node);
    scope.diagnostics().error(node.where,
                              fmt::format("expected a list of {} numbers, got {}", count, got),
                              fmt::format("write {} ({})", example, kind.unit));
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<double> value = scope.number(node.items()[i], kind);
    if (value) values[i] = *value;
    good &= value.has_value();
  }
  return good;
}

std::optional<Mat3> read_rotation_matrix(const Node& node, const Scope& scope) {
  const std::optional<Mat3> R = read_matrix(node, kinds::number, scope);
  if (!R) return std::nullopt;
  const double error = (R->transpose() * *R - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(error < rounding)) {
    scope.diagnostics().error(
        node.where, fmt::format("the matrix is no rotation: RᵀR differs from 1 by {:.2g}", error),
        "give orthonormal rows, or use rpy, quaternion or axis and angle");
    return std::nullopt;
  }
  if (R->determinant() < 0) {
    scope.diagnostics().error(node.where,
                              "the matrix is a reflection (determinant -1), no rotation",
                              "use a right-handed frame");
    return std::nullopt;
  }
  return math::rotation(math::quaternion(*R));
}

}  // namespace

std::optional<Vec3> read_vector(const Node& node, const Kind& kind, const Scope& scope) {
  Vec3 v;
  if (!read_list(node, kind, 3, "[x, y, z]", scope, v.data())) return std::nullopt;
  return v;
}

std::optional<Mat3> read_matrix(const Node& node, const Kind& kind, const Scope& scope) {
  if (!node.is_sequence() || node.items().size() != 3) {
    scope.diagnostics().error(node.where,
                              fmt::format("expected a 3×3 matrix, got {}", describe(node)),
                              "write three rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]");
    return std::nullopt;
  }
  Mat3 m;
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    const std::optional<Vec3> row = read_vector(node.items()[static_cast<size_t>(i)], kind, scope);
    if (row) m.row(i) = row->transpose();
    good &= row.has_value();
  }
  if (!good) return std::nullopt;
  return m;
}

std::optional<Vec3> read_axis(const Node& node, const Scope& scope) {
  if (node.is_scalar()) {
    const bool negative = !node.text().empty() && node.text()[0] == '-';
    const size_t index = std::string_view("xyz").find(node.text().substr(negative ? 1 : 0));
    if (node.text().size() != (negative ? 2u : 1u) || index == std::string_view::npos) {
      scope.diagnostics().error(node.where,
                                fmt::format("expected an axis, got {}", quoted(node.text())),
                                "write [x, y, z], or one of x, y, z, -x, -y, -z");
      return std::nullopt;
    }
    return Vec3::Unit(static_cast<int>(index)) * (negative ? -1.0 : 1.0);
  }
  const std::optional<Vec3> axis = read_vector(node, kinds::number, scope);
  if (!axis) return std::nullopt;
  if (axis->stableNorm() < 1e-9) {
    scope.diagnostics().error(node.where, "the axis has length zero",
                              "give a direction such as [0, 0, 1]");
    return std::nullopt;
  }
  return axis->stableNormalized();
}

std::optional<Quaternion> read_quaternion(const Node& node, const Scope& scope) {
  Quaternion q;
  if (!read_list(node, kinds::number, 4, "[w, x, y, z]", scope, q.data())) return std::nullopt;
  const double norm = q.stableNorm();
  if (norm < 1e-9) {
    scope.diagnostics().error(node.where, "the quaternion is zero",
                              "[1, 0, 0, 0] is no rotation; the order is w, x, y, z");
    return std::nullopt;
  }
  if (std::abs(norm - 1) > rounding)
    scope.diagnostics().warning(
        node.where, fmt::format("the quaternion has length {:.4g}; it was normalised", norm),
        "give a unit quaternion, in the order w, x, y, z");
  return Quaternion(q / norm);
}

std::optional<Mat3> read_orientation(const Node& node, const Scope& scope) {
  if (node.is_sequence()) return read_rotation_matrix(node, scope);
  const Section section(node, "an orientation", {"rpy", "quaternion", "axis", "angle", "matrix"},
                        scope.diagnostics());
  const Node* given = section.require_one_of({"rpy", "quaternion", "axis", "matrix"});
  if (section.has("angle") && !section.has("axis"))
    scope.diagnostics().error(section.where("angle"), "an angle needs an axis",
                              "write {axis: [0, 0, 1], angle: 30 deg}");
  if (!given) return std::nullopt;

  if (given == section.find("rpy")) {  // about the fixed axes x, then y, then z, as in URDF
    const std::optional<Vec3> rpy = read_vector(*given, kinds::angle, scope);
    if (!rpy) return std::nullopt;
    return Mat3(math::rotation(Vec3::UnitZ(), rpy->z()) * math::rotation(Vec3::UnitY(), rpy->y()) *
                math::rotation(Vec3::UnitX(), rpy->x()));
  }
  if (given == section.find("quaternion")) {
    const std::optional<Quaternion> q = read_quaternion(*given, scope);
    if (!q) return std::nullopt;
    return math::rotation(*q);
  }
  if (given == section.find("matrix")) return read_rotation_matrix(*given, scope);

  const std::optional<Vec3> axis = read_axis(*given, scope);
  const Node* angle_node = section.require("angle");
  if (!angle_node) return std::nullopt;
  const std::optional<double> angle = scope.number(*angle_node, kinds::angle);
  if (!axis || !angle) return std::nullopt;
  return math::rotation(*axis, *angle);
}

std::optional<Pose> read_pose(const Node& node, const std::string& title, const Scope& scope) {
  Pose X;
  if (node.is_sequence()) {
    const std::optional<Vec3> p = read_vector(node, kinds::length, scope);
    if (!p) return std::nullopt;
    X.p = *p;
    return X;
  }
  const Section section(node, title, {"position", "orientation"}, scope.diagnostics());
  if (!node.is_mapping()) return std::nullopt;
  bool good = true;
  if (const Node* position = section.find("position")) {
    const std::optional<Vec3> p = read_vector(*position, kinds::length, scope);
    if (p) X.p = *p;
    good &= p.has_value();
  }
  if (const Node* orientation = section.find("orientation")) {
    const std::optional<Mat3> R = read_orientation(*orientation, scope);
    if (R) X.R = *R;
    good &= R.has_value();
  }
  if (!good) return std::nullopt;
  return X;
}

}  // namespace couplet::formats::yaml
