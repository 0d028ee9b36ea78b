// The tree that the joints of a URDF make of its links, or why they do not make one.
#pragma once

#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/formats/urdf/elements.hpp"

namespace couplet::formats::urdf {

struct Tree {
  int root = -1;                   // link
  std::vector<int> parent, child;  // links, by joint; -1 after an error
};

/// Looks up the links of every joint and checks that one root reaches all links, each through one
/// joint. O(links + joints). The tree is of use only if `found` has no errors.
Tree find_tree(const Robot& robot, base::Diagnostics& found);

}  // namespace couplet::formats::urdf
