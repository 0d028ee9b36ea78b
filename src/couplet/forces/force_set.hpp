// All force elements of a mechanism, ready to be evaluated: names bound, expressions on one tape.
// What each exerts is in elements/.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "couplet/forces/entry.hpp"
#include "couplet/model/expression_inputs.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::forces {

class ForceSet {
 public:
  /// Throws UserError when an expression names something that does not exist, or a plug-in does not
  /// load.
  explicit ForceSet(const Mechanism& mechanism);

  bool empty() const { return batches_.empty() && !point_gravity_; }
  bool needs_motions() const { return needs_motions_; }  // some element acts on bodies

  /// Adds all forces. `bodies` may be empty when needs_motions() is false. Allocates nothing.
  void add_forces(const State& state, std::span<const BodyMotion> bodies, AppliedForces& out);

  /// Of springs whose stiffness and free length do not depend on the motion, and of point gravity.
  double calc_potential_energy(const State& state, std::span<const BodyMotion> bodies);

  /// What can be recorded of the elements, with full names.
  const std::vector<Signal>& signals() const { return signals_; }
  /// One value each. Allocates nothing.
  void calc_signals(const State& state, std::span<const BodyMotion> bodies,
                    std::span<double> values);

  /// Sets q and v of prescribed joints at state.t.
  void set_prescribed(State& state);
  /// Sets v̇ of prescribed joints at time t.
  void set_prescribed(double t, VecX& vdot);
  /// A new value of the model's parameter of this index, from now on.
  void set_parameter(size_t index, double value) { inputs_.parameters()[index] = value; }
  bool has_prescribed() const { return !prescribed_.empty(); }

 private:
  /// Elements of one class, and where their numbers are.
  struct Bound {
    std::unique_ptr<Batch> batch;
    size_t coefficients;  // first output of the tape
    size_t own, own_end;  // among the inputs that are added
  };
  struct BoundMotion {
    int iq, iv;
  };

  void bind(std::span<const Element* const> elements);  // of one class
  void bind_motions();
  void make_tapes();
  /// The elements' own values and the outputs of the tape at a state.
  void evaluate(const Now& now);
  void evaluate_motions(double t);

  const Mechanism* mechanism_;
  model::ExpressionInputs inputs_;  // with the own values of elements
  std::vector<Bound> batches_;
  std::vector<Signal> signals_;
  std::vector<BoundMotion> prescribed_;
  std::optional<model::PointGravity> point_gravity_;
  bool needs_motions_ = false;

  // Outputs of the tape: coefficients; of the motion tape: q, q̇, q̈ per prescribed freedom.
  std::vector<Expr> coefficients_, motion_exprs_;
  std::optional<symbolic::Tape> tape_, motion_tape_;
  std::vector<double> outputs_, motion_outputs_, registers_;
};

}  // namespace couplet::forces
