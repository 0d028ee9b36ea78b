// Weld: M does not move.
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo weld_entry = {
    .name = "weld",
    .doc = "no motion: the two bodies are one",
    .nq = 0,
    .nv = 0,
    .reversible = true,
    .pose = [](const double*, double) { return Pose{}; },
    .motion_subspace = [](const double*, double) { return columns(0); },
    .qdot = same_speeds<0>,
    .closure = list_of<no::slide_x, no::slide_y, no::slide_z, no::turn_x, no::turn_y, no::turn_z>,
};

}  // namespace

constinit const JointType JointType::weld(weld_entry);

template <>
const JointInfo& joint_entry<struct Weld>() {
  return weld_entry;
}

}  // namespace couplet::model
