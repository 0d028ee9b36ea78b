#include "couplet/forces/point_gravity.hpp"

namespace couplet::forces {

void add_point_gravity(const model::PointGravity& gravity, const model::Model& model,
                       std::span<const BodyMotion> bodies, AppliedForces& out) {
  for (size_t b = 1; b < bodies.size(); ++b) {
    const math::MassProperties& mass = model.bodies[b].mass;
    const Vec3 com = bodies[b].X_WB * mass.com, r = com - gravity.centre;
    const double distance = r.norm();
    if (mass.mass == 0 || distance == 0) continue;
    add_force(bodies[b], com, -mass.mass * gravity.mu / (distance * distance * distance) * r,
              out.on_bodies[b]);
  }
}

void add_point_gravity_energy(const model::PointGravity& gravity, const model::Model& model,
                              std::span<const BodyMotion> bodies, double& energy) {
  for (size_t b = 1; b < bodies.size(); ++b) {
    const math::MassProperties& mass = model.bodies[b].mass;
    const double distance = (bodies[b].X_WB * mass.com - gravity.centre).norm();
    if (mass.mass > 0 && distance > 0) energy -= mass.mass * gravity.mu / distance;
  }
}

}  // namespace couplet::forces
