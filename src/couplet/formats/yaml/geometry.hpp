// Vectors, orientations and placements as they are written in a model file.
#pragma once

#include <optional>

#include "couplet/formats/yaml/scope.hpp"
#include "couplet/math/spatial.hpp"

namespace couplet::formats::yaml {

/// [x, y, z], each of the given kind.
std::optional<math::Vec3> read_vector(const Node& node, const Kind& kind, const Scope& scope);

/// Three rows of three numbers.
std::optional<math::Mat3> read_matrix(const Node& node, const Kind& kind, const Scope& scope);

/// A direction, [x, y, z] of any length but zero, or x, y, z, -x, -y, -z. Returns a unit vector.
std::optional<math::Vec3> read_axis(const Node& node, const Scope& scope);

/// {rpy: …}, {quaternion: …}, {axis: …, angle: …} or a 3×3 matrix: R_AB of frame B in A.
std::optional<math::Mat3> read_orientation(const Node& node, const Scope& scope);

/// [w, x, y, z]; normalised, with a warning if it is visibly off.
std::optional<math::Quaternion> read_quaternion(const Node& node, const Scope& scope);

/// [x, y, z], or {position: …, orientation: …}.
std::optional<math::Pose> read_pose(const Node& node, const std::string& title, const Scope& scope);

}  // namespace couplet::formats::yaml
