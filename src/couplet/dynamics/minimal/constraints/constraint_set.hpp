// All constraints of a mechanism as rows: cut joints, the model's constraints, mimic joints.
//
//   0 = g(t, q)                 rows [0, positions)
//   0 = G(t, q) v + known(t)    all rows; those of rolling without slip last
//   0 = G v̇ + γ(t, q, v)        all rows
// Rows may depend on each other: independent_rows.hpp chooses. G is sparse; its pattern never
// changes.
#pragma once

#include <string>
#include <vector>

#include "couplet/dynamics/minimal/constraints/elements.hpp"
#include "couplet/dynamics/minimal/reactions.hpp"
#include "couplet/forces/force_set.hpp"

namespace couplet::dynamics {

/// What a row is about, for people.
struct RowInfo {
  std::string element;  // name of the joint or constraint; between halves of a body, of the joint
                        // they were split for
  int joint = -1;       // index in Model::joints, of a cut joint; -1: a constraint
  int constraint = -1;  // index in Model::constraints; -1: a joint
  int equation = 0;     // which one of the element's
  std::string direction{};  // "translation along x", in the axes of the joint
};

/// Rows in compressed form: entries of row k are [begin[k], begin[k + 1]).
struct SparseRows {
  std::vector<int> begin{0}, column;
  std::vector<double> value;

  int rows() const { return static_cast<int>(begin.size()) - 1; }
  double times(int row, const VecX& x) const {
    double sum = 0;
    for (int e = begin[row]; e < begin[row + 1]; ++e) sum += value[e] * x[column[e]];
    return sum;
  }
  /// x += factor · row
  void add_to(int row, double factor, VecX& x) const {
    for (int e = begin[row]; e < begin[row + 1]; ++e) x[column[e]] += factor * value[e];
  }
};

class ConstraintSet {
 public:
  /// Throws UserError when an expression names something that does not exist.
  explicit ConstraintSet(const Mechanism& mechanism);

  int rows() const { return static_cast<int>(info_.size()); }
  int positions() const { return positions_; }
  const RowInfo& row(int k) const { return info_[k]; }
  void set_parameter(size_t index, double value) { now_[1 + index] = value; }

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
  Vec6 calc_joint_force(int joint, const VecX& lambda, const Vec3& p) const;
  /// What each constraint of the model exerts, in its order.
  std::vector<ConstraintForce> calc_constraint_forces(const VecX& lambda) const;

  /// What is remembered between evaluations: places on curves.
  std::vector<double*> memory();

 private:
  struct Bound {
    PairElement element;
    int row, slip_row;  // first ones
  };
  struct Relation {
    SmallTape
        tape;  // value, ∂/∂t, second derivative along the motion, derivatives by the coordinates
    int row;
    std::vector<int> coordinates;                 // indices in q
    std::vector<const model::TreeJoint*> joints;  // that own them
  };

  void bind_elements();
  void bind_relations();
  void number_rows();
  void make_pattern();
  void add_relation(const RowInfo& owner, const symbolic::Expr& value,
                    const base::SourceLocation& where);
  enum class Values { rows, all };
  void evaluate(const State& state, const Kinematics& kinematics, const std::vector<char>& wanted,
                Values values);
  void set(int row, const PairRow& in, const Kinematics& kinematics, Values values);
  void evaluate(Relation& relation, const State& state);
  template <class Element>
  void add(const RowInfo& owner, Element element);

  const Mechanism& mechanism_;
  std::vector<Bound> elements_;
  std::vector<Relation> relations_;
  std::vector<RowInfo> owners_;  // of elements, then of relations
  std::vector<RowInfo> info_;    // of rows
  int positions_ = 0;

  SparseRows G_;
  std::vector<double> sign_;  // per entry of G: 1 on the path of B, -1 on that of A
  VecX g_, known_, gamma_, fill_;
  std::vector<PairRow> pair_rows_;           // as evaluated
  std::vector<std::pair<int, int>> bodies_;  // A and B of each row; (-1, -1): a relation
  std::vector<PairRow> scratch_;
  std::vector<char> wanted_, all_;  // per row
  std::vector<char> prescribed_;    // per speed
  std::vector<double> now_;         // t, parameters
  std::vector<std::string> now_names_;
  std::vector<double> relation_inputs_;  // t, parameters, q, q̇
  VecX qdot_;
};

}  // namespace couplet::dynamics
