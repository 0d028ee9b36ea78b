#include "couplet/mechanics/mechanism_probe.hpp"

namespace couplet::mechanics {

using Quantity = MechanismObservables::Quantity;

MechanismProbe::MechanismProbe(MechanismProblem& problem, std::vector<Source> wanted)
    : problem_(problem),
      wanted_(std::move(wanted)),
      xdot_(VecX::Zero(problem.layout().nx)),
      signals_(problem.system().forces().signals().size()) {
  for (const Source& source : wanted_) note_needs(source.quantity);
  if (needs_.vdot) vdot_ = tau_ = VecX::Zero(problem.layout().nv);
  if (needs_.reactions) reactions_.resize(problem.mechanism().model->joints.size());
}

void MechanismProbe::note_needs(Quantity quantity) {
  using enum MechanismObservables::Quantity;
  switch (quantity) {
    case acceleration:
    case actuator_force:
      needs_.vdot = true;
      break;
    case state_rate:
      needs_.xdot = true;
      break;
    case point_acceleration:
      needs_.vdot = needs_.accelerations = needs_.motions = true;
      break;
    case position:
    case velocity:
    case angular_velocity:
    case orientation:
      needs_.motions = true;
      break;
    case force:
    case torque:
    case local_force:
    case local_torque:
      needs_.vdot = needs_.reactions = true;
      break;
    case pull:
    case constraint_force:
    case constraint_torque:
    case freedom_force:
      needs_.vdot = needs_.constraints = true;
      break;
    case force_signal:
      needs_.signals = needs_.motions = true;
      break;
    case position_residual:
    case velocity_residual:
      needs_.residuals = true;
      break;
    case kinetic_energy:
    case potential_energy:
    case total_energy:
      needs_.energy = needs_.motions = true;
      break;
    case linear_momentum:
    case angular_momentum:
      needs_.momentum = needs_.motions = true;
      break;
    case state:
    case parameter:
      break;
  }
}

void MechanismProbe::calc(double t, const VecX& y, double* values) {
  if (needs_.vdot) problem_.calc_vdot(t, y, vdot_, tau_);
  if (needs_.motions) {
    const Mechanism& m = problem_.mechanism();
    const State& state = problem_.state(t, y);
    if (needs_.energy) potential_ = problem_.system().calc_potential_energy(state);
    kinematics_ = &problem_.system().calc_motions(state);  // all that comes is at this state
    if (needs_.accelerations) {
      if (!accelerated_) accelerated_.emplace(m);
      dynamics::calc_kinematics(m, state, *accelerated_);
      dynamics::calc_accelerations(m, state, vdot_, *accelerated_);
      kinematics_ = &*accelerated_;
    }
    if (needs_.energy) kinetic_ = dynamics::calc_kinetic_energy(m, *kinematics_);
    if (needs_.signals)
      problem_.system().forces().calc_signals(state, kinematics_->bodies, signals_);
    if (needs_.momentum) momentum_ = dynamics::calc_momentum(m, *kinematics_);
  }
  if (needs_.xdot) problem_.calc_xdot(t, y, xdot_);
  if (needs_.residuals)
    residuals_ = problem_.system().closure().calc_residuals(problem_.state(t, y));
  if (needs_.reactions)
    for (const dynamics::Reaction& reaction : problem_.system().reactions().calc_joints(
             problem_.state(t, y), vdot_, problem_.system().lambda()))
      reactions_[static_cast<size_t>(reaction.joint)] = reaction;
  if (needs_.constraints)
    constraint_forces_ = problem_.system().reactions().calc_constraints(problem_.state(t, y),
                                                                        problem_.system().lambda());
  for (size_t i = 0; i < wanted_.size(); ++i) values[i] = value(wanted_[i], y);
}

double MechanismProbe::value(const Source& source, const VecX& y) const {
  using enum MechanismObservables::Quantity;
  const auto index = static_cast<size_t>(source.index), part = static_cast<size_t>(source.part);
  switch (source.quantity) {
    case state:
      return y[source.index];
    case acceleration:
      return vdot_[source.index];
    case state_rate:
      return xdot_[source.index];
    case actuator_force:
      return tau_[source.index];
    case position:
    case velocity:
    case angular_velocity:
    case point_acceleration:
      return point_vector(source)[source.part];
    case orientation: {
      const model::Point& point = problem_.mechanism().model->points[index];
      const model::BodyMotion& body = kinematics_->bodies[static_cast<size_t>(point.body)];
      return math::quaternion((body.X_WB * point.X_BP).R)[source.part];
    }
    case force:
      return reactions_[index].force[source.part];
    case torque:
      return reactions_[index].torque[source.part];
    case local_force:
      return reactions_[index].local_force()[source.part];
    case local_torque:
      return reactions_[index].local_torque()[source.part];
    case pull:
      return constraint_forces_[index].pull;
    case constraint_force:
      return constraint_forces_[index].force[source.part];
    case constraint_torque:
      return constraint_forces_[index].torque[source.part];
    case freedom_force:
      return constraint_forces_[index].on_freedoms[part].force;
    case force_signal:
      return signals_[index];
    case position_residual:
      return residuals_.position;
    case velocity_residual:
      return residuals_.velocity;
    case kinetic_energy:
      return kinetic_;
    case potential_energy:
      return potential_;
    case total_energy:
      return kinetic_ + potential_;
    case linear_momentum:
      return momentum_.linear[source.part];
    case angular_momentum:
      return momentum_.angular[source.part];
    case parameter:
      return problem_.parameters()[index];
  }
  return std::nan("");
}

math::Vec3 MechanismProbe::point_vector(const Source& source) const {
  const model::Point& point = problem_.mechanism().model->points[static_cast<size_t>(source.index)];
  const model::BodyMotion& body = kinematics_->bodies[static_cast<size_t>(point.body)];
  const math::Vec3 p_W = (body.X_WB * point.X_BP).p;
  if (source.quantity == Quantity::position) return p_W;
  if (source.quantity == Quantity::velocity) return body.velocity_at(p_W);
  if (source.quantity == Quantity::angular_velocity) return body.w;
  const dynamics::BodyAcceleration& A = kinematics_->accelerations[static_cast<size_t>(point.body)];
  const math::Vec3 r = p_W - body.X_WB.p;
  return A.a + A.alpha.cross(r) + body.w.cross(body.w.cross(r));
}

}  // namespace couplet::mechanics
