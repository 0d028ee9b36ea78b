// The linear complementarity problem: z ≥ 0 and w = A z + b ≥ 0, of which in each place one is
// zero.
#pragma once

#include "couplet/math/spatial.hpp"

namespace couplet::math {

/// A solution for a semidefinite A, by pivots on a dense tableau; false: there is none.
[[nodiscard]] bool solve_complementarity(const MatX& A, const VecX& b, VecX& z);

}  // namespace couplet::math
