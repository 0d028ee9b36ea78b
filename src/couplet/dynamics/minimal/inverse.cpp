#include "couplet/dynamics/minimal/inverse.hpp"

namespace couplet::dynamics {

JointLoads::JointLoads(Stages& stages, std::shared_ptr<LimbPlan> limbs)
    : stages_(stages),
      link_forces_(stages.mechanism()),
      inverse_(stages.mechanism(), std::move(limbs)) {
  if (stages.constraints()) acting_.emplace(stages.mechanism());
}

void JointLoads::calc(const Stage& stage, const VecX& vdot, const VecX* lambda, VecX& tau) {
  if (lambda) {
    acting_ = stage.applied;
    stages_.constraints()->set().add_forces(*lambda, stage.kinematics, *acting_);
  }
  const forces::AppliedForces& acting = lambda ? *acting_ : stage.applied;
  calc_inverse_dynamics(stages_.mechanism(), stage.state, vdot,
                        link_forces_.calc(acting, stage.kinematics), inverse_, tau);
  tau -= acting.tau;
}

InverseDynamics::InverseDynamics(Stages& stages, const JointFriction* friction,
                                 std::shared_ptr<LimbPlan> limbs)
    : stages_(stages),
      mechanism_(stages.mechanism()),
      friction_(friction),
      loads_(stages, std::move(limbs)) {
  std::vector<char> mimics(static_cast<size_t>(mechanism_.nv), 0);
  for (const model::Coupling& c : mechanism_.couplings) mimics[static_cast<size_t>(c.iv)] = 1;
  listed_.reserve(mimics.size());
  for (int i = 0; i < mechanism_.nv; ++i)
    if (!mimics[static_cast<size_t>(i)]) listed_.push_back(i);
}

void InverseDynamics::move_to_sources(VecX& tau) const {
  for (const model::Coupling& c : mechanism_.couplings) {
    tau[c.source_iv] += c.ratio * tau[c.iv];
    tau[c.iv] = 0;
  }
}

void InverseDynamics::calc_frictionless_tau(const State& state, const VecX& vdot, VecX& tau) {
  loads_.calc(stages_.without_bias(state), vdot, nullptr, tau);
  move_to_sources(tau);
}

// Forces through joints of a tree follow from the motion, so friction does. In loops they depend on
// tau itself.
void InverseDynamics::calc_tau(const State& state, const VecX& vdot, VecX& tau) {
  calc_frictionless_tau(state, vdot, tau);
  if (!friction_ || stages_.constraints()) return;
  friction_->read_loads(loads_.joints(), pressing_);
  overcome_.setZero(mechanism_.nv);
  for (const FrictionGroup& group : friction_->groups()) {
    const Vec3 w = group.speed(state.v), s = !group.switches() ? group.slip(state.v)
                                             : w.norm() > 0    ? Vec3(w / w.norm())
                                                               : w;
    const double N = pressing_.segment<3>(3 * static_cast<Eigen::Index>(group.load)).norm();
    for (int k = 0; k < group.n; ++k)
      overcome_[group.iv + k] += (group.arm_at(state.v) * N + group.constant) * s[k];
  }
  move_to_sources(overcome_);
  tau += overcome_;
}

void InverseDynamics::calc_mass_matrix(const VecX& q, MatX& M) {
  M.resize(mechanism_.nv, mechanism_.nv);
  if (!mass_) mass_.emplace(mechanism_);
  dynamics::calc_mass_matrix(mechanism_, q, *mass_, M);
}

void InverseDynamics::calc_equations(const State& state, MatX& M, VecX& h) {
  const int nv = mechanism_.nv, n = static_cast<int>(listed_.size());
  VecX full(nv);
  calc_frictionless_tau(state, VecX::Zero(nv), full);
  MatX all(nv, nv);
  calc_mass_matrix(state.q, all);
  all.triangularView<Eigen::StrictlyLower>() = all.transpose();
  for (const model::Coupling& c : mechanism_.couplings) {  // Gᵀ M G
    all.row(c.source_iv) += c.ratio * all.row(c.iv);
    all.row(c.iv).setZero();
  }
  for (const model::Coupling& c : mechanism_.couplings)
    all.col(c.source_iv) += c.ratio * all.col(c.iv);
  M.resize(n, n);
  h.resize(n);
  for (int i = 0; i < n; ++i) {
    h[i] = full[listed_[static_cast<size_t>(i)]];
    for (int j = 0; j < n; ++j)
      M(i, j) = all(listed_[static_cast<size_t>(i)], listed_[static_cast<size_t>(j)]);
  }
}

}  // namespace couplet::dynamics
