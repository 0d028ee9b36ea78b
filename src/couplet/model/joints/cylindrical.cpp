// Cylindrical: M turns about z by q1 and slides along z by q2.
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo cylindrical_entry = {
    .name = "cylindrical",
    .doc = "turns about its axis (q1) and slides along it (q2)",
    .nq = 2,
    .nv = 2,
    .q_names = {"q1", "q2"},
    .v_names = {"v1", "v2"},
    .angular = 0b01,
    .axes = JointInfo::Axes::one,
    .reversible = true,
    .pose =
        [](const double* q, double) {
          return Pose{math::rotation(Vec3::UnitZ(), q[0]), Vec3(0, 0, q[1])};
        },
    .motion_subspace =
        [](const double*, double) {
          Cols6 S = columns(2);
          S(2, 0) = 1;
          S(5, 1) = 1;
          return S;
        },
    .qdot = same_speeds<2>,
    .primitives = list_of<motion::about_z, motion::along_z>,
    .closure = list_of<no::slide_x, no::slide_y, no::turn_x, no::turn_y>,
};

}  // namespace

constinit const JointType JointType::cylindrical(cylindrical_entry);

template <>
const JointInfo& joint_entry<struct Cylindrical>() {
  return cylindrical_entry;
}

}  // namespace couplet::model
