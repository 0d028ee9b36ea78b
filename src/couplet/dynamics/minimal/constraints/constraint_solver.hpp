// The constraints of a mechanism at a state, solved in the space of their forces: A = G M⁻¹ Gᵀ,
// with M⁻¹ applied by the recursion (mass_factor.hpp) and never formed. Only independent rows
// count; which, is decided once and kept until the configuration says otherwise.
#pragma once

#include "couplet/dynamics/minimal/constraints/constraint_set.hpp"
#include "couplet/dynamics/minimal/constraints/mass_factor.hpp"
#include "couplet/math/sparse_ldl.hpp"

namespace couplet::dynamics {

class ConstraintSolver {
 public:
  explicit ConstraintSolver(const Mechanism& mechanism);

  ConstraintSet& set() { return set_; }
  const ConstraintSet& set() const { return set_; }

  /// Rows that count, ascending: the first positions() of them are position constraints.
  const std::vector<int>& rows() const { return rows_; }
  int size() const { return static_cast<int>(rows_.size()); }
  int positions() const { return positions_; }
  /// How often the choice has changed.
  int revision() const { return revision_; }

  /// Freedom that carries freedom j, -1: the world.
  int parent(int j) const { return mass_.parent(j); }

  /// Decides which rows are independent, at the state last evaluated. Fewer than `at_least`: the
  /// choice stays as it is.
  void choose_rows(const State& state, const Kinematics& kinematics, int at_least = 0);
  /// Takes a choice that was made before.
  void set_rows(std::vector<int> rows);

  /// Factorises M and A at the state last evaluated by set().
  void factorise(const State& state, const Kinematics& kinematics);
  /// M alone.
  void factorise_mass(const State& state, const Kinematics& kinematics) {
    mass_.factorise(state, kinematics);
  }
  /// Loads on bodies for calc_free_vdot, at the same state (mass_factor.hpp).
  void set_loads(const Kinematics& kinematics, const forces::AppliedForces& applied) {
    mass_.set_loads(kinematics, applied);
  }
  /// v̇ as if there were no constraints; entries of prescribed freedoms are input.
  void calc_free_vdot(const VecX& tau, VecX& vdot) { mass_.calc_vdot(tau, vdot); }
  /// x ← M⁻¹ x.
  void solve_mass(VecX& x) { mass_.solve(x); }
  /// How near the last position is to a singular one: the smallest squared sine of the angle
  /// between a row and those before it, or between a row and directions in which nothing can move.
  /// 1: far.
  double singularity() const { return singularity_; }
  /// x ← A⁻¹ x, one entry per row that counts.
  void solve(VecX& x) { ldl_.solve(x); }
  /// out = M⁻¹ Gᵀ λ.
  void calc_response(const VecX& lambda, VecX& out);
  /// B = G⁺ M⁻¹ Gᵀ for rows G⁺ of the same pattern, at another position.
  void calc_mixed(const SparseRows& next, MatX& B);

  /// λ of all rows, zero for those that do not count.
  void spread(const VecX& counted, VecX& all) const;

 private:
  void push_row(const SparseRows& G, int row, double* y);
  double product(const double* y, int row) const;
  void calc_entries(const std::vector<int>& rows, const std::vector<std::vector<int>>& neighbours,
                    std::vector<double>& entries);
  std::vector<int> find_independent(const std::vector<int>& candidates,
                                    const std::vector<std::vector<int>>& neighbours,
                                    const std::vector<double>& entries) const;
  std::vector<std::vector<int>> find_neighbours(const std::vector<int>& rows) const;

  ConstraintSet set_;
  MassFactor mass_;
  std::vector<int> support_begin_, support_;  // freedoms of each row and all their ancestors
  std::vector<double> y_;                     // Φ Gᵀ, along the supports
  std::vector<double> y_next_;
  std::vector<int> rows_;
  int positions_ = 0, revision_ = 0;
  double singularity_ = 1;
  std::vector<std::vector<int>> neighbours_;
  std::vector<double> entries_;
  math::SparseLdl ldl_;
  VecX scatter_;             // per freedom; zero between calls
  std::vector<double> row_;  // one row, along its support
};

}  // namespace couplet::dynamics
