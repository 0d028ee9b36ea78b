#include "couplet/dynamics/minimal/particles.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"

namespace couplet::dynamics {

bool is_particle_system(const Mechanism& mechanism) {
  if (mechanism.nv == 0 || mechanism.has_prescribed() || mechanism.constrained()) return false;
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Body& body = mechanism.model->bodies[slot.child_body];
    const bool at_its_place = (slot.X_MB * body.mass.com).norm() == 0;
    if (mechanism.model->joints[slot.joint].type != model::JointType::xyz || slot.reversed ||
        slot.parent_body != 0 || !body.mass.inertia.isZero() || !at_its_place)
      return false;
  }
  return true;
}

void Particles::calc_vdot(const State& state, const forces::AppliedForces& applied,
                          const Kinematics&, VecX& tau, VecX& vdot) {
  for (const model::TreeJoint& slot : mechanism_.joints) {
    const double mass = mechanism_.model->bodies[slot.child_body].mass.mass;
    if (!(mass > 0))
      throw base::ComputationError(
          fmt::format("t = {:.9g}: particle {} has no mass", state.t,
                      base::quoted(mechanism_.model->bodies[slot.child_body].name)));
    Vec3 force = mass * mechanism_.uniform_gravity;
    if (applied.any_on_bodies) force += applied.on_bodies[slot.child_body].tail<3>();
    vdot.segment<3>(slot.iv) = (slot.X_PF.R.transpose() * force + tau.segment<3>(slot.iv)) / mass;
  }
}

}  // namespace couplet::dynamics
