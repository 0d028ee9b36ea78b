// Carrier, Greengard, Rokhlin, SIAM J. Sci. Stat. Comput. 9 (1988): lists of an adaptive tree.
#include "couplet/particles/interactions.hpp"

#include <algorithm>

namespace couplet::particles {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

class Finder {
 public:
  Finder(const Octree& tree, int worth) : boxes_(tree.boxes()), worth_(worth) {
    colleagues_.resize(boxes_.size());
    colleagues_[0] = {0};
    for (int b = 0; b < static_cast<int>(boxes_.size()); ++b) visit(b);
  }

  Pairs near, far, multipole, particles;

 private:
  const Box& box(int b) const { return boxes_[static_cast<size_t>(b)]; }

  // Boxes of a level come after those of the level above, so colleagues of the parent are known.
  void visit(int b) {
    std::vector<int>& own = colleagues_[static_cast<size_t>(b)];
    if (b > 0) {
      for (const int uncle : colleagues_[static_cast<size_t>(box(b).parent)])
        for (int i = 0; i < box(uncle).children; ++i) {
          const int other = box(uncle).first_child + i;
          if (are_adjacent(box(b), box(other)))
            own.push_back(other);
          else
            far.emplace_back(b, other);
        }
    }
    if (!box(b).is_leaf()) return;
    near.emplace_back(b, b);
    for (const int other : own) {
      if (other == b) continue;
      if (box(other).is_leaf())
        near.emplace_back(b, other);  // the other one finds this one
      else
        descend(b, other);
    }
  }

  // A leaf, and a box of its size that touches it and has children.
  void descend(int leaf, int other) {
    for (int i = 0; i < box(other).children; ++i) {
      const int child = box(other).first_child + i;
      if (!are_adjacent(box(leaf), box(child))) {
        const bool few = box(child).count() < worth_;
        (few ? near : multipole).emplace_back(leaf, child);
        if (few || box(leaf).count() < worth_)
          add_to_leaves(child, leaf);
        else
          particles.emplace_back(child, leaf);
      } else if (box(child).is_leaf()) {
        near.emplace_back(leaf, child);
        near.emplace_back(child, leaf);
      } else {
        descend(leaf, child);
      }
    }
  }
  void add_to_leaves(int target, int source) {
    if (box(target).is_leaf()) near.emplace_back(target, source);
    for (int i = 0; i < box(target).children; ++i)
      add_to_leaves(box(target).first_child + i, source);
  }

  const std::vector<Box>& boxes_;
  int worth_;
  std::vector<std::vector<int>> colleagues_;
};

}  // namespace

void Lists::assign(int boxes, Pairs& pairs) {
  begin_.assign(static_cast<size_t>(boxes) + 1, 0);
  for (const auto& [target, source] : pairs) ++begin_[static_cast<size_t>(target) + 1];
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  sources_.resize(pairs.size());
  std::vector<int> next(begin_.begin(), begin_.end() - 1);
  for (const auto& [target, source] : pairs)
    sources_[static_cast<size_t>(next[static_cast<size_t>(target)]++)] = source;
}

void find_interactions(const Octree& tree, int worth, Interactions& lists) {
  Finder finder(tree, worth);
  const int n = static_cast<int>(tree.boxes().size());
  lists.near.assign(n, finder.near);
  lists.far.assign(n, finder.far);
  lists.multipole.assign(n, finder.multipole);
  lists.particles.assign(n, finder.particles);
}

}  // namespace couplet::particles
