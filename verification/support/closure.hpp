// How far loops and constraints are from being closed, straight from the poses of bodies: what a
// joint, a rod or a wheel demands, written down once more and independently of the dynamics of
// constraints.
#pragma once

#include "couplet/model/mechanism.hpp"

namespace couplet::verification {

/// One number per equation of position, m or (for directions) 1; zero where the model is assembled.
math::VecX calc_position_error(const model::Mechanism& mechanism, const model::State& state);

/// Its rate along the speeds of the state by central differences, and the sliding speeds of what
/// rolls.
math::VecX calc_velocity_error(const model::Mechanism& mechanism, const model::State& state);

}  // namespace couplet::verification
