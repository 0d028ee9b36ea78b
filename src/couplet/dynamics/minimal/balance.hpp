// The balance of forces as a residual, for rules that ask for one: f(t, q, v, v̇, λ) = 0.
#pragma once

#include "couplet/dynamics/minimal/friction_forces.hpp"

namespace couplet::dynamics {

class Balance {
 public:
  /// `friction` null: there is none.
  Balance(Stages& stages, Formalism& formalism, FrictionForces* friction);

  /// M v̇ + Gᵀλ - f - tau, as the formalism forms it; for prescribed and mimic joints v̇ less what is
  /// prescribed. Rows of constraints are evaluated as well. The entry of the formalism must have
  /// residuals.
  void calc_residual(const State& state, const VecX& tau, const VecX& vdot, const VecX& lambda,
                     VecX& out);
  /// v̇ - M⁻¹(f + tau - Gᵀλ), the same in explicit form. The entry must have free motions.
  void calc_explicit_residual(const State& state, const VecX& tau, const VecX& vdot,
                              const VecX& lambda, VecX& out);

 private:
  Stage prepare(const State& state, const VecX& tau);
  void add_constraint_forces(const VecX& lambda, double sign, VecX& out) const;

  Stages& stages_;
  const Mechanism& mechanism_;
  Formalism& formalism_;
  FrictionForces* friction_;
  VecX total_, given_, found_, phi_;
};

}  // namespace couplet::dynamics
