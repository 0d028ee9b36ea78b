#include "couplet/dynamics/minimal/stage.hpp"

namespace couplet::dynamics {

Stages::Stages(const Mechanism& mechanism)
    : mechanism_(mechanism),
      forces_(mechanism),
      applied_(mechanism, forces_.needs_motions() || mechanism.constrained()),
      kinematics_(mechanism, mechanism.constrained()),
      zero_(VecX::Zero(mechanism.nv)),
      next_vdot_(zero_) {
  if (!mechanism.constrained()) return;
  constraints_ = std::make_unique<ConstraintSolver>(mechanism);
  next_G_ = constraints_->set().G();
  next_bias_ = VecX::Zero(constraints_->set().rows());
}

const Kinematics& Stages::calc_motions(const State& state) {
  calc_kinematics(mechanism_, state, kinematics_);
  return kinematics_;
}

const Kinematics& Stages::evaluate_constraints(const State& state, Rows rows) {
  calc_kinematics(mechanism_, state, kinematics_);
  calc_accelerations(mechanism_, state, zero_, kinematics_);
  if (rows == Rows::all || constraints_->revision() == 0)
    constraints_->set().evaluate_all(state, kinematics_);
  else
    constraints_->set().evaluate(state, kinematics_);
  if (constraints_->revision() == 0) constraints_->choose_rows(state, kinematics_);
  return kinematics_;
}

void Stages::add_forces(const State& state) {
  applied_.set_zero();
  if (!forces_.empty()) forces_.add_forces(state, kinematics_.bodies, applied_);
}

const VecX& Stages::calc_joint_forces(const State& state) {
  applied_.set_zero();
  if (!forces_.empty()) forces_.add_forces(state, {}, applied_);
  return applied_.tau;
}

Stage Stages::at(const State& state, Rows rows) {
  if (!constraints_) return without_bias(state, rows);
  evaluate_constraints(state, rows);
  add_forces(state);
  return {state, kinematics_, applied_, {&constraints_->set().G(), &constraints_->set().bias()}};
}

Stage Stages::without_bias(const State& state, Rows rows) {
  if (constraints_ && constraints_->revision() == 0) evaluate_constraints(state, Rows::all);
  if (constraints_ || forces_.needs_motions()) calc_kinematics(mechanism_, state, kinematics_);
  if (constraints_) {
    if (rows == Rows::all)
      constraints_->set().evaluate_all(state, kinematics_);
    else
      constraints_->set().evaluate_rows(state, kinematics_);
  }
  add_forces(state);
  return {state, kinematics_, applied_};
}

Stage Stages::half_explicit(const State& state, const State& next, double h, Rows rows) {
  if (constraints_->revision() == 0) evaluate_constraints(state, Rows::all);
  calc_kinematics(mechanism_, next, kinematics_);
  const ConstraintSet& set = constraints_->set();
  constraints_->set().evaluate_rows(next, kinematics_);
  next_G_.value = set.G().value;
  // v⁺ of prescribed joints is theirs already: h v̇ does not come on top of it.
  next_vdot_.setZero();
  forces_.set_prescribed(state.t, next_vdot_);
  for (const int row : constraints_->rows())
    next_bias_[row] =
        (next_G_.times(row, next.v) + set.known()[row]) / h - next_G_.times(row, next_vdot_);
  Stage stage = at(state, rows);
  stage.rows = {&next_G_, &next_bias_};
  return stage;
}

}  // namespace couplet::dynamics
