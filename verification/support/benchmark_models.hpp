// Reference problems of any size, as models.
#pragma once

#include "couplet/model/model.hpp"

namespace couplet::verification {

/// IFToMM library A02: n four-bars side by side, 2n + 1 rods of 1 m and 1 kg in the x-y plane,
/// upright, the tops move with 1 m/s along x. models/benchmarks/four_bars.yaml is the one with n
/// = 2.
model::Model make_four_bars(int n);

/// n rods of 1 m and 1 kg, hinged to each other and at both ends to the world: a half circle that
/// hangs in the x-y plane.
model::Model make_hanging_chain(int n);

}  // namespace couplet::verification
