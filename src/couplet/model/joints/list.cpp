// The list of joint types, in the order in which people see it: each is a file of this folder.
#include "couplet/model/joints.hpp"

namespace couplet::model {

template <class... Names>
struct List {
  static constexpr std::array entries = {&JointEntry<Names>::info...};
};

using Joints = List<     //
    struct Weld,         //
    struct Revolute,     //
    struct Prismatic,    //
    struct Screw,        //
    struct Cylindrical,  //
    struct Universal,    //
    struct Spherical,    //
    struct Planar,       //
    struct Xyz,          //
    struct Free,         //
    struct Gimbal>;

constinit const JointType JointType::weld(JointEntry<Weld>::info),
    JointType::revolute(JointEntry<Revolute>::info),
    JointType::prismatic(JointEntry<Prismatic>::info), JointType::screw(JointEntry<Screw>::info),
    JointType::cylindrical(JointEntry<Cylindrical>::info),
    JointType::universal(JointEntry<Universal>::info),
    JointType::spherical(JointEntry<Spherical>::info), JointType::planar(JointEntry<Planar>::info),
    JointType::xyz(JointEntry<Xyz>::info), JointType::free(JointEntry<Free>::info);

std::span<const JointInfo* const> joint_types() { return Joints::entries; }

std::optional<JointType> find_joint_type(std::string_view name) {
  for (const JointInfo* joint : joint_types())
    if (name == joint->name) return JointType(*joint);
  return std::nullopt;
}

std::vector<std::string> joint_type_names() {
  std::vector<std::string> names;
  for (const JointInfo* joint : joint_types()) names.emplace_back(joint->name);
  return names;
}

std::vector<double> zero_position(const JointInfo& joint) {
  std::vector<double> q(static_cast<size_t>(joint.nq), 0.0);
  if (joint.on_quaternion()) q[0] = 1;
  return q;
}

}  // namespace couplet::model
