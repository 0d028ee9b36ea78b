// Friction at a stage: forces φ of joints that rub, from the motion and the loads that φ itself
// causes (friction.hpp).
#pragma once

#include "couplet/dynamics/minimal/constraints/shares.hpp"
#include "couplet/dynamics/minimal/inverse.hpp"

namespace couplet::dynamics {

class FrictionForces {
 public:
  FrictionForces(Stages& stages, Formalism& formalism);

  JointFriction& joints() { return joints_; }
  const JointFriction& joints() const { return joints_; }

  /// φ where τ (force elements included) acts besides; the formalism has been prepared for the
  /// stage, which has all rows. Valid until the next call.
  const VecX& calc(const Stage& stage, const VecX& tau);
  /// Decides which joints stick, see JointFriction::decide.
  void decide(const Stage& stage, const VecX& tau, std::span<const size_t> released);
  /// φ as it follows from v̇ and λ as they are given. Only where nothing sticks or is held
  /// (JointFriction::is_explicit).
  const VecX& calc_explicit(const Stage& stage, const VecX& vdot, const VecX& lambda);

 private:
  void respond(const Stage& stage, const VecX& tau, const VecX& phi, VecX& vdot, VecX& loads);
  void calc_loads(const Stage& stage, const VecX& vdot, const VecX* lambda, VecX& loads);

  Stages& stages_;
  Formalism& formalism_;
  JointFriction joints_;
  JointLoads loads_;
  std::unique_ptr<Shares> shares_;
  VecX total_, taken_, pressing_, phi_;
};

}  // namespace couplet::dynamics
