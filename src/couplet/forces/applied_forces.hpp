// What acts on a mechanism besides uniform gravity and inertia.
#pragma once

#include <vector>

#include "couplet/model/mechanism.hpp"
#include "couplet/model/motion.hpp"

namespace couplet::forces {

using math::Vec3;
using math::Vec6;
using math::VecX;
using model::BodyMotion;
using model::Mechanism;
using model::State;

struct AppliedForces {
  VecX tau;                     // on the freedoms, power-conjugate to v
  std::vector<Vec6> on_bodies;  // (torque about Bo; force), world axes, one per body of the model
  bool any_on_bodies = false;

  /// `bodies`: something acts on them; otherwise `on_bodies` is empty.
  explicit AppliedForces(const Mechanism& mechanism, bool bodies = true)
      : tau(VecX::Zero(mechanism.nv)),
        on_bodies(bodies ? mechanism.bodies.size() : 0, Vec6::Zero()) {}
  void set_zero();
};

/// Adds a force at a point p_W of a body, world axes.
inline void add_force(const BodyMotion& body, const Vec3& p_W, const Vec3& force, Vec6& on_body) {
  on_body.head<3>() += (p_W - body.X_WB.p).cross(force);
  on_body.tail<3>() += force;
}

}  // namespace couplet::forces
