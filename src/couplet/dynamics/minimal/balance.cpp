#include "couplet/dynamics/minimal/balance.hpp"

namespace couplet::dynamics {

Balance::Balance(Stages& stages, Formalism& formalism, FrictionForces* friction)
    : stages_(stages),
      mechanism_(stages.mechanism()),
      formalism_(formalism),
      friction_(friction),
      total_(VecX::Zero(mechanism_.nv)),
      given_(total_),
      found_(total_),
      phi_(total_) {}

void Balance::add_constraint_forces(const VecX& lambda, double sign, VecX& out) const {
  const ConstraintSolver* constraints = stages_.constraints();
  if (!constraints) return;
  for (int k = 0; k < constraints->size(); ++k)
    constraints->set().G().add_to(constraints->rows()[static_cast<size_t>(k)], sign * lambda[k],
                                  out);
}

// total_ = f + tau with friction as a motion would have it, the formalism prepared for it.
Stage Balance::prepare(const State& state, const VecX& tau) {
  const Stage stage = stages_.at(state, friction_ ? Stages::Rows::all : Stages::Rows::counting);
  formalism_.prepare(stage);
  total_ = tau + stage.applied.tau;
  if (friction_) {
    phi_ = friction_->calc(stage, total_);
    total_ += phi_;
  }
  return stage;
}

void Balance::calc_residual(const State& state, const VecX& tau, const VecX& vdot,
                            const VecX& lambda, VecX& out) {
  const bool holds = friction_ && !friction_->joints().is_explicit();
  if (holds) prepare(state, tau);  // what holds follows from the state alone
  const Stage stage = stages_.without_bias(
      state, friction_ ? Stages::Rows::all : Stages::Rows::counting);  // redundant ones press, too
  formalism_.calc_load(stage, vdot, out);
  out -= stage.applied.tau + tau;
  add_constraint_forces(lambda, 1, out);
  // Where joints slip, friction follows from v̇ and λ as they are given: f(t, q, v, λ).
  if (friction_) out -= holds ? phi_ : friction_->calc_explicit(stage, vdot, lambda);

  for (const model::Coupling& c : mechanism_.couplings) {
    if (stages_.constraints()) break;  // they are rows of it
    out[c.source_iv] += c.ratio * out[c.iv];
    out[c.iv] = vdot[c.iv] - c.ratio * vdot[c.source_iv];
  }
  if (!stages_.forces().has_prescribed()) return;
  given_ = vdot;
  stages_.forces().set_prescribed(state.t, given_);
  for (const model::Link& link : mechanism_.links)
    if (link.prescribed) out[link.iv] = vdot[link.iv] - given_[link.iv];
}

void Balance::calc_explicit_residual(const State& state, const VecX& tau, const VecX& vdot,
                                     const VecX& lambda, VecX& out) {
  if (!stages_.constraints()) {
    prepare(state, tau);
    stages_.forces().set_prescribed(state.t, out);
    formalism_.solve(total_, out);
    out = vdot - out;
    return;
  }
  const auto solve = [&](const Stage& stage, VecX& accelerations) {
    stages_.forces().set_prescribed(state.t, accelerations);
    formalism_.calc_free_vdot(stage, total_, accelerations);
  };
  if (!friction_) {
    const Stage stage = stages_.at(state);
    total_ = tau + stage.applied.tau;
    add_constraint_forces(lambda, -1, total_);
    solve(stage, out);
    out = vdot - out;
    return;
  }
  // Friction depends on v̇ and λ as they are given: M⁻¹ of what the balance of forces lacks.
  calc_residual(state, tau, vdot, lambda, out);
  const Stage stage = stages_.at(state);
  total_.setZero();
  solve(stage, given_);
  total_ = out;
  solve(stage, found_);
  found_ -= given_;
  for (const model::Link& link : mechanism_.links)
    if (link.prescribed) found_[link.iv] = out[link.iv];
  out = found_;
}

}  // namespace couplet::dynamics
