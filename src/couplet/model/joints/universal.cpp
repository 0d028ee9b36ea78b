// Universal: M turns about x by q1, then about the new y by q2.   S = [(c2, 0, s2), y; 0]
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo universal_entry = {
    .name = "universal",
    .doc = "turns about x (q1), then about the turned y (q2)",
    .nq = 2,
    .nv = 2,
    .q_names = {"q1", "q2"},
    .v_names = {"v1", "v2"},
    .angular = 0b11,
    .axes = JointInfo::Axes::two,
    .pose =
        [](const double* q, double) {
          return Pose{math::rotation(Vec3::UnitX(), q[0]), Vec3::Zero()} *
                 Pose{math::rotation(Vec3::UnitY(), q[1]), Vec3::Zero()};
        },
    .motion_subspace =
        [](const double* q, double) {
          Cols6 S = columns(2);
          S(0, 0) = std::cos(q[1]);
          S(2, 0) = std::sin(q[1]);
          S(1, 1) = 1;
          return S;
        },
    .bias =
        [](const double* q, const double* v) {
          Vec6 c = Vec6::Zero();
          c[0] = -std::sin(q[1]) * v[1] * v[0];
          c[2] = std::cos(q[1]) * v[1] * v[0];
          return c;
        },
    .qdot = same_speeds<2>,
    .primitives = list_of<motion::about_x, motion::about_y>,
    .closure =
        list_of<no::slide_x, no::slide_y, no::slide_z, no::turn_z>,  // x of F normal to y of M
};

}  // namespace

constinit const JointType JointType::universal(universal_entry);

template <>
const JointInfo& joint_entry<struct Universal>() {
  return universal_entry;
}

}  // namespace couplet::model
