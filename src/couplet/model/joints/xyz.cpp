// Three translations in F axes.
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo xyz_entry = {
    .name = "xyz",
    .doc = "three translations",
    .nq = 3,
    .nv = 3,
    .q_names = {"x", "y", "z"},
    .v_names = {"vx", "vy", "vz"},
    .reversible = true,
    .pose =
        [](const double* q, double) {
          return Pose{math::Mat3::Identity(), Vec3(q[0], q[1], q[2])};
        },
    .motion_subspace =
        [](const double*, double) {
          Cols6 S = columns(3);
          S.bottomRows<3>().setIdentity();
          return S;
        },
    .qdot = same_speeds<3>,
    .primitives = list_of<motion::along_x, motion::along_y, motion::along_z>,
    .closure = list_of<no::turn_x, no::turn_y, no::turn_z>,
};

}  // namespace

constinit const JointType JointType::xyz(xyz_entry);

template <>
const JointInfo& joint_entry<struct Xyz>() {
  return xyz_entry;
}

}  // namespace couplet::model
