// SUNDIALS' serial vectors with sums and norms that are vectorised. Its own are loops over one
// number at a time, a third of what IDA spends on systems of some tens of unknowns.
#pragma once

#include <nvector/nvector_serial.h>

#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

/// The numbers of a serial vector.
inline Eigen::Map<VecX> numbers(N_Vector v) {
  const auto* content = static_cast<const _N_VectorContent_Serial*>(v->content);
  return {content->data, content->length};
}

/// Gives our operations to v, and so to all clones of it.
void vectorise(N_Vector v);

}  // namespace couplet::integrate
