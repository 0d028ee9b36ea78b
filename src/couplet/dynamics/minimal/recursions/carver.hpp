// Scratch memory of scalars that exist in one translation unit only: sized outside, cut up inside.
#pragma once

#include <algorithm>

#include "couplet/dynamics/minimal/workspace.hpp"

namespace couplet::dynamics {
namespace {

/// Hands out parts of the scratch memory. Only one kind of scalar is ever stored there.
struct Carver {
  char* next;
  template <class X>
  X* take(int count) {
    X* part = reinterpret_cast<X*>(next);
    next += static_cast<long>(sizeof(X)) * count;
    return part;
  }
};

/// How many of each scratch there are.
struct Counts {
  int heavy = 0, branches = 0, frames = 0;
  explicit Counts(const TreeView& tree) {
    for (int i = 0; i < tree.n; ++i) {
      heavy = std::max(heavy, tree.links[i].heavy + 1);
      branches = std::max(branches, tree.links[i].branch + 1);
      frames = std::max(frames, tree.links[i].frame + 1);
    }
  }
};

}  // namespace
}  // namespace couplet::dynamics
