// Planar: M slides by (x, y) in F axes, then turns about z.
#include "couplet/model/joints/parts.hpp"

namespace couplet::model {
namespace {

constexpr JointInfo planar_entry = {
    .name = "planar",
    .doc = "slides in the plane normal to its axis and turns about the axis",
    .nq = 3,
    .nv = 3,
    .q_names = {"x", "y", "angle"},
    .v_names = {"vx", "vy", "w"},
    .angular = 0b100,
    .axes = JointInfo::Axes::one,
    .pose =
        [](const double* q, double) {
          return Pose{math::rotation(Vec3::UnitZ(), q[2]), Vec3(q[0], q[1], 0)};
        },
    .motion_subspace =
        [](const double* q, double) {
          const double c = std::cos(q[2]), s = std::sin(q[2]);
          Cols6 S = columns(3);
          S(3, 0) = c;
          S(4, 0) = -s;
          S(3, 1) = s;
          S(4, 1) = c;
          S(2, 2) = 1;
          return S;
        },
    .bias =
        [](const double* q, const double* v) {
          const double c = std::cos(q[2]), s = std::sin(q[2]);
          Vec6 a = Vec6::Zero();
          a[3] = v[2] * (-s * v[0] + c * v[1]);
          a[4] = v[2] * (-c * v[0] - s * v[1]);
          return a;
        },
    .qdot = same_speeds<3>,
    .primitives = list_of<motion::along_x, motion::along_y, motion::about_z>,
    .closure = list_of<no::slide_z, no::turn_x, no::turn_y>,
};

}  // namespace

constinit const JointType JointType::planar(planar_entry);

template <>
const JointInfo& joint_entry<struct Planar>() {
  return planar_entry;
}

}  // namespace couplet::model
