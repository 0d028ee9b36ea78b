// What of a state somebody has given, and wants to keep.
#pragma once

#include "couplet/dynamics/minimal/constraints/assembly.hpp"

namespace couplet::mechanics {

/// As somebody has `said`. Where that is no more than the model gives: that, and what the state has
/// that is not as in the model.
dynamics::Given find_given(const model::Mechanism& mechanism, dynamics::Given said,
                           const model::State& state);

}  // namespace couplet::mechanics
