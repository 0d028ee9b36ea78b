// Positions, velocities and accelerations of the model's own bodies and points, joint by joint in
// the user's frames. Independent of the canonical frames of the recursions: each checks the other.
#pragma once

#include <vector>

#include "couplet/model/mechanism.hpp"
#include "couplet/model/motion.hpp"

namespace couplet::dynamics {

using math::MatX;
using math::Vec3;
using math::Vec6;
using math::VecX;
using model::BodyAcceleration;
using model::BodyMotion;
using model::Mechanism;
using model::State;

/// What freedom j does: bodies outward of it turn about `w` and its point p moves with `v`, per
/// unit speed, world axes. Kane's partial velocities are made of these.
struct FreedomMotion {
  Vec3 w, v, p;
};

struct Kinematics {
  std::vector<BodyMotion> bodies;               // one per body of the model
  std::vector<BodyAcceleration> accelerations;  // likewise, if they are asked for
  std::vector<FreedomMotion> freedoms;          // one per speed

  explicit Kinematics(const Mechanism& mechanism, bool with_accelerations = true);
};

/// Poses, velocities and freedoms. Allocates nothing.
void calc_kinematics(const Mechanism& mechanism, const State& state, Kinematics& out);

/// Accelerations for given vdot, after calc_kinematics on the same state. Allocates nothing, where
/// they were asked for.
void calc_accelerations(const Mechanism& mechanism, const State& state, const VecX& vdot,
                        Kinematics& kinematics);

/// Jacobian of a point fixed on a body: (angular; linear) velocity in world axes = J v, 6 × nv.
MatX calc_jacobian(const Mechanism& mechanism, const Kinematics& kinematics, int body,
                   const Vec3& p_BoP_B);

/// The tree joint that carries a body: index in mechanism.joints, -1 for the world.
std::vector<int> joints_of_bodies(const Mechanism& mechanism);

double calc_kinetic_energy(const Mechanism& mechanism, const Kinematics& kinematics);
/// Of uniform gravity; zero at the world's origin.
double calc_gravity_energy(const Mechanism& mechanism, const Kinematics& kinematics);

struct Momentum {
  Vec3 linear = Vec3::Zero();   // kg m/s
  Vec3 angular = Vec3::Zero();  // about the world's origin, kg m²/s
};
Momentum calc_momentum(const Mechanism& mechanism, const Kinematics& kinematics);

}  // namespace couplet::dynamics
