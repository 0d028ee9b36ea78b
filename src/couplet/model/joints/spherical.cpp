// Spherical: unit quaternion; v is the angular velocity in M axes.   S = [1; 0]
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo spherical_entry = {
    .name = "spherical",
    .doc = "turns freely: unit quaternion, angular velocity in the axes of `to`",
    .nq = 4,
    .nv = 3,
    .q_names = {"qw", "qx", "qy", "qz"},
    .v_names = {"wx", "wy", "wz"},
    .angular = 0b111,
    .pose =
        [](const double* q, double) {
          return Pose{rotation_of(q), Vec3::Zero()};
        },
    .motion_subspace =
        [](const double*, double) {
          Cols6 S = columns(3);
          S.topRows<3>().setIdentity();
          return S;
        },
    .qdot = quaternion_rate,
    .closure = list_of<no::slide_x, no::slide_y, no::slide_z>,
};

}  // namespace

constinit const JointType JointType::spherical(spherical_entry);

template <>
const JointInfo& joint_entry<struct Spherical>() {
  return spherical_entry;
}

}  // namespace couplet::model
