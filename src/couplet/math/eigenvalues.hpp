// Eigenvalues of dense real matrices without symmetry, with their vectors.
#pragma once

#include <complex>
#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::math {

struct EigenPair {
  std::complex<double> value;
  std::vector<std::complex<double>> vector;  // of length 1
};

/// All of them, of conjugate ones both. O(n³).
std::vector<EigenPair> find_eigenvalues(const MatX& A);

}  // namespace couplet::math
