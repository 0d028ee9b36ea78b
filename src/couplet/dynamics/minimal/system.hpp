// A mechanism with its forces, its constraints and a formalism: v̇ from forces at a state. What else
// can be asked for is a part of its own.
#pragma once

#include <optional>

#include "couplet/dynamics/minimal/balance.hpp"
#include "couplet/dynamics/minimal/constraints/closure.hpp"
#include "couplet/dynamics/minimal/reactions.hpp"

namespace couplet::dynamics {

class System {
 public:
  /// `formalism` empty: the usual one, recursive for trees and schur for closed loops.
  explicit System(std::shared_ptr<const Mechanism> mechanism, std::string_view formalism = {});

  const Mechanism& mechanism() const { return *parts_->mechanism; }
  Formalism& formalism() { return *parts_->formalism; }
  const Formalism& formalism() const { return *parts_->formalism; }
  std::string formalism_name() const { return parts_->entry.name; }

  // ---- States.
  /// Sets what is not free in the state: prescribed motions at state.t, mimic joints, unit
  /// quaternions.
  void set_ties(State& state);
  /// The same, and what the formalism finds from the rest: dependent coordinates.
  void make_consistent(State& state);
  /// A new value of the model's parameter of this index in all forces and prescribed motions.
  void set_parameter(size_t index, double value);

  // ---- Motion from forces.
  class Motion;
  /// For any number of forces at one state, which must be consistent.
  Motion at(const State& state);
  /// The same with G⁺(v⁺ + h v̇) + known⁺ = 0 at `next`: a half-explicit stage.
  Motion half_explicit(const State& state, const State& next, double h);
  /// For one: see Motion.
  void calc_vdot(const State& state, VecX& tau, VecX& vdot);
  void calc_frictionless_vdot(const State& state, const VecX& tau, VecX& vdot);
  void calc_half_explicit(const State& state, const State& next, double h, const VecX& tau,
                          VecX& vdot);
  /// Multipliers of the rows that count, of the last motion; empty without constraints.
  const VecX& lambda() const;
  /// Decides which joints stick at this state, see JointFriction::decide.
  void decide_friction(const State& state, std::span<const size_t> released);

  // ---- Motions of bodies.
  /// Pose and velocity of every body.
  const Kinematics& calc_motions(const State& state) { return parts_->stages.calc_motions(state); }
  double calc_potential_energy(const State& state);  // gravity, springs

  // ---- Parts.
  Stages& stages() { return parts_->stages; }
  const Stages& stages() const { return parts_->stages; }
  forces::ForceSet& forces() { return parts_->stages.forces(); }
  ConstraintSolver* constraints() { return parts_->stages.constraints(); }  // null: a tree
  const ConstraintSolver* constraints() const { return parts_->stages.constraints(); }
  Closure& closure() { return parts_->closure; }
  JointFriction* friction() {
    return parts_->friction ? &parts_->friction->joints() : nullptr;
  }  // null: none
  Balance& balance() { return parts_->balance; }
  InverseDynamics& inverse();
  Reactions& reactions();

 private:
  struct Parts {  // they know each other: none moves
    Parts(std::shared_ptr<const Mechanism> mechanism, std::string_view formalism);

    std::shared_ptr<const Mechanism> mechanism;
    FormalismEntry entry;
    std::unique_ptr<Formalism> formalism;
    Stages stages;
    std::unique_ptr<FrictionForces> friction;  // null: there is none
    Closure closure;
    Balance balance;
    std::optional<InverseDynamics> inverse;  // these two from the first question on
    std::optional<Reactions> reactions;
    VecX total;  // forces on freedoms of the last motion

    Stages::Rows rows() const;  // that motion needs
  };
  std::unique_ptr<Parts> parts_;
};

/// Accelerations at a stage. What the state alone determines (motions of bodies, forces of
/// elements, rows of constraints, factors of the formalism) is found once, when this is made. Valid
/// until the system is asked about another state.
class System::Motion {
 public:
  /// v̇ of M v̇ + Gᵀλ = f + tau from the actuators' forces tau, which add to the force elements.
  /// Entries of prescribed joints in tau are outputs. Allocates nothing without mimic joints.
  void calc_vdot(VecX& tau, VecX& vdot);
  /// The same as if there were no friction, and nothing held; tau is an input only.
  void calc_frictionless_vdot(const VecX& tau, VecX& vdot);

 private:
  friend System;
  Motion(Parts& parts, const Stage& stage);
  const VecX* solve(const VecX& tau, FrictionForces* friction, VecX& vdot);

  Parts& parts_;
  Stage stage_;
};

}  // namespace couplet::dynamics
