// All constraints of a mechanism on its joint coordinates: the rows of constraints/row_set.hpp,
// projected on the freedoms.
//
//   0 = g(t, q)                 rows [0, positions)
//   0 = G(t, q) v + known(t)    all rows; those of rolling without slip last
//   0 = G v̇ + γ(t, q, v)        all rows
// Rows may depend on each other: constraint_solver.hpp chooses. G is sparse; its pattern never
// changes.
#pragma once

#include <string>
#include <vector>

#include "couplet/constraints/equations.hpp"
#include "couplet/dynamics/minimal/kinematics.hpp"
#include "couplet/forces/force_set.hpp"

namespace couplet::dynamics {

using constraints::ConstraintForce;
using constraints::RowInfo;
using constraints::SparseRows;

class ConstraintSet {
 public:
  /// Throws UserError when an expression names something that does not exist.
  explicit ConstraintSet(const Mechanism& mechanism);

  int rows() const { return set_.rows(); }
  int positions() const { return set_.positions(); }
  const RowInfo& row(int k) const { return set_.row(k); }
  /// Before it is projected: what it asks of the two bodies that it is between; -1: of freedoms.
  std::pair<int, int> bodies(int k) const { return set_.bodies(k); }
  const constraints::PairRow& pair_row(int k) const { return set_.pair_row(k); }
  void set_parameter(size_t index, double value) { set_.set_parameter(index, value); }

  /// Rows that evaluate() looks after; all at first.
  void set_wanted(const std::vector<int>& rows);
  /// g, G, known and γ of the wanted rows at a state, given its kinematics with the accelerations
  /// at v̇ = 0. Allocates nothing.
  void evaluate(const State& state, const Kinematics& kinematics) {
    evaluate(state, kinematics, wanted_, Values::all);
  }
  void evaluate_all(const State& state, const Kinematics& kinematics) {
    evaluate(state, kinematics, all_, Values::all);
  }
  /// Rows that are wanted, without bias and fill.
  void evaluate_rows(const State& state, const Kinematics& kinematics) {
    evaluate(state, kinematics, wanted_, Values::rows);
  }

  const VecX& errors() const { return g_; }  // all rows; zero for those without a position
  const SparseRows& G() const { return G_; }
  const VecX& known() const { return known_; }
  const VecX& bias() const { return gamma_; }
  /// The largest entry of row k, of freedoms that are not prescribed, over what it could be by the
  /// lengths of its vectors: zero, when it closes a direction in which nothing moves.
  double fill(int row) const { return fill_[row]; }

  /// Adds -Gᵀλ as forces on bodies and on freedoms.
  void add_forces(const VecX& lambda, const Kinematics& kinematics,
                  forces::AppliedForces& out) const;
  /// The force that a cut joint transmits to the body of `to`: (torque about p; force), world axes.
  Vec6 calc_joint_force(int joint, const VecX& lambda, const Vec3& p) const {
    return set_.calc_joint_force(joint, lambda, p);
  }
  /// What each constraint of the model exerts, in its order.
  std::vector<ConstraintForce> calc_constraint_forces(const VecX& lambda) const;

  /// What is remembered between evaluations: places on curves.
  std::vector<double*> memory() { return set_.memory(); }

 private:
  struct Relation {
    constraints::SmallTape tape;  // value, ∂/∂t, second derivative along the motion, ∂/∂q
    int row;
    std::vector<int> coordinates;                 // indices in q
    std::vector<const model::TreeJoint*> joints;  // that own them
  };

  void make_pattern();
  void add_relation(const constraints::RelationRow& relation);
  enum class Values { rows, all };
  void evaluate(const State& state, const Kinematics& kinematics, const std::vector<char>& wanted,
                Values values);
  void project(int row, const Kinematics& kinematics, Values values);
  void evaluate(Relation& relation, const State& state);

  const Mechanism& mechanism_;
  constraints::RowSet set_;
  std::vector<Relation> relations_;

  SparseRows G_;
  std::vector<double> sign_;  // per entry of G: 1 on the path of B, -1 on that of A
  VecX g_, known_, gamma_, fill_;
  std::vector<char> wanted_, all_;       // per row
  std::vector<char> prescribed_;         // per speed
  std::vector<double> relation_inputs_;  // t, parameters, q, q̇
  VecX qdot_;
};

}  // namespace couplet::dynamics
