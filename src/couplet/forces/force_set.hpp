// All force elements of a mechanism, ready to be evaluated: names bound, expressions on one tape.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "couplet/forces/plugin.hpp"
#include "couplet/model/expression_inputs.hpp"
#include "couplet/model/motion.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::forces {

using math::Vec3;
using math::Vec6;
using math::VecX;
using model::BodyMotion;
using model::Mechanism;
using model::State;

/// What acts on a mechanism besides uniform gravity and inertia.
struct AppliedForces {
  VecX tau;                     // on the freedoms, power-conjugate to v
  std::vector<Vec6> on_bodies;  // (torque about Bo; force), world axes, one per body of the model
  bool any_on_bodies = false;

  explicit AppliedForces(const Mechanism& mechanism)
      : tau(VecX::Zero(mechanism.nv)), on_bodies(mechanism.bodies.size(), Vec6::Zero()) {}
  void set_zero();
};

class ForceSet {
 public:
  /// Throws UserError when an expression names something that does not exist, or a plug-in does not
  /// load.
  explicit ForceSet(const Mechanism& mechanism);

  bool empty() const { return !needs_motions_ && joint_forces_.empty(); }
  bool needs_motions() const { return needs_motions_; }  // some element acts on bodies

  /// Adds all forces. `bodies` may be empty when needs_motions() is false. Allocates nothing.
  void add_forces(const State& state, std::span<const BodyMotion> bodies, AppliedForces& out);

  /// Of springs whose stiffness and free length do not depend on the motion, and of point gravity.
  double calc_potential_energy(const State& state, std::span<const BodyMotion> bodies);

  /// Sets q and v of prescribed joints at state.t.
  void set_prescribed(State& state);
  /// Sets v̇ of prescribed joints at time t.
  void set_prescribed(double t, VecX& vdot);
  /// A new value of the model's parameter of this index, from now on.
  void set_parameter(size_t index, double value) { inputs_.parameters()[index] = value; }
  bool has_prescribed() const { return !prescribed_.empty(); }

 private:
  struct BoundLine {
    int a_body, b_body;
    Vec3 a, b;  // in their bodies' axes
  };
  struct Line {      // where a line force is at the moment
    Vec3 a, b;       // ends, world
    Vec3 direction;  // from a to b; zero when the ends coincide
    double length, rate;
  };
  struct BoundJoint {
    int iq, iv;
  };
  struct BoundApplied {
    int body;
    math::Pose X_BP;
    bool in_point_axes;
  };
  struct BoundMotion {
    int iq, iv;
  };

  void bind(const model::LineForce& force);
  void bind(const model::JointForce& force);
  void bind(const model::AppliedForce& force);
  void bind(const model::PluginForce& force);
  void bind_motions();
  void make_tapes();
  static Line calc_line(const BoundLine& line, std::span<const BodyMotion> bodies);
  /// Lines and the outputs of the tape at a state.
  void evaluate(const State& state, std::span<const BodyMotion> bodies);
  void evaluate_motions(double t);

  const Mechanism* mechanism_;
  model::ExpressionInputs inputs_;  // with length and rate of each line
  std::vector<BoundLine> lines_;
  std::vector<Line> line_values_;
  std::vector<BoundJoint> joint_forces_;
  std::vector<BoundApplied> applied_;
  std::vector<Plugin> plugins_;
  std::vector<BoundMotion> prescribed_;
  std::optional<model::PointGravity> point_gravity_;
  bool needs_motions_ = false;

  // Outputs of the tape: 4 per line force, 4 per joint force, 6 per applied force; of the motion
  // tape: q, q̇, q̈ per prescribed freedom.
  std::vector<symbolic::Expr> line_exprs_, joint_exprs_, applied_exprs_, motion_exprs_;
  std::vector<char> line_conserves_, joint_conserves_;  // stiffness and free length are fixed
  std::optional<symbolic::Tape> tape_, motion_tape_;
  std::vector<double> outputs_, motion_outputs_, registers_;
};

}  // namespace couplet::forces
