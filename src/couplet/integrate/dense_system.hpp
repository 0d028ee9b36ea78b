// A constrained system that is given by its matrices, in flat coordinates: q̇ = v and
//   M(q) v̇ = f(t, q, v) - Gᵀλ,   g(t, q) = 0,   G(t, q) v + known(t, q) = 0,   G v̇ + γ = 0
// Whoever has equations of motion on paper writes five functions and has every integrator. O((nv +
// rows)³).
#pragma once

#include "couplet/integrate/problem.hpp"
#include "couplet/math/dense_lu.hpp"

namespace couplet::integrate {

class DenseSystem : public Problem, public DescriptorForm {
 public:
  /// `rows` velocity constraints, of which the first `positions` are derivatives of g.
  DenseSystem(Layout layout, int rows, int positions);

  // ---- The equations. Matrices have their size and are zero when these are called.
  virtual void calc_mass(const VecX& y, math::MatX& M) = 0;
  virtual void calc_force(double t, const VecX& y, VecX& f) = 0;
  virtual void calc_positions(double t, const VecX& y, VecX& g) = 0;
  virtual void calc_velocities(double t, const VecX& y, math::MatX& G, VecX& known) = 0;
  /// γ, d/dt (G v + known) at v̇ = 0.
  virtual void calc_bias(double t, const VecX& y, VecX& gamma) = 0;

  // ---- Problem
  const Layout& layout() const override { return layout_; }
  void calc_qdot(double t, const VecX& y, VecX& ydot) override;
  void calc_rates(double t, const VecX& y, VecX& ydot) override;
  DescriptorForm* descriptor() override { return this; }
  /// Positions by Newton's method, then velocities, along M⁻¹Gᵀ. Throws ComputationError if that
  /// fails.
  void project(double t, VecX& y) override;

  // ---- DescriptorForm
  int rows() const override { return rows_; }
  int positions() const override { return positions_; }
  void calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda, VecX& s) override;
  void calc_residual(const DescriptorPoint& point, DescriptorResidual& out) override;
  const DescriptorPattern& pattern() const override { return pattern_; }
  void calc_half_explicit(double t, const VecX& y, double t_next, const VecX& next, double h,
                          VecX& ydot, VecX& lambda) override;

 private:
  void load(double t, const VecX& y);  // M, G and what is known at a point
  void solve(const math::MatX& lower,
             int rows);  // (M Gᵀ; lower 0) x = right, the first `rows` of G

  Layout layout_;
  int rows_, positions_;
  DescriptorPattern pattern_;
  math::MatX M_, G_, G_next_;
  VecX f_, g_, known_, gamma_, right_, solution_;
  math::DenseLu<double> with_all_, with_positions_;
  VecX found_, found_with_positions_;
  math::MatX all_, of_positions_;
  VecX lambda_, s_;
};

}  // namespace couplet::integrate
