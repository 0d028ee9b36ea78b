// Newton's law for free particles: m v̇ = f, one by one. POEMS' particle solver.
#pragma once

#include "couplet/dynamics/minimal/formalism.hpp"

namespace couplet::dynamics {

/// Every body is a particle, joined to the world by three translations at its own place.
bool is_particle_system(const Mechanism& mechanism);

class Particles final : public Formalism {
 public:
  explicit Particles(const Mechanism& mechanism) : mechanism_(mechanism) {}
  void calc_vdot(const State& state, const forces::AppliedForces& applied,
                 const Kinematics& kinematics, VecX& tau, VecX& vdot) override;

 private:
  const Mechanism& mechanism_;
};

}  // namespace couplet::dynamics
