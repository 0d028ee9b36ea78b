// What expressions may use besides coordinates, speeds, states and parameters: outputs, as named
// intermediate results, and where points are and how they move. Compiling replaces both by what
// they are, so that whatever evaluates, differentiates, prints or generates expressions knows
// coordinates only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "couplet/model/mechanism.hpp"

namespace couplet::model {

/// wheel.hub.velocity.x: of the point wheel.hub, in world axes.
struct PointQuantity {
  enum class Kind { position, velocity, angular_velocity } kind;
  std::string point;
  int axis;  // 0 x, 1 y, 2 z
};
/// Of a name without quotes; nothing: it does not end like one.
std::optional<PointQuantity> split_point_quantity(std::string_view name);
Dimension dimension_of(PointQuantity::Kind kind);

/// Replaces outputs in forces, constraints, motions, rates of states and rules, before the tree is
/// chosen. Throws UserError for those that use each other in a circle, and for what a constraint
/// must not depend on.
void expand_outputs(Model& model);
/// The same of points. Numbers of the geometry are constants in what comes out: parameters that
/// they depend on say so when they are changed. Throws UserError for rules that set one. `model` is
/// that of the mechanism.
void expand_points(const Mechanism& mechanism, Model& model);

}  // namespace couplet::model
