// Forces from motion, by the recursion: what joints carry, what motors give, the equations of
// motion.
#pragma once

#include <optional>

#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/friction.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"

namespace couplet::dynamics {

/// The forces through joints that a motion takes.
class JointLoads {
 public:
  /// `limbs`: Formalism::limbs.
  JointLoads(Stages& stages, std::shared_ptr<LimbPlan> limbs);

  /// For v̇ and λ of all rows (null: without those of the constraints). `tau` receives what the
  /// freedoms take beyond the force elements.
  void calc(const Stage& stage, const VecX& vdot, const VecX* lambda, VecX& tau);
  /// Joint by joint, of the last calc.
  const InverseWorkspace<double>& joints() const { return inverse_; }

 private:
  Stages& stages_;
  LinkForces link_forces_;
  std::optional<forces::AppliedForces> acting_;  // elements and constraints, where there are any
  InverseWorkspace<double> inverse_;
};

class InverseDynamics {
 public:
  /// `friction` null: there is none.
  InverseDynamics(Stages& stages, const JointFriction* friction, std::shared_ptr<LimbPlan> limbs);

  /// Actuator forces that v̇ takes, beyond the force elements: with what overcomes friction in a
  /// tree, without in loops. Joints at rest without a stick speed need anything up to what sticks:
  /// they count as without friction.
  void calc_tau(const State& state, const VecX& vdot, VecX& tau);
  void calc_frictionless_tau(const State& state, const VecX& vdot, VecX& tau);

  /// M and h of M v̇ + h = tau, both with respect to the freedoms that are not mimics.
  void calc_equations(const State& state, MatX& M, VecX& h);
  /// M(q), its upper part, of all freedoms.
  void calc_mass_matrix(const VecX& q, MatX& M);
  /// Freedoms that are not mimics, in order.
  const std::vector<int>& listed_freedoms() const { return listed_; }

 private:
  /// The forces of mimic joints act on those that they follow.
  void move_to_sources(VecX& tau) const;

  Stages& stages_;
  const Mechanism& mechanism_;
  const JointFriction* friction_;
  JointLoads loads_;
  std::optional<MassMatrixWorkspace<double>> mass_;  // from the first question on
  std::vector<int> listed_;
  VecX pressing_, overcome_;
};

}  // namespace couplet::dynamics
