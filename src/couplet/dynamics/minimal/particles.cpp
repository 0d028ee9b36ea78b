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

void Particles::prepare(const Stage& stage) {
  for (const model::TreeJoint& slot : mechanism_.joints) {
    const double mass = mechanism_.model->bodies[slot.child_body].mass.mass;
    if (!(mass > 0))
      throw base::ComputationError(
          fmt::format("t = {:.9g}: particle {} has no mass", stage.state.t,
                      base::quoted(mechanism_.model->bodies[slot.child_body].name)));
    Vec3 force = mass * mechanism_.uniform_gravity;
    if (stage.applied.any_on_bodies) force += stage.applied.on_bodies[slot.child_body].tail<3>();
    forces_.segment<3>(slot.iv) = slot.X_PF.R.transpose() * force;
  }
}

void Particles::solve(VecX& tau, VecX& vdot) {
  for (const model::TreeJoint& slot : mechanism_.joints)
    vdot.segment<3>(slot.iv) = (forces_.segment<3>(slot.iv) + tau.segment<3>(slot.iv)) /
                               mechanism_.model->bodies[slot.child_body].mass.mass;
}

void Particles::calc_load(const Stage& stage, const VecX& vdot, VecX& load) {
  prepare(stage);
  for (const model::TreeJoint& slot : mechanism_.joints)
    load.segment<3>(slot.iv) =
        mechanism_.model->bodies[slot.child_body].mass.mass * vdot.segment<3>(slot.iv) -
        forces_.segment<3>(slot.iv);
}

template <>
const FormalismEntry& formalism_entry<struct ParticlesFormalism>() {
  static constexpr FormalismEntry entry{
      .name = "particles",
      .doc = "Newton's law for free particles, O(n)",
      .answers = {.residuals = true, .free_motion = true},
      .applies = is_particle_system,
      .make = make_as<Particles>,
  };
  return entry;
}

}  // namespace couplet::dynamics
