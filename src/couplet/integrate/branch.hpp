// Branches of constrained motion. Where constraints become dependent, several motions may cross: a
// slider-crank whose rod is as long as its crank can go on or stand still with its slider in the
// middle. All of them are closed, so projection alone does not tell them apart: speeds do, which
// differ by an angle that is not small. And an angle may be closed a turn away.
#pragma once

#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {

/// Whether the projection of a prediction from a point is where the prediction leads: it has
/// changed no speed by much, and no position by as much as the step itself. Otherwise the component
/// that it changed; -1: none.
int find_jump(Problem& problem, const Tolerance& tolerance, const VecX& from, const VecX& predicted,
              const VecX& projected);

/// Throws ComputationError that names the component, where there is a jump.
void check_branch(Problem& problem, const Tolerance& tolerance, double t, const VecX& from,
                  const VecX& predicted, const VecX& projected);

}  // namespace couplet::integrate
