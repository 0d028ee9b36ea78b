// Constraints of a mechanism kept closed: which rows count, how far a state is from them, and the
// nearest state that is on them.
#pragma once

#include "couplet/dynamics/minimal/stage.hpp"

namespace couplet::dynamics {

/// Where a constraint of positions is open.
struct Gap {
  const RowInfo* row = nullptr;
  double size = 0;  // m or rad
};

using constraints::Residuals;

/// Of a tree everything is zero, and nothing is done.
class Closure {
 public:
  explicit Closure(Stages& stages);

  /// Decides which constraints are independent at this state; true if that has changed. The choice
  /// stays where it would have fewer rows than `at_least`.
  bool choose_rows(const State& state, int at_least = 0);
  Residuals calc_residuals(const State& state);
  /// Of all constraints, those that do not count included.
  Gap find_largest_gap(const State& state);
  /// Closes positions, then speeds, with the smallest change in the mass metric, down to round-off.
  /// Throws ComputationError, naming the constraint that stays open, when it cannot. Returns what
  /// is left.
  Residuals project(State& state);

 private:
  double project_positions(State& state);
  double project_speeds(State& state);
  /// step_ = M⁻¹Gᵀ A⁻¹ residual_: the smallest change in the mass metric. New factors only where
  /// those of an earlier point serve badly.
  void calc_step(const State& state, double error, double before);

  Stages& stages_;
  ConstraintSolver* constraints_;
  const Kinematics* kinematics_ = nullptr;  // of the last evaluation
  bool factorised_ = false;
  VecX residual_, step_;
};

/// The slow path after a result that is not finite: throws ComputationError that names the
/// constraint that is to blame, if one is.
void check_finite(const ConstraintSolver& constraints, const State& state);

}  // namespace couplet::dynamics
