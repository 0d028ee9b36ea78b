// Loops may need to be opened where every joint matters: a joint with limits, forces, friction, a
// motion or coordinates that somebody names cannot be cut, as a cut joint has no coordinates. Then
// a body beside it is split in two halves of the same shape, the joint goes to the new half, and
// the loop is opened between the halves by a weld that is cut. The halves share mass and inertia,
// so the physics is the same. The weld's frame is the joint's, so that what is open or redundant
// there can be said of the joint.
#pragma once

#include "couplet/model/model.hpp"

namespace couplet::model {

/// Of each joint, why it must keep its coordinates, as in "it has limits"; empty: it may be cut.
std::vector<std::string> find_features(const Model& model);

/// Splits a body at each joint that is not in the tree but has features. Halves and welds come at
/// the end of the model, `in_tree` is brought up to date.
void split_bodies(Model& model, const std::vector<std::string>& features,
                  std::vector<char>& in_tree);

/// What each of the parts of a body gets.
MassProperties share_of(const MassProperties& whole, int parts);

}  // namespace couplet::model
