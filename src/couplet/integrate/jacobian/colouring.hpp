// Which columns of a sparse matrix can be differenced together: those that share no row. T.F.
// Coleman, B.S. Garbow, J.J. Moré, "Software for estimating sparse Jacobian matrices", ACM TOMS 10,
// 1984.
#pragma once

#include "couplet/integrate/descriptor.hpp"

namespace couplet::integrate {

/// Groups of columns no two of which meet in a row: greedy, in the given order and by falling
/// number of neighbours, whichever needs fewer groups. At least as many as the fullest row has
/// entries, and mostly hardly more.
std::vector<std::vector<int>> colour_columns(const Pattern& pattern);

}  // namespace couplet::integrate
