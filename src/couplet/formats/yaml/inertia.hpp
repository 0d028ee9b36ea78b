// Inertias as they are written in a model file: tensors about any point in any axes, or shapes.
#pragma once

#include "couplet/formats/yaml/geometry.hpp"

namespace couplet::formats::yaml {

/// Inertia about the centre of mass in body axes, from whatever point and axes it is given in.
std::optional<math::Mat3> read_inertia(const Node& node, const std::string& title, double mass,
                                       const math::Vec3& com, const Scope& scope);

/// Inertia of a homogeneous box, sphere, cylinder or rod about its centre, in body axes.
std::optional<math::Mat3> read_shape(const Node& node, const std::string& title, double mass,
                                     const Scope& scope);

}  // namespace couplet::formats::yaml
