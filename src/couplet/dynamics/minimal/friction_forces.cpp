#include "couplet/dynamics/minimal/friction_forces.hpp"

namespace couplet::dynamics {

FrictionForces::FrictionForces(Stages& stages, Formalism& formalism)
    : stages_(stages),
      formalism_(formalism),
      joints_(stages.mechanism()),
      loads_(stages, formalism.limbs()),
      total_(VecX::Zero(stages.mechanism().nv)),
      taken_(total_),
      phi_(total_) {
  if (stages.constraints())
    shares_ = std::make_unique<Shares>(stages.mechanism(), *stages.constraints());
}

void FrictionForces::calc_loads(const Stage& stage, const VecX& vdot, const VecX* lambda,
                                VecX& loads) {
  loads_.calc(stage, vdot, lambda ? &shares_->calc(*lambda) : nullptr, taken_);
  joints_.read_loads(loads_.joints(), loads);
}

void FrictionForces::respond(const Stage& stage, const VecX& tau, const VecX& phi, VecX& vdot,
                             VecX& loads) {
  total_ = tau + phi;
  stages_.forces().set_prescribed(stage.state.t, vdot);
  formalism_.solve(total_, vdot);
  calc_loads(stage, vdot, formalism_.lambda(), loads);
}

const VecX& FrictionForces::calc(const Stage& stage, const VecX& tau) {
  if (shares_) shares_->begin();
  const auto response = [&](const VecX& phi, VecX& vdot, VecX& loads) {
    respond(stage, tau, phi, vdot, loads);
  };
  return joints_.solve(stage.state, std::ref(response));  // a reference: nothing is allocated
}

void FrictionForces::decide(const Stage& stage, const VecX& tau, std::span<const size_t> released) {
  if (shares_) shares_->begin();
  joints_.decide(stage.state, released, [&](const VecX& phi, VecX& vdot, VecX& loads) {
    respond(stage, tau, phi, vdot, loads);
  });
}

const VecX& FrictionForces::calc_explicit(const Stage& stage, const VecX& vdot,
                                          const VecX& lambda) {
  if (shares_) shares_->begin();
  calc_loads(stage, vdot, shares_ ? &lambda : nullptr, pressing_);
  phi_.setZero();
  joints_.add_forces(stage.state.v, pressing_, phi_);
  return phi_;
}

}  // namespace couplet::dynamics
