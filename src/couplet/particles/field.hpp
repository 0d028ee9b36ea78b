// What particles that attract or repel by inverse squares feel.
#pragma once

#include <array>
#include <vector>

#include "couplet/particles/kernels.hpp"

namespace couplet::particles {

/// Of strengths q (charges, masses) at positions: potential Σ q_j / √(r² + ε²) and its gradient, at
/// each particle, of all others. Particles at the very same place do not feel each other.
struct Field {
  Eigen::VectorXd potential;
  Positions gradient;
};

/// The sum itself: O(N²), the second opinion.
void calc_direct(const Positions& positions, const Eigen::VectorXd& strengths, double softening,
                 Field& field);

/// Numbers of sorted particles, in the unit of their tree.
class SortedField {
 public:
  void start(const Octree& tree, const Eigen::VectorXd& strengths);
  Sources sources(const Octree& tree, const Box& box) const;
  Targets targets(const Octree& tree, const Box& box);
  void finish(const Octree& tree, Field& field) const;

 private:
  std::vector<double> strengths_;
  std::array<std::vector<double>, 4> sums_;  // potential, gradient
};

/// Throws where they do not fit, or are not numbers.
void check_particles(const Positions& positions, const Eigen::VectorXd& strengths,
                     double softening);

}  // namespace couplet::particles
