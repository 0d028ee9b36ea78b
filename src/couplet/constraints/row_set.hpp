// All constraints of a mechanism as rows: cut joints, the model's constraints, mimic joints.
//
// Rows between bodies are evaluated here, from the motions of the bodies alone; relations between
// coordinates are handed on as expressions to whoever knows the coordinates. In this order:
// positions of pairs of bodies, relations, then rows of velocities only (rolling without slip).
#pragma once

#include "couplet/constraints/entry.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::constraints {

using math::Vec6;
using math::VecX;

/// What a row is about, for people.
struct RowInfo {
  std::string element;  // name of the joint or constraint; between halves of a body, of the joint
                        // they were split for
  int joint = -1;       // index in Model::joints, of a cut joint; -1: a constraint
  int constraint = -1;  // index in Model::constraints; -1: a joint
  int equation = 0;     // which one of the element's
  std::string direction{};  // "translation along x", in the axes of the joint
};

/// 0 = value(q, t).
struct RelationRow {
  Expr value;
  int row = 0;
  base::SourceLocation where{};
};

class RowSet {
 public:
  /// Throws UserError when an expression names something that does not exist.
  explicit RowSet(const model::Mechanism& mechanism);

  int rows() const { return static_cast<int>(info_.size()); }
  int positions() const { return positions_; }
  const RowInfo& row(int k) const { return info_[static_cast<size_t>(k)]; }
  /// Bodies A and B of a row; (-1, -1): a relation.
  std::pair<int, int> bodies(int k) const { return bodies_[static_cast<size_t>(k)]; }
  const std::vector<RelationRow>& relations() const { return relations_; }

  /// The time and the parameters, as expressions name them, and their values.
  const std::vector<std::string>& names() const { return names_; }
  TimeAndParameters now() const { return now_; }
  void set_parameter(size_t index, double value) { now_[1 + index] = value; }

  /// The wanted rows between bodies, by the motions of all bodies. Without accelerations (those at
  /// v̇ = 0) they have no bias. Allocates nothing.
  void evaluate(double t, std::span<const BodyMotion> motions,
                std::span<const BodyAcceleration> accelerations, const std::vector<char>& wanted,
                bool accelerated);
  const PairRow& pair_row(int k) const { return pair_rows_[static_cast<size_t>(k)]; }

  /// Adds the forces -λ of a row on its two bodies: (torque about Bo; force), world axes.
  void add_forces(int k, double lambda, std::span<const BodyMotion> motions,
                  std::span<Vec6> on_bodies) const;
  /// The force that a cut joint transmits to the body of `to`: (torque about p; force), world axes.
  Vec6 calc_joint_force(int joint, const VecX& lambda, const Vec3& p) const;
  /// What each constraint of the model exerts between bodies, in its order.
  std::vector<ConstraintForce> calc_constraint_forces(const VecX& lambda) const;

  /// What is remembered between evaluations: places on curves.
  std::vector<double*> memory();

 private:
  struct Bound {
    std::unique_ptr<PairElement> element;
    RowInfo owner;
    int row = 0, slip_row = 0;  // first ones
  };

  void bind_cuts();
  void bind_constraints();
  void bind_mimics();
  void number_rows();

  const model::Mechanism& mechanism_;
  std::vector<std::string> names_;
  std::vector<double> now_;
  std::vector<Bound> elements_;
  std::vector<RelationRow> relations_;
  std::vector<RowInfo> relation_owners_;
  std::vector<RowInfo> info_;                // of rows
  std::vector<std::pair<int, int>> bodies_;  // of rows
  int positions_ = 0;
  std::vector<PairRow> pair_rows_;  // as evaluated
  std::vector<PairRow> scratch_;
};

}  // namespace couplet::constraints
