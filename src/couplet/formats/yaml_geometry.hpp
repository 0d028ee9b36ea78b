// Vectors, orientations and placements as they are written in a model file.
#pragma once

#include <optional>

#include "couplet/formats/yaml_scope.hpp"
#include "couplet/math/spatial.hpp"

namespace couplet::formats {

/// [x, y, z], each of the given kind.
std::optional<math::Vec3> read_vector(const YamlNode& node, const Kind& kind,
                                      const YamlScope& scope);

/// Three rows of three numbers.
std::optional<math::Mat3> read_matrix(const YamlNode& node, const Kind& kind,
                                      const YamlScope& scope);

/// A direction, [x, y, z] of any length but zero, or x, y, z, -x, -y, -z. Returns a unit vector.
std::optional<math::Vec3> read_axis(const YamlNode& node, const YamlScope& scope);

/// {rpy: …}, {quaternion: …}, {axis: …, angle: …} or a 3×3 matrix: R_AB of frame B in A.
std::optional<math::Mat3> read_orientation(const YamlNode& node, const YamlScope& scope);

/// [w, x, y, z]; normalised, with a warning if it is visibly off.
std::optional<math::Quaternion> read_quaternion(const YamlNode& node, const YamlScope& scope);

/// [x, y, z], or {position: …, orientation: …}.
std::optional<math::Pose> read_pose(const YamlNode& node, const std::string& title,
                                    const YamlScope& scope);

}  // namespace couplet::formats
