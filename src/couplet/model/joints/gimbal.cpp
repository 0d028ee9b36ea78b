// Gimbal: M turns about x by q1, about the new y by q2, then about the newest z by q3 (Cardan
// angles; at q2 = ±90 deg the first axis is on the last).   S = [(c2 c3, -c2 s3, s2), (s3, c3, 0),
// z; 0]
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo gimbal_entry = {
    .name = "gimbal",
    .doc = "turns about x (q1), then about the turned y (q2), then about the turned z (q3)",
    .nq = 3,
    .nv = 3,
    .q_names = {"q1", "q2", "q3"},
    .v_names = {"v1", "v2", "v3"},
    .angular = 0b111,
    .axes = JointInfo::Axes::two,
    .pose =
        [](const double* q, double) {
          return Pose{math::rotation(Vec3::UnitX(), q[0]) * math::rotation(Vec3::UnitY(), q[1]) *
                          math::rotation(Vec3::UnitZ(), q[2]),
                      Vec3::Zero()};
        },
    .motion_subspace =
        [](const double* q, double) {
          const double c2 = std::cos(q[1]), s2 = std::sin(q[1]);
          const double c3 = std::cos(q[2]), s3 = std::sin(q[2]);
          Cols6 S = columns(3);
          S.topRows<3>() << c2 * c3, s3, 0,  //
              -c2 * s3, c3, 0,               //
              s2, 0, 1;
          return S;
        },
    .bias =
        [](const double* q, const double* v) {
          const double c2 = std::cos(q[1]), s2 = std::sin(q[1]);
          const double c3 = std::cos(q[2]), s3 = std::sin(q[2]);
          Vec6 c = Vec6::Zero();
          c[0] = v[0] * (-s2 * c3 * v[1] - c2 * s3 * v[2]) + v[1] * c3 * v[2];
          c[1] = v[0] * (s2 * s3 * v[1] - c2 * c3 * v[2]) - v[1] * s3 * v[2];
          c[2] = v[0] * c2 * v[1];
          return c;
        },
    .qdot = same_speeds<3>,
    .primitives = list_of<motion::about_x, motion::about_y, motion::about_z>,
    .closure = list_of<no::slide_x, no::slide_y, no::slide_z>,
};

}  // namespace

template <>
const JointInfo& joint_entry<struct Gimbal>() {
  return gimbal_entry;
}

}  // namespace couplet::model
