// Scratch memory of scalars that exist in one translation unit only: sized outside, cut up inside.
#pragma once

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
    for (int i = 0; i < tree.n;
         ++i) {  // no functions of other translation units, not even std::max
      const model::Link& link = tree.links[i];
      heavy = link.heavy >= heavy ? link.heavy + 1 : heavy;
      branches = link.branch >= branches ? link.branch + 1 : branches;
      frames = link.frame >= frames ? link.frame + 1 : frames;
    }
  }
};

}  // namespace
}  // namespace couplet::dynamics
