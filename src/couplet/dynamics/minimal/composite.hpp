// The equations of motion M v̇ + h = τ by recursions: M of composite bodies, h by inverse dynamics.
#pragma once

#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"

namespace couplet::dynamics {

/// At one stage; scratch included, sized once.
class CompositeEquations {
 public:
  explicit CompositeEquations(const Mechanism& mechanism)
      : mechanism_(mechanism),
        mass_(mechanism),
        inverse_(mechanism),
        link_forces_(mechanism),
        M_(mechanism.nv, mechanism.nv),
        h_(mechanism.nv),
        zero_(VecX::Zero(mechanism.nv)) {}

  /// M (full, symmetric) and h, inertia forces at v̇ = 0 minus gravity and body forces.
  void form(const Stage& stage) {
    calc_mass_matrix(mechanism_, stage.state.q, mass_, M_);
    M_.triangularView<Eigen::StrictlyLower>() = M_.transpose();
    calc_inverse_dynamics(mechanism_, stage.state, zero_, link_forces_.calc(stage), inverse_, h_);
  }
  const MatX& mass_matrix() const { return M_; }
  const VecX& bias() const { return h_; }

 private:
  const Mechanism& mechanism_;
  MassMatrixWorkspace<double> mass_;
  InverseWorkspace<double> inverse_;
  LinkForces link_forces_;
  MatX M_;
  VecX h_, zero_;
};

}  // namespace couplet::dynamics
