// Where a body is and how it moves, in world axes: what force elements and observers see.
#pragma once

#include "couplet/math/spatial.hpp"

namespace couplet::model {

struct BodyMotion {
  math::Pose X_WB;
  math::Vec3 w = math::Vec3::Zero();  // angular velocity, rad/s, world axes
  math::Vec3 v = math::Vec3::Zero();  // velocity of Bo, m/s, world axes

  math::Vec3 velocity_at(const math::Vec3& p_W) const {  // of a point fixed on the body
    return v + w.cross(p_W - X_WB.p);
  }
};

/// Classical accelerations of a body, world axes.
struct BodyAcceleration {
  math::Vec3 alpha = math::Vec3::Zero();  // rad/s²
  math::Vec3 a = math::Vec3::Zero();      // of Bo, m/s²
};

}  // namespace couplet::model
