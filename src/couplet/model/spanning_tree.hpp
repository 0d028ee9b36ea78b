// The graph of bodies and joints: which joints carry the mechanism, which close its loops, and what
// lies between two bodies.
#pragma once

#include <string>
#include <vector>

#include "couplet/model/mechanism.hpp"

namespace couplet::model {

/// Joint k seen from one of its bodies.
struct Neighbour {
  int joint;
  int body;  // on the other side
};
using JointGraph =
    std::vector<std::vector<Neighbour>>;  // per body, joints in the order of the file

JointGraph make_joint_graph(const Model& model);

/// Per joint: 1 if it is in the tree, 0 if it closes a loop. `features` says of each joint why it
/// should keep its coordinates (split.hpp). What the user says in Joint::cut is obeyed, or reported
/// if it cannot be.
std::vector<char> choose_tree(const Model& model, const JointGraph& graph,
                              const std::vector<std::string>& features,
                              base::Diagnostics& diagnostics);

/// Where a body hangs in the tree: on which body, by which joint. The world, and a body without a
/// way to it: -1.
struct Hanger {
  int body = -1, joint = -1;
  int depth = 0;
};

/// The joints on the way through the tree from body a to body b, in order.
std::vector<int> find_path(const std::vector<Hanger>& tree, int a, int b);

/// The joints round the loop that a cut joint closes, as indices in Model::joints: through the tree
/// from its `from` body to its `to` body, and the cut joint itself at the end.
std::vector<int> find_loop(const Mechanism& mechanism, const CutJoint& cut);

}  // namespace couplet::model
