// Which boxes act on which, and how: every pair of particles is in exactly one of four lists.
#pragma once

#include <span>
#include <vector>

#include "couplet/particles/octree.hpp"

namespace couplet::particles {

/// Sources of each box, one list after the other.
class Lists {
 public:
  void assign(int boxes, std::vector<std::pair<int, int>>& pairs);  // (target, source)
  std::span<const int> of(int box) const {
    return std::span(sources_).subspan(static_cast<size_t>(begin_[static_cast<size_t>(box)]),
                                       static_cast<size_t>(begin_[static_cast<size_t>(box) + 1] -
                                                           begin_[static_cast<size_t>(box)]));
  }

 private:
  std::vector<int> begin_, sources_;
};

struct Interactions {
  Lists near;       // of leaves: boxes whose particles are summed one by one
  Lists far;        // of boxes: others of the same size whose multipoles become local (list V)
  Lists multipole;  // of leaves: smaller boxes whose multipoles are evaluated at particles (W)
  Lists particles;  // of boxes: larger leaves whose particles become local (X)
};

/// A multipole, or a local expansion, of a box with fewer than `worth` particles costs more than it
/// saves.
void find_interactions(const Octree& tree, int worth, Interactions& lists);

}  // namespace couplet::particles
