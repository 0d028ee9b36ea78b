// Revolute: M turns about z by q.   S = [z; 0]
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo revolute_entry = {
    .name = "revolute",
    .doc = "turns about its axis",
    .nq = 1,
    .nv = 1,
    .q_names = {"q"},
    .v_names = {"v"},
    .angular = 0b1,
    .axes = JointInfo::Axes::one,
    .reversible = true,
    .pose =
        [](const double* q, double) {
          return Pose{math::rotation(Vec3::UnitZ(), q[0]), Vec3::Zero()};
        },
    .motion_subspace =
        [](const double*, double) {
          Cols6 S = columns(1);
          S(2, 0) = 1;
          return S;
        },
    .qdot = same_speeds<1>,
    .primitives = list_of<motion::about_z>,
    .closure = list_of<no::slide_x, no::slide_y, no::slide_z, no::turn_x, no::turn_y>,
};

}  // namespace

constinit const JointType JointType::revolute(revolute_entry);

template <>
const JointInfo& joint_entry<struct Revolute>() {
  return revolute_entry;
}

}  // namespace couplet::model
