// Newton's attraction towards a centre, on the centre of mass of every body:
//   F = -m µ r/|r|³,      V = -m µ/|r|
#pragma once

#include "couplet/forces/applied_forces.hpp"

namespace couplet::forces {

void add_point_gravity(const model::PointGravity& gravity, const model::Model& model,
                       std::span<const BodyMotion> bodies, AppliedForces& out);
void add_point_gravity_energy(const model::PointGravity& gravity, const model::Model& model,
                              std::span<const BodyMotion> bodies, double& energy);

}  // namespace couplet::forces
