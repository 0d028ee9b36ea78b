// Screw: M turns about z by q and slides along z by pitch q.   S = [z; pitch z]
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo screw_entry = {
    .name = "screw",
    .doc = "turns about its axis and slides by pitch * angle",
    .nq = 1,
    .nv = 1,
    .q_names = {"q"},
    .v_names = {"v"},
    .angular = 0b1,
    .axes = JointInfo::Axes::one,
    .has_pitch = true,
    .reversible = true,
    .pose =
        [](const double* q, double pitch) {
          return Pose{math::rotation(Vec3::UnitZ(), q[0]), Vec3(0, 0, pitch * q[0])};
        },
    .motion_subspace =
        [](const double*, double pitch) {
          Cols6 S = columns(1);
          S(2, 0) = 1;
          S(5, 0) = pitch;
          return S;
        },
    .qdot = same_speeds<1>,
    .primitives = list_of<motion::screw_z>,
};

}  // namespace

constinit const JointType JointType::screw(screw_entry);

template <>
const JointInfo& joint_entry<struct Screw>() {
  return screw_entry;
}

}  // namespace couplet::model
