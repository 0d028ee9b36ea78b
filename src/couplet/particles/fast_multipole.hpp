// Potentials and fields of inverse-square forces in O(N): the fast multipole method (L. Greengard,
// V. Rokhlin, J. Comput. Phys. 73 (1987)) on an adaptive octree (J. Carrier, L. Greengard, V.
// Rokhlin, SIAM J. Sci. Stat. Comput. 9 (1988)), translations by rotation. Mukherjee, Crozier,
// Plimpton, Anderson (2006), section 9, has it in POEMS.
#pragma once

#include <memory>

#include "couplet/particles/field.hpp"

namespace couplet::particles {

class FastMultipole {
 public:
  struct Options {
    double tolerance = 1e-6;  // of potential and gradient, each relative, in the L2 norm
    double softening = 0;     // ε, m; boxes that are small beside it are summed directly
    int degree = 0;           // of the expansions; 0: from the tolerance
    int most_in_leaf = 0;     // 0: from the degree
  };
  explicit FastMultipole(const Options& options);
  ~FastMultipole();

  void calc(const Positions& positions, const Eigen::VectorXd& strengths, Field& field);

  int degree() const;
  const Octree& tree() const;  // of the last call

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace couplet::particles
