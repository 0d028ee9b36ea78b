// The list of joint types, in the order in which people see it: each is a file of this folder.
#include "couplet/model/joints.hpp"

namespace couplet::model {

template <class... Names>
struct List {
  static std::array<const JointInfo*, sizeof...(Names)> make() {
    return {&joint_entry<Names>()...};
  }
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

std::span<const JointInfo* const> joint_types() {
  static const auto list = Joints::make();
  return list;
}

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
