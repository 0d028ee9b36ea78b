// Errors of steps on constraints.
#pragma once

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

constexpr double small_error = 200;  // tolerances of a step

/// Takes out of the error of y at t, not projected yet, what projection takes out of y: an error
/// along the normal of the constraints is none, as long as it is small. Where every motion is
/// prescribed all directions are normal, and nothing else keeps steps short enough for projection
/// to stay on its branch, and for the dense output. False, and nothing is changed: the error is too
/// large (`norm`, in units of the tolerance), or there are no constraints. `end` and `other` are
/// scratch.
inline bool project_error(Problem& problem, double t, const VecX& y, double norm, VecX& error,
                          VecX& end, VecX& other, double most = small_error) {
  DescriptorForm* form = problem.descriptor();
  if (!form || form->rows() == 0 || !(norm <= most)) return false;
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
