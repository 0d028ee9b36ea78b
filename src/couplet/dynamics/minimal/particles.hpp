// Newton's law for free particles: m v̇ = f, one by one. POEMS' particle solver.
#pragma once

#include "couplet/dynamics/minimal/formalism.hpp"

namespace couplet::dynamics {

/// Every body is a particle, joined to the world by three translations at its own place.
bool is_particle_system(const Mechanism& mechanism);

class Particles final : public Formalism {
 public:
  explicit Particles(const Mechanism& mechanism)
      : mechanism_(mechanism), forces_(VecX::Zero(mechanism.nv)) {}
  void prepare(const Stage& stage) override;
  void solve(VecX& tau, VecX& vdot) override;
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override;

 private:
  const Mechanism& mechanism_;
  VecX forces_;  // of gravity and elements on the particles, along their coordinates
};

}  // namespace couplet::dynamics
