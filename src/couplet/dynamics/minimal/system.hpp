// A mechanism with its forces and a formalism: everything needed to evaluate it at a state.
#pragma once

#include "couplet/dynamics/minimal/constraints/constraint_solver.hpp"
#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/friction.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/math/dense_lu.hpp"
#include "couplet/math/least_squares.hpp"

namespace couplet::dynamics {

/// Where a constraint of positions is open.
struct Gap {
  const RowInfo* row = nullptr;
  double size = 0;  // m or rad
};

/// How far a state was from its constraints, and is after projection: largest entries of g and of G
/// v + known.
struct Residuals {
  double position = 0, velocity = 0;
};

class System {
 public:
  /// `formalism` empty: the usual one, recursive for trees and schur for closed loops.
  explicit System(std::shared_ptr<const Mechanism> mechanism, std::string_view formalism = {});

  const Mechanism& mechanism() const { return *mechanism_; }
  const Formalism& formalism() const { return *formalism_; }
  Formalism& formalism() { return *formalism_; }
  const std::string& formalism_name() const { return formalism_name_; }

  /// Sets what is not free in the state: prescribed motions at state.t, mimic joints, unit
  /// quaternions.
  void set_ties(State& state);
  /// The same, and what the formalism finds from the rest: dependent coordinates.
  void make_consistent(State& state);

  /// A new value of the model's parameter of this index in all forces and prescribed motions.
  void set_parameter(size_t index, double value);

  /// v̇ from the actuators' forces tau, which add to the force elements. Entries of prescribed
  /// joints in tau are outputs. The state must be consistent. Allocates nothing without mimic
  /// joints.
  void calc_vdot(const State& state, VecX& tau, VecX& vdot);

  // ---- Friction in joints is part of all that follows from forces; null without.
  JointFriction* friction() { return friction_.get(); }
  /// Decides which joints stick at this state, see JointFriction::decide.
  void decide_friction(const State& state, std::span<const size_t> released);
  /// v̇ as if there were no friction, and nothing held.
  void calc_frictionless_vdot(const State& state, const VecX& tau, VecX& vdot);

  // ---- Constraints; null and zero without.
  ConstraintSolver* constraints() { return constraints_.get(); }
  const ConstraintSolver* constraints() const { return constraints_.get(); }
  /// Multipliers of the rows that count, of the last calc_vdot.
  const VecX& lambda() const { return *formalism_->lambda(); }
  /// Decides which constraints are independent at this state; true if that has changed.
  bool choose_rows(const State& state);
  Residuals calc_residuals(const State& state);
  /// Closes positions, then speeds, with the smallest change in the mass metric, down to round-off.
  /// Throws ComputationError, naming the constraint that stays open, when it cannot. Returns what
  /// is left.
  Residuals project(State& state);
  /// Of all constraints, those that do not count included, at the state last projected.
  Gap find_largest_gap(const State& state);
  /// v̇ and λ of M v̇ + Gᵀλ = f + tau at `state` with G⁺(v⁺ + h v̇) + known⁺ = 0 at `next`: a
  /// half-explicit stage.
  void calc_half_explicit(const State& state, const State& next, double h, const VecX& tau,
                          VecX& vdot, VecX& lambda);
  /// M v̇ + Gᵀλ - f - tau; for prescribed and mimic joints v̇ less what is prescribed. Rows of
  /// constraints() are evaluated as well.
  void calc_force_residual(const State& state, const VecX& tau, const VecX& vdot,
                           const VecX& lambda, VecX& out);

  /// v̇ - M⁻¹(f + tau - Gᵀλ), the same in explicit form: solved for v̇ by the recursion.
  void calc_acceleration_residual(const State& state, const VecX& tau, const VecX& vdot,
                                  const VecX& lambda, VecX& out);
  /// Forces of the elements on the freedoms, of a tree where none acts on bodies; valid until the
  /// next call.
  const VecX& calc_joint_forces(const State& state);
  bool acts_on_bodies() const { return force_set_.needs_motions(); }
  /// M(q), its upper part.
  void calc_mass_matrix(const VecX& q, MatX& M);

  /// Actuator forces that v̇ takes, beyond the force elements: with what overcomes friction in a
  /// tree, without in loops. Joints at rest without a stick speed need anything up to what sticks:
  /// they count as without friction.
  void calc_tau(const State& state, const VecX& vdot, VecX& tau);
  void calc_frictionless_tau(const State& state, const VecX& vdot, VecX& tau);

  /// M and h of M v̇ + h = tau, both with respect to the freedoms that are not mimics.
  void calc_equations(const State& state, MatX& M, VecX& h);
  /// Freedoms that are not mimics, in order.
  const std::vector<int>& listed_freedoms() const { return listed_; }

  /// Pose and velocity of every body.
  const Kinematics& calc_motions(const State& state);
  double calc_potential_energy(const State& state);  // gravity, springs
  /// Of all joints. With redundant constraints λ, of those that are cut, is the smallest possible,
  /// and the tree carries what is left. With closed loops, calc_vdot must have been called at this
  /// state before.
  std::vector<Reaction> calc_reactions(const State& state, const VecX& vdot);
  /// Of the constraints of the model, in its order, under the same conditions.
  std::vector<ConstraintForce> calc_constraint_forces(const State& state);

 private:
  void calc_forces(const State& state);
  enum class Rows { wanted, all };
  void evaluate_constraints(const State& state, Rows rows);
  VecX calc_smallest_lambda(const VecX& counted);
  void spread_lambda(const VecX& counted);
  void calc_loads(const State& state, const VecX& vdot, const VecX* lambda, VecX& tau);
  void solve_for_vdot(const State& state, const VecX& tau, VecX& vdot);
  void evaluate_for_residual(const State& state);
  void calc_residual_with_friction(const State& state, const VecX& vdot, const VecX& lambda,
                                   VecX& out);
  template <class Solve>
  void add_friction(const State& state, const Solve& solve,
                    const std::span<const size_t>* released = nullptr);

  std::shared_ptr<const Mechanism> mechanism_;
  forces::ForceSet force_set_;
  forces::AppliedForces applied_;
  Kinematics kinematics_;
  std::string formalism_name_;
  std::unique_ptr<Formalism> formalism_;
  InverseWorkspace<double> inverse_;
  MassMatrixWorkspace<double> mass_;
  VecX on_links_, total_;
  std::vector<int> listed_;

  std::unique_ptr<ConstraintSolver> constraints_;
  RecursiveWorkspace<double> recursive_;
  VecX zero_, step_, residual_, all_lambda_;
  SparseRows next_G_;
  VecX next_known_;
  MatX mixed_;
  math::DenseLu<double> mixed_factor_;

  std::unique_ptr<JointFriction> friction_;
  forces::AppliedForces loaded_;  // applied_ and the forces of constraints
  VecX unrubbed_, loads_, needed_, loaded_links_;
  math::LeastSquares shares_{1e-9};
  bool shares_known_ = false;  // of the constraints as last evaluated
};

}  // namespace couplet::dynamics
