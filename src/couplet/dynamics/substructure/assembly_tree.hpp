// In which order parts are joined to subsystems, and those to larger ones: a binary tree, balanced.
//
// Parts are tied to each other (by joints, loops, relations); a tie is closed where all parts that
// it holds have come together. What ties further up still hold are a subsystem's handles: few of
// them make joining cheap, and shallow trees make it parallel.
#pragma once

#include <vector>

namespace couplet::dynamics {

struct AssemblyNode {
  int part = -1;              // a leaf
  int left = -1, right = -1;  // right -1: ties of `left` with itself or the world
  std::vector<int> ties;      // closed here
  std::vector<int> handles;   // parts that are held from outside
  int depth = 0;              // levels below
};

struct AssemblyTree {
  std::vector<AssemblyNode> nodes;  // children before parents, each subtree in a row
  std::vector<int> roots;           // one for each group of parts that hang together
  int depth = 0;
};

/// `ties`: the parts that each holds, each of them once; the world is none. Rounds of a matching of
/// neighbours: chains of n parts take log2 n levels, trees a multiple of it, loops what their
/// handles ask for.
AssemblyTree make_assembly_tree(int parts, const std::vector<std::vector<int>>& ties);

}  // namespace couplet::dynamics
