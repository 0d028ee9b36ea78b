// The descriptor form of a problem, for rules that work on its constraints directly (Arnold 1998,
// eqs. 1 to 3):
//
//   q̇ = N(q) v
//   0 = M(q) v̇ - f(t, q, v, x, s, λ) + Gᵀ(t, q) λ   balance of forces, nv rows
//   ẋ = b(t, q, v, x, s, λ)
//   0 = c(t, q, v, x, s)         algebraic equations for s, e.g. where contact points are
//   0 = g(t, q, s)               position constraints: index 3
//   0 = G(t, q) v + g_t(t, q)    velocity constraints: index 2. Those of g first, g_t = ∂g/∂t, then
//                                rolling without slip and the like
//
// Rows of G are independent: a problem with redundant constraints leaves out the redundant ones.
#pragma once

#include <span>
#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::integrate {

using math::VecX;

/// y = (q, v, x) and what else the equations hold at t.
struct DescriptorPoint {
  double t = 0;
  VecX y;
  VecX vdot;    // nv
  VecX lambda;  // rows
  VecX s;       // algebraic
  VecX mu;      // positions, for the Gear-Gupta-Leimkuhler form; empty: not in use
};

/// What is left of each equation; all zero at a solution, except that `xdot` is ẋ itself.
struct DescriptorResidual {
  VecX force;      // nv
  VecX xdot;       // nx
  VecX algebraic;  // algebraic
  VecX position;   // positions
  VecX velocity;   // rows
  VecX normal;     // Gᵀ μ, nv; left alone when μ is empty
};

/// A sparse set of (row, column): columns of each row, ascending.
struct Pattern {
  int columns = 0;
  std::vector<std::vector<int>> rows;
};

/// Which unknown each equation depends on. Rows: force, xdot, algebraic, position, velocity;
/// columns: positions along the speeds (nv; see Layout::blocks), v, x, v̇, λ, s.
using DescriptorPattern = Pattern;

class DescriptorForm {
 public:
  virtual ~DescriptorForm() = default;

  // ---- Sizes. They may change in Problem::project and Problem::handle_event, when the rank of the
  // constraints does; `revision` counts these changes, and a rule that keeps multipliers begins
  // anew after one.
  virtual int rows() const = 0;       // velocity constraints, length of λ
  virtual int positions() const = 0;  // position constraints; their velocity rows come first
  virtual int algebraic() const { return 0; }
  virtual int revision() const { return 0; }

  /// v̇, ẋ (in ydot, whose first nq entries stay), λ and s that satisfy the equations at (t, y) with
  /// the constraints differentiated twice: index 1.
  virtual void calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda, VecX& s) = 0;

  /// What is left of all equations at a point. Much cheaper than solving for v̇.
  virtual void calc_residual(const DescriptorPoint& point, DescriptorResidual& out) = 0;
  /// The same at many points, one after the other unless the form knows better.
  virtual void calc_residuals(std::span<const DescriptorPoint> points,
                              std::span<DescriptorResidual> out);
  /// Of how many points calc_residuals finds the residuals at once; 1: it is a loop.
  virtual int lanes() const { return 1; }
  /// Whether v̇ enters the residual linearly, M v̇: not where friction depends on the forces in
  /// joints.
  virtual bool linear_in_vdot() const { return true; }
  virtual const DescriptorPattern& pattern() const = 0;

  /// Derivatives that the form knows without differences, a part of the pattern: M and G, as a
  /// rule.
  virtual const DescriptorPattern& given() const;
  /// Their values where calc_residual was called last, or at the last point of calc_residuals, row
  /// by row.
  virtual void calc_given(std::span<double> /*values*/) {}

  /// Half-explicit stage (Arnold 1998, eq. 4): v̇, ẋ (in ydot, whose first nq entries stay) and λ
  /// with
  ///   M(q) v̇ + Gᵀ(q) λ = f(t, y, λ),   G(q⁺) (v⁺ + h v̇) + g_t(t⁺, q⁺) = 0,   (q⁺, v⁺) from `next`.
  virtual void calc_half_explicit(double t, const VecX& y, double t_next, const VecX& next,
                                  double h, VecX& ydot, VecX& lambda) = 0;
};

inline void DescriptorForm::calc_residuals(std::span<const DescriptorPoint> points,
                                           std::span<DescriptorResidual> out) {
  for (size_t i = 0; i < points.size(); ++i) calc_residual(points[i], out[i]);
}

inline const DescriptorPattern& DescriptorForm::given() const {
  static const DescriptorPattern none;
  return none;
}

}  // namespace couplet::integrate
