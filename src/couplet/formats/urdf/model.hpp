// The robot as a Model: links are bodies, joints connect a point of the parent to the child.
#pragma once

#include <optional>
#include <vector>

#include "couplet/formats/urdf.hpp"
#include "couplet/formats/urdf/elements.hpp"
#include "couplet/formats/urdf/mimic.hpp"
#include "couplet/formats/urdf/tree.hpp"

namespace couplet::formats::urdf {

/// Bodies and joints keep the order of the file; the joint that holds the root comes first. A root
/// link named "world" is the inertial frame.
model::Model make_model(const Robot& robot, const Tree& tree,
                        const std::vector<std::optional<Follower>>& followers,
                        const UrdfOptions& options);

/// The name "world" belongs to the inertial frame: only a fixed root may have it.
void check_world_link(const Robot& robot, const Tree& tree, const UrdfOptions& options,
                      base::Diagnostics& found);

}  // namespace couplet::formats::urdf
