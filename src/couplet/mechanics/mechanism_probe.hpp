// Chosen observables of a mechanism at a point: what they share is computed once.
#pragma once

#include "couplet/mechanics/mechanism_observables.hpp"

namespace couplet::mechanics {

class MechanismProbe final : public simulate::Probe {
 public:
  using Source = MechanismObservables::Source;
  MechanismProbe(MechanismProblem& problem, std::vector<Source> wanted);

  void calc(double t, const VecX& y, double* values) override;

 private:
  struct Needs {
    bool motions = false, vdot = false, accelerations = false, reactions = false,
         constraints = false, energy = false, momentum = false, residuals = false, xdot = false,
         signals = false;
  };
  void note_needs(MechanismObservables::Quantity quantity);
  double value(const Source& source, const VecX& y) const;
  math::Vec3 point_vector(const Source& source) const;

  MechanismProblem& problem_;
  std::vector<Source> wanted_;
  Needs needs_;

  // At the point at hand.
  const dynamics::Kinematics* kinematics_ = nullptr;  // of the system, or these:
  std::optional<dynamics::Kinematics> accelerated_;   // from the first question on
  VecX vdot_, tau_, xdot_;
  double kinetic_ = 0, potential_ = 0;
  dynamics::Momentum momentum_;
  dynamics::Residuals residuals_;
  std::vector<dynamics::Reaction> reactions_;  // by joint of the model
  std::vector<dynamics::ConstraintForce> constraint_forces_;
  std::vector<double> signals_;  // of force elements
};

}  // namespace couplet::mechanics
