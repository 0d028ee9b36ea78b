// A stage: a state with all that follows from it alone, found once, before anything is solved for.
//
// Whatever asks for motion or forces takes a stage, so nothing can be asked before it is known.
#pragma once

#include <memory>

#include "couplet/dynamics/minimal/constraints/constraint_solver.hpp"
#include "couplet/forces/force_set.hpp"

namespace couplet::dynamics {

/// 0 = G v̇ + bias, for every row of the constraints.
struct AccelerationRows {
  const SparseRows* G = nullptr;
  const VecX* bias = nullptr;
};

/// Made by `Stages`, and valid until the next one is made.
struct Stage {
  const State& state;
  const Kinematics& kinematics;  // where forces act on bodies, and with constraints: then with
                                 // accelerations at v̇ = 0
  const forces::AppliedForces& applied;  // by force elements
  AccelerationRows rows{};               // with constraints
};

/// What stages are made of: force elements, constraints, kinematics.
class Stages {
 public:
  explicit Stages(const Mechanism& mechanism);

  const Mechanism& mechanism() const { return mechanism_; }
  forces::ForceSet& forces() { return forces_; }
  const forces::ForceSet& forces() const { return forces_; }
  ConstraintSolver* constraints() { return constraints_.get(); }  // null: a tree
  const ConstraintSolver* constraints() const { return constraints_.get(); }

  /// Which rows of constraints are evaluated: those that count, or all.
  enum class Rows { counting, all };
  Stage at(const State& state, Rows rows = Rows::counting);
  /// Without what only accelerations of constraints need: bias, and accelerations of bodies.
  Stage without_bias(const State& state, Rows rows = Rows::counting);
  /// Forces at `state`, and rows G⁺ with 0 = G⁺(v⁺ + h v̇) + known⁺ at `next`: a half-explicit
  /// stage.
  Stage half_explicit(const State& state, const State& next, double h, Rows rows = Rows::counting);

  /// Poses and velocities of bodies.
  const Kinematics& calc_motions(const State& state);
  /// The rows of constraints, with the motions that they need and with bias; no forces.
  const Kinematics& evaluate_constraints(const State& state, Rows rows);
  /// Forces of elements on freedoms, of a mechanism where none acts on bodies; valid until the next
  /// call.
  const VecX& calc_joint_forces(const State& state);

 private:
  void add_forces(const State& state);

  const Mechanism& mechanism_;
  forces::ForceSet forces_;
  forces::AppliedForces applied_;
  Kinematics kinematics_;
  std::unique_ptr<ConstraintSolver> constraints_;
  VecX zero_, next_vdot_;
  SparseRows next_G_;
  VecX next_bias_;
};

}  // namespace couplet::dynamics
