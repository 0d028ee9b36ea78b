// Errors of steps on constraints.
#pragma once

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

/// Takes out of the error of y at t, not projected yet, what projection takes out of y: an error
/// along the normal of the constraints is none. Near singular positions round-off grows in that
/// direction, so that no step would be short enough for a tolerance. False, and nothing is changed:
/// there are no constraints, or y is too far from them. `end` and `other` are scratch.
inline bool project_error(Problem& problem, double t, const VecX& y, VecX& error, VecX& end,
                          VecX& other) {
  DescriptorForm* form = problem.descriptor();
  if (!form || form->rows() == 0 || !error.allFinite()) return false;
  try {
    end = y;
    other = y - error;
    problem.project(t, end);
    problem.project(t, other);
    error = end - other;
    return true;
  } catch (const base::ComputationError&) {
    return false;
  }
}

}  // namespace couplet::integrate
