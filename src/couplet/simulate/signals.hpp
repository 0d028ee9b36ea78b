// Quantities by name: what can be recorded of a mechanism, chosen by patterns, as columns of
// numbers.
//
//   pivot.q · pivot.v · pivot.vdot · pivot.tau          coordinates, speeds, accelerations,
//   prescribed forces tip.position.x · .velocity · .acceleration · .angular_velocity ·
//   tip.orientation.w     of a point, world axes pivot.force.x · pivot.torque.x of a joint on the
//   body of its `to`, world axes; local_: its axes rod.force · slot.force.x · belt.fan.tau of
//   constraints: pull, force at the point, force on a freedom energy.kinetic · energy.potential ·
//   energy.total · momentum.linear.x · momentum.angular.x outputs and parameters of the model by
//   their names; any expression of all these
#pragma once

#include <optional>

#include "couplet/results/recording.hpp"
#include "couplet/simulate/mechanism_problem.hpp"

namespace couplet::simulate {

class SignalSet {
 public:
  /// Patterns are names, globs (`*` and `?`) or expressions; none: coordinates, speeds, outputs,
  /// energies. Throws UserError for a pattern that finds nothing.
  SignalSet(MechanismProblem& problem, const std::vector<std::string>& patterns);

  const std::vector<results::Signal>& list() const { return list_; }  // the first is t
  /// The values at a point; allocates nothing unless reactions are wanted.
  void calc(double t, const VecX& y, double* row);
  /// Kinetic and potential energy at a point.
  double calc_energy(double t, const VecX& y);

  /// Every name that can be recorded.
  static std::vector<results::Signal> catalogue(const MechanismProblem& problem);

 private:
  enum class Source {
    time,
    state,
    acceleration,
    force,
    point,
    reaction,
    constraint,
    residual,
    kinetic,
    potential,
    total,
    momentum,
    parameter,
    output
  };
  struct Column {
    Source source;
    int index = 0;  // of the component, freedom, point, joint, constraint, parameter or expression
    int component = 0;  // of a point (0 … 15), reaction (0 … 11), momentum (0 … 5), constraint's
                        // force or its freedoms
  };
  struct Entry {
    results::Signal signal;
    Column column;
  };
  static std::vector<Entry> make_entries(const MechanismProblem& problem);
  void add(const Entry& entry);
  void add_expression(const std::string& pattern, const std::vector<Entry>& entries);
  int bind(const symbolic::Expr& value, const base::SourceLocation& where,
           const std::vector<Entry>& entries);
  void note_needs(const Column& column);
  double value(const Column& column, double t, const VecX& y) const;
  double point_value(const Column& column) const;
  double constraint_value(const Column& column) const;

  struct Stretch {  // neighbouring columns that are neighbouring components of y
    size_t column;
    Eigen::Index component, length;
  };
  void find_stretches();

  struct Expression {  // its inputs are columns
    symbolic::Tape tape;
    std::vector<Column> inputs;
  };

  MechanismProblem& problem_;
  std::vector<results::Signal> list_;
  std::vector<Column> columns_;
  std::vector<Stretch> stretches_;
  std::vector<size_t> others_;  // columns that are in none
  std::vector<Expression> expressions_;
  bool needs_motions_ = false, needs_vdot_ = false, needs_accelerations_ = false,
       needs_reactions_ = false, needs_constraints_ = false, needs_energy_ = false,
       needs_momentum_ = false, needs_residuals_ = false;
  dynamics::Residuals residuals_;

  // Values at the point at hand.
  dynamics::Kinematics kinematics_;
  VecX vdot_, tau_;
  double kinetic_ = 0, potential_ = 0;
  dynamics::Momentum momentum_;
  std::vector<dynamics::Reaction> reactions_;  // by joint of the model
  std::vector<dynamics::ConstraintForce> constraint_forces_;
  std::vector<double> inputs_, registers_;
};

}  // namespace couplet::simulate
