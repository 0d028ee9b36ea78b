#include "couplet/dynamics/minimal/constraints/joint_equations.hpp"

namespace couplet::dynamics {

JointEquations::JointEquations(System& system)
    : system_(system),
      set_(system.constraints()->set()),
      prescribed_(static_cast<size_t>(system.mechanism().nv), 0) {
  for (const model::Link& link : system.mechanism().links)
    if (link.prescribed) prescribed_[static_cast<size_t>(link.iv)] = 1;
}

const std::string& JointEquations::owner(int speed) const {
  const Mechanism& mechanism = system_.mechanism();
  const auto after =
      std::upper_bound(mechanism.joints.begin(), mechanism.joints.end(), speed,
                       [](int iv, const model::TreeJoint& slot) { return iv < slot.iv; });
  return mechanism.model->joints[static_cast<size_t>((after - 1)->joint)].name;
}

}  // namespace couplet::dynamics
