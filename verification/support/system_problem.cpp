#include "support/system_problem.hpp"

namespace couplet::verification {

using math::VecX;

SystemProblem::SystemProblem(std::shared_ptr<const model::Mechanism> mechanism,
                             std::string_view formalism)
    : system_(std::move(mechanism), formalism) {
  const model::Mechanism& m = system_.mechanism();
  layout_.nq = m.nq;
  layout_.nv = m.nv;
  for (const std::string& name : m.coordinate_names) layout_.components.push_back({name, "", 1});
  for (const std::string& name : m.speed_names) layout_.components.push_back({name, "", 1});
  state_ = m.default_state();
  qdot_ = VecX::Zero(m.nq);
  vdot_ = tau_ = VecX::Zero(m.nv);
}

void SystemProblem::read(double t, const VecX& y) {
  state_.t = t;
  state_.q = y.head(layout_.nq);
  state_.v = y.tail(layout_.nv);
}

void SystemProblem::calc_qdot(double t, const VecX& y, VecX& ydot) {
  read(t, y);
  system_.mechanism().calc_qdot(state_.q, state_.v, qdot_);
  ydot.head(layout_.nq) = qdot_;
}

void SystemProblem::calc_rates(double t, const VecX& y, VecX& ydot) {
  read(t, y);
  tau_.setZero();
  system_.calc_vdot(state_, tau_, vdot_);
  ydot.tail(layout_.nv) = vdot_;
}

void SystemProblem::project(double t, VecX& y) {
  read(t, y);
  system_.make_consistent(state_);
  y << state_.q, state_.v;
}

VecX join(const model::State& state) {
  VecX y(state.q.size() + state.v.size());
  y << state.q, state.v;
  return y;
}

}  // namespace couplet::verification
