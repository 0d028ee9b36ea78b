// A mechanism at one state: accelerations or torques, mass matrix, energies, points, reactions.
#pragma once

#include <variant>

#include "couplet/workbench/load.hpp"
#include "couplet/workbench/state_file.hpp"

namespace couplet::workbench {

constexpr int max_matrix_freedoms = 5000;  // 200 MB, and as much again in print

struct EvaluateOptions {
  std::optional<StateInput> state;  // absent: the model's initial state without forces
  std::string formalism;            // empty: the usual one
  std::vector<std::string> points;  // names
  bool mass_matrix = true;          // of at most max_matrix_freedoms: larger ones are left out
  bool reactions = false;
  std::string frame;  // axes of the reactions: a point, or "joint"; empty: the world's
};

struct PointValues {
  std::string name;
  math::Vec3 position, velocity, acceleration, angular_velocity;  // world axes
  math::Quaternion orientation;
};

/// What a joint exerts on the body of `to`, about its point.
struct JointReaction {
  std::string joint, body;
  math::Vec3 force, torque;
};

/// What a constraint exerts: a pull along a rod, a force on its point, a torque, forces on
/// freedoms.
struct FreedomForce {
  std::string freedom;
  double force = 0;
  bool turns = false;  // N m rather than N
};
struct ConstraintAction {
  std::string name, unit;  // "force", "N"
  std::variant<double, math::Vec3, std::vector<FreedomForce>> value;
};
struct ConstraintReaction {
  std::string constraint;
  std::vector<ConstraintAction> actions;
};

struct StateValue {
  std::string name;
  double value = 0, rate = 0;
};

/// A signal of a force element: "spring.pull".
struct SignalValue {
  std::string name, unit;
  double value = 0;
};

/// The constraints that count: G v̇ + bias = 0, and what they do in M v̇ + Gᵀλ + h = τ.
struct ConstraintEquations {
  std::vector<std::string> rows;  // "C, translation along x"
  math::MatX G;
  math::VecX bias, lambda;
};

struct EvaluationReport {
  std::vector<std::string> dofs;  // freedoms that are not mimics; vectors below follow them
  math::VecX vdot, tau, bias;     // M v̇ + bias = tau, in closed loops M v̇ + Gᵀλ + bias = tau
  math::MatX mass_matrix;         // empty when not asked for, or left out
  std::optional<ConstraintEquations> constraints;   // with the mass matrix, where there are any
  double kinetic_energy = 0, potential_energy = 0;  // J
  std::vector<StateValue> states;                   // of the model's own
  std::vector<SignalValue> forces;                  // of force elements
  std::vector<PointValues> points;
  std::vector<JointReaction> reactions;
  std::vector<ConstraintReaction> constraint_reactions;
  std::vector<std::string> notes;  // what the numbers do not contain
};

/// Closed loops are assembled first. Throws UserError for names that do not exist, ComputationError
/// when there is no answer.
EvaluationReport evaluate(const LoadedModel& model, const EvaluateOptions& options = {});

}  // namespace couplet::workbench
