// Free: quaternion and position of M in F; v = V_FM_M, the motion in M axes.   S = 1
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo free_entry = {
    .name = "free",
    .doc =
        "no constraint: unit quaternion and position; angular and linear velocity in the axes of "
        "`to`",
    .nq = 7,
    .nv = 6,
    .q_names = {"qw", "qx", "qy", "qz", "x", "y", "z"},
    .v_names = {"wx", "wy", "wz", "vx", "vy", "vz"},
    .angular = 0b000111,
    .pose =
        [](const double* q, double) {
          return Pose{rotation_of(q), Vec3(q[4], q[5], q[6])};
        },
    .motion_subspace =
        [](const double*, double) {
          Cols6 S = columns(6);
          S.setIdentity();
          return S;
        },
    .qdot =
        [](const double* q, const double* v, double* qdot) {
          quaternion_rate(q, v, qdot);
          const Vec3 pdot = rotation_of(q) * Vec3(v[3], v[4], v[5]);
          for (int i = 0; i < 3; ++i) qdot[4 + i] = pdot[i];
        },
};

}  // namespace

constinit const JointType JointType::free(free_entry);

template <>
const JointInfo& joint_entry<struct Free>() {
  return free_entry;
}

}  // namespace couplet::model
