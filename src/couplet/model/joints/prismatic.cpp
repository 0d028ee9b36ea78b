// Prismatic: M slides along z by q.   S = [0; z]
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo prismatic_entry = {
    .name = "prismatic",
    .doc = "slides along its axis",
    .nq = 1,
    .nv = 1,
    .q_names = {"q"},
    .v_names = {"v"},
    .axes = JointInfo::Axes::one,
    .reversible = true,
    .pose =
        [](const double* q, double) {
          return Pose{math::Mat3::Identity(), Vec3(0, 0, q[0])};
        },
    .motion_subspace =
        [](const double*, double) {
          Cols6 S = columns(1);
          S(5, 0) = 1;
          return S;
        },
    .qdot = same_speeds<1>,
    .primitives = list_of<motion::along_z>,
    .closure = list_of<no::slide_x, no::slide_y, no::turn_x, no::turn_y, no::turn_z>,
};

}  // namespace

constinit const JointType JointType::prismatic(prismatic_entry);

template <>
const JointInfo& joint_entry<struct Prismatic>() {
  return prismatic_entry;
}

}  // namespace couplet::model
