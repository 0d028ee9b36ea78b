// A mechanism with its forces and a formalism: everything needed to evaluate it at a state.
#pragma once

#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"

namespace couplet::dynamics {

/// The force that a joint transmits to its child body.
struct Reaction {
  int joint;     // index in Model::joints
  Vec3 force;    // N, world axes
  Vec3 torque;   // N m about the child's joint frame origin, world axes
};

class System {
 public:
  explicit System(std::shared_ptr<const Mechanism> mechanism, std::string_view formalism = "recursive");

  const Mechanism& mechanism() const { return *mechanism_; }
  const Formalism& formalism() const { return *formalism_; }

  /// Sets what is not free in the state: prescribed motions at state.t, mimic joints, unit quaternions.
  void make_consistent(State& state);

  /// A new value of the model's parameter of this index in all forces and prescribed motions.
  void set_parameter(size_t index, double value) { force_set_.set_parameter(index, value); }

  /// v̇ from the actuators' forces tau, which add to the force elements. Entries of prescribed joints
  /// in tau are outputs. The state must be consistent. Allocates nothing without mimic joints.
  void calc_vdot(const State& state, VecX& tau, VecX& vdot);

  /// Actuator forces that v̇ takes, beyond the force elements.
  void calc_tau(const State& state, const VecX& vdot, VecX& tau);

  /// M and h of M v̇ + h = tau, both with respect to the freedoms that are not mimics.
  void calc_equations(const State& state, MatX& M, VecX& h);
  /// Freedoms that are not mimics, in order.
  const std::vector<int>& listed_freedoms() const { return listed_; }

  /// Pose and velocity of every body.
  const Kinematics& calc_motions(const State& state);
  double calc_potential_energy(const State& state);  // gravity, springs
  std::vector<Reaction> calc_reactions(const State& state, const VecX& vdot);

 private:
  void calc_forces(const State& state);

  std::shared_ptr<const Mechanism> mechanism_;
  forces::ForceSet force_set_;
  forces::AppliedForces applied_;
  Kinematics kinematics_;
  std::unique_ptr<Formalism> formalism_;
  InverseWorkspace<double> inverse_;
  MassMatrixWorkspace<double> mass_;
  VecX on_links_, total_;
  std::vector<int> listed_;
};

}  // namespace couplet::dynamics
