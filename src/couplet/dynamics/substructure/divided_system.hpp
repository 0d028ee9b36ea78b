// A mechanism divided into parts and joined again: accelerations from forces at a stage, to the
// digits that the equations have.
#pragma once

#include "couplet/dynamics/substructure/parts.hpp"

namespace couplet::dynamics {

class DividedSystem {
 public:
  DividedSystem(const Mechanism& mechanism, OuterRows outer, int in_leaf = Assembly::usual_leaf);

  const Assembly& assembly() const { return assembly_; }
  bool lacks_inertia() const { return parts_.lacks_inertia(); }

  /// With accelerations at v̇ = 0 in `kinematics`.
  void factorise(const Kinematics& kinematics, const forces::AppliedForces& applied);

  struct Loads {
    bool on_bodies = true;       // forces of motion, gravity, and what is applied
    const VecX* bias = nullptr;  // of the outer rows; null: none
    bool refined = true;         // false: the plain form, one pair of sweeps
  };
  /// Entries of prescribed freedoms are input in vdot and output in tau. False: what is left of the
  /// equations does not become small.
  [[nodiscard]] bool solve(VecX& tau, VecX& vdot, const Loads& loads);
  /// λ of the outer rows in the last solution.
  void read_lambda(VecX& out) const { parts_.read_lambda(lambda_, out); }

 private:
  [[nodiscard]] bool refine();

  Parts parts_;
  Assembly assembly_;
  std::vector<double> f_, a_, left_f_, left_a_;                    // of parts
  std::vector<double> gamma_, lambda_, left_gamma_, left_lambda_;  // of rows
};

/// How a mechanism is joined, with the constraints that count; null: a tree.
struct AssemblySummary {
  int parts = 0, levels = 0;
  int handles = 0;  // of the subsystem that has most
};
AssemblySummary summarise_assembly(const Mechanism& mechanism, const ConstraintSolver* constraints);

}  // namespace couplet::dynamics
