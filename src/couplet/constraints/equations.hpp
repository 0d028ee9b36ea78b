// Constraints in whatever coordinates a formalism works with, as assembly and analysis see them.
#pragma once

#include "couplet/constraints/row_set.hpp"

namespace couplet::constraints {

using model::State;

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

/// How far a state is from its constraints: largest entries of g and of G v + known.
struct Residuals {
  double position = 0, velocity = 0;
};

///   0 = g(t, q)                 rows [0, positions)
///   0 = G(t, q) v + known(t)    all rows
class Equations {
 public:
  virtual ~Equations() = default;

  virtual int speeds() const = 0;
  virtual int rows() const = 0;
  virtual int positions() const = 0;
  virtual const RowInfo& row(int k) const = 0;
  /// The joint, or what else people know, whose motion is along this speed.
  virtual const std::string& owner(int speed) const = 0;
  /// Nothing moves along a speed that is prescribed.
  virtual bool is_prescribed(int speed) const = 0;

  /// Moves positions along the speeds.
  virtual void move(const VecX& step, VecX& q) const = 0;
  /// Makes the values below those at a state.
  virtual void evaluate(const State& state) = 0;
  virtual const VecX& errors() const = 0;  // g; zero for rows without a position
  virtual const SparseRows& G() const = 0;
  virtual const VecX& known() const = 0;
};

Residuals calc_residuals(Equations& equations, const State& state);

}  // namespace couplet::constraints
