// Inverse dynamics where not every freedom has a motor, as in closed loops: forces of the motors
// that give accelerations which the constraints allow.
//
//   M v̇ + h + Gᵀλ = E τ,   G v̇ + γ = 0
// With Z, whose columns span what G takes to zero, λ is gone: Zᵀ E τ = Zᵀ (M v̇ + h).
#pragma once

#include <span>

#include "couplet/dynamics/minimal/system.hpp"

namespace couplet::dynamics {

/// Accelerations where `given` says so (per speed); the others follow: prescribed motions first,
/// then what constraints ask. Those that neither determines are zero, if that fits. Throws
/// UserError for given ones that contradict a motion or a constraint, with its name and the gap,
/// and where more would have to be given. The state must be consistent.
void complete_vdot(System& system, const State& state, std::span<const char> given, VecX& vdot);

struct MotorForces {
  VecX tau;            // of all freedoms; zero where there is no motor
  bool unique = true;  // otherwise of all that give this motion the smallest, by least squares
};

/// Forces of motors at these freedoms, and of prescribed ones, with what overcomes friction. Throws
/// UserError when they cannot give v̇, ComputationError when friction has no answer.
MotorForces calc_motor_forces(System& system, const State& state, const VecX& vdot,
                              std::span<const int> motors);

}  // namespace couplet::dynamics
