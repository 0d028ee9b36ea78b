// Joints that mimic others: q = multiplier * q_leader + offset, chains of them resolved.
#pragma once

#include <optional>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/formats/urdf/elements.hpp"

namespace couplet::formats::urdf {

/// q of a joint = ratio * q of joint `leader` + offset; the leader itself mimics nothing.
struct Follower {
  int leader = -1;
  double ratio = 1;
  double offset = 0;
};

/// For each joint, whom it follows in the end. O(joints).
std::vector<std::optional<Follower>> find_followers(const Robot& robot, base::Diagnostics& found);

}  // namespace couplet::formats::urdf
