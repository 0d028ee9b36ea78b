// A wheelset on a straight track, running at 30 m/s beyond its critical speed: hunting. B. Simeon,
// C. Führer, P. Rentrop, "Introduction to differential-algebraic equations in vehicle system
// dynamics", Surv. Math. Ind. 1, 1991; a problem of the test set for initial value problem solvers
// (Bari).
//
// q = (x, y, z, θ, φ): lateral, vertical and longitudinal displacement, yaw, roll; x-state β:
// deviation of the spin from V/r. Conical wheels touch circular rails in two points, whose places
// (ψ, ξ) on the wheels are algebraic unknowns s = (ψL, ξL, ψR, ξR). Creep forces depend on the
// normal forces, and so on λ.
#pragma once

#include "couplet/integrate/problem.hpp"

namespace couplet::verification {

using integrate::VecX;

class Wheelset final : public integrate::Problem, public integrate::DescriptorForm {
 public:
  Wheelset();

  // ---- Problem
  const integrate::Layout& layout() const override { return layout_; }
  void calc_qdot(double t, const VecX& y, VecX& ydot) override;
  void calc_rates(double t, const VecX& y, VecX& ydot) override;
  DescriptorForm* descriptor() override { return this; }
  void project(double t, VecX& y) override;

  // ---- DescriptorForm
  int rows() const override { return 2; }
  int positions() const override { return 2; }
  int algebraic() const override { return 4; }
  void calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda, VecX& s) override;
  void calc_residual(const integrate::DescriptorPoint& point,
                     integrate::DescriptorResidual& out) override;
  const integrate::DescriptorPattern& pattern() const override { return pattern_; }
  void calc_half_explicit(double t, const VecX& y, double t_next, const VecX& next, double h,
                          VecX& ydot, VecX& lambda) override;

  static VecX start();

 private:
  using Rows = Eigen::Matrix<double, 2, 5>;

  Eigen::Vector4d find_contacts(const VecX& y);  // s with c = 0, from the last ones found
  Rows rows_at(const VecX& y);                   // G, at the contacts that belong to q
  /// λ with A v̇ = right, v̇ = M⁻¹(f(λ) - Gᵀλ), and the rates that belong to it.
  void solve(const VecX& y, const Rows& A, const Eigen::Vector2d& right, VecX& ydot, VecX& lambda);

  integrate::Layout layout_;
  integrate::DescriptorPattern pattern_;
  Eigen::Vector4d found_;
  Eigen::Vector2d lambda_;
  VecX scratch_lambda_, scratch_s_;
};

}  // namespace couplet::verification
