#include "couplet/dynamics/minimal/system.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"

namespace couplet::dynamics {
namespace {

std::unique_ptr<Formalism> make_formalism(std::string_view name, const Mechanism& mechanism) {
  const FormalismEntry* entry = find_formalism(name);
  if (!entry) {
    std::vector<std::string> names;
    for (const FormalismEntry& each : formalisms()) names.emplace_back(each.name);
    throw base::UserError({}, fmt::format("there is no formalism {}", base::quoted(name)),
                          base::suggest(name, names));
  }
  if (!entry->applies(mechanism))
    throw base::UserError({}, fmt::format("formalism {} does not apply to this model", base::quoted(name)),
                          fmt::format("it is for: {}", entry->doc));
  return entry->make(mechanism);
}

}  // namespace

System::System(std::shared_ptr<const Mechanism> mechanism, std::string_view formalism)
    : mechanism_(std::move(mechanism)),
      force_set_(*mechanism_),
      applied_(*mechanism_),
      kinematics_(*mechanism_),
      formalism_(make_formalism(formalism, *mechanism_)),
      inverse_(*mechanism_),
      mass_(*mechanism_),
      on_links_(VecX::Zero(6 * mechanism_->links.size())),
      total_(VecX::Zero(mechanism_->nv)) {
  std::vector<char> mimics(mechanism_->nv, 0);
  for (const model::Coupling& c : mechanism_->couplings) mimics[c.iv] = 1;
  for (int i = 0; i < mechanism_->nv; ++i)
    if (!mimics[i]) listed_.push_back(i);
}

void System::make_consistent(State& state) {
  force_set_.set_prescribed(state);
  mechanism_->make_consistent(state);
}

void System::calc_forces(const State& state) {
  applied_.set_zero();
  if (force_set_.empty()) return;
  if (force_set_.needs_motions()) calc_kinematics(*mechanism_, state, kinematics_);
  force_set_.add_forces(state, kinematics_.bodies, applied_);
}

void System::calc_vdot(const State& state, VecX& tau, VecX& vdot) {
  calc_forces(state);
  total_ = tau + applied_.tau;
  force_set_.set_prescribed(state.t, vdot);
  formalism_->calc_vdot(state, applied_, kinematics_, total_, vdot);
  for (const model::Link& link : mechanism_->links)
    if (link.prescribed) tau[link.iv] = total_[link.iv] - applied_.tau[link.iv];
}

void System::calc_tau(const State& state, const VecX& vdot, VecX& tau) {
  calc_forces(state);
  const double* on_links = calc_link_forces(*mechanism_, applied_, kinematics_, on_links_);
  calc_inverse_dynamics(*mechanism_, state, vdot, on_links, inverse_, tau);
  tau -= applied_.tau;
  for (const model::Coupling& c : mechanism_->couplings) {
    tau[c.source_iv] += c.ratio * tau[c.iv];
    tau[c.iv] = 0;
  }
}

void System::calc_equations(const State& state, MatX& M, VecX& h) {
  const int nv = mechanism_->nv, n = static_cast<int>(listed_.size());
  VecX full(nv);
  calc_tau(state, VecX::Zero(nv), full);
  MatX all(nv, nv);
  calc_mass_matrix(*mechanism_, state.q, mass_, all);
  all.triangularView<Eigen::StrictlyLower>() = all.transpose();
  for (const model::Coupling& c : mechanism_->couplings) {  // Gᵀ M G
    all.row(c.source_iv) += c.ratio * all.row(c.iv);
    all.row(c.iv).setZero();
  }
  for (const model::Coupling& c : mechanism_->couplings) all.col(c.source_iv) += c.ratio * all.col(c.iv);
  M.resize(n, n);
  h.resize(n);
  for (int i = 0; i < n; ++i) {
    h[i] = full[listed_[i]];
    for (int j = 0; j < n; ++j) M(i, j) = all(listed_[i], listed_[j]);
  }
}

const Kinematics& System::calc_motions(const State& state) {
  calc_kinematics(*mechanism_, state, kinematics_);
  return kinematics_;
}

double System::calc_potential_energy(const State& state) {
  calc_motions(state);
  return calc_gravity_energy(*mechanism_, kinematics_) +
         force_set_.calc_potential_energy(state, kinematics_.bodies);
}

// The recursion's force through each joint, from canonical to world axes. Welds inside a link carry
// forces too, but which is not determined by the motion of the link alone: they are left out.
std::vector<Reaction> System::calc_reactions(const State& state, const VecX& vdot) {
  VecX tau(mechanism_->nv);
  calc_tau(state, vdot, tau);
  calc_motions(state);
  std::vector<Reaction> reactions;
  for (const model::TreeJoint& slot : mechanism_->joints) {
    if (info(mechanism_->model->joints[slot.joint].type).nv == 0) continue;
    const InverseScratch<double>& s = inverse_.links[slot.link];
    const model::BodyPlacement& placement = mechanism_->bodies[slot.child_body];
    const math::Pose& X_WB = kinematics_.bodies[slot.child_body].X_WB;
    const math::Pose X_WL = X_WB * placement.X_LB.inverse();
    const Vec3 p_M = X_WB * slot.X_MB.inverse().p;
    const Vec3 force = X_WL.R * Vec3(s.f.x, s.f.y, s.f.z);
    const Vec3 torque = X_WL.R * Vec3(s.n.x, s.n.y, s.n.z) + (X_WL.p - p_M).cross(force);
    reactions.push_back({slot.joint, force, torque});
  }
  return reactions;
}

}  // namespace couplet::dynamics
