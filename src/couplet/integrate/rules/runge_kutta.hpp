// Explicit and half-explicit Runge-Kutta methods, which are data: a tableau, an error estimate, an
// interpolant.
#pragma once

#include <optional>
#include <span>

#include "couplet/integrate/rule.hpp"
#include "couplet/integrate/rules/half_explicit.hpp"

namespace couplet::integrate {

/// y1 = y0 + h Σ bᵢ kᵢ,  kᵢ = f(t0 + cᵢ h, y0 + h Σ aᵢⱼ kⱼ).
struct Tableau {
  int stages;
  std::span<const double> c;        // stages + extra
  std::span<const double> a;        // rows of the strict lower triangle, one after the other
  std::span<const double> b;        // stages
  std::span<const double> error;    // b - b̂; empty: no estimate
  std::span<const double> error_3;  // a second one, of order 3 (Hairer's 8(5,3)); empty: none
  bool first_same_as_last = false;  // k of the last stage is f at the new point
  /// Interpolant y0 + h Σ kᵢ dᵢ(s), dᵢ(s) = s (P0 + s (P1 + …)); `degree` coefficients per stage,
  /// of stages and extra stages; empty: the quartic of Rule.
  std::span<const double> dense = {};
  int degree = 0;
  int extra = 0;  // stages evaluated for the interpolant only
  /// Half-explicit: after the first, stage i meets the velocity constraints at t0 + c̄ᵢ h, y0 + h Σ
  /// āᵢⱼ kⱼ, j ≤ i.
  std::span<const double> c_constraint = {};  // from the second stage
  std::span<const double> a_constraint =
      {};  // rows of the lower triangle from the second, with its diagonal
};

extern const Tableau euler, classical_rk4, fehlberg, dormand_prince_5, dormand_prince_8,
    half_explicit_5;

/// The stages of one method; a rule of its own, and the starter of multi-step rules.
class RungeKutta : public Rule {
 public:
  RungeKutta(Problem& problem, const Tolerance& tolerance, const Tableau& tableau);

  Trial attempt(double h) override;
  void interpolate(double t, VecX& y) override;

 private:
  struct Term {
    int stage;
    double weight;
  };
  /// sum = y0 + h Σ weights k
  void combine(std::span<const Term> terms, double h, VecX& sum) const;
  const VecX& stage(int i) const { return i == 0 ? from_.ydot : k_[static_cast<size_t>(i)]; }
  void calc_stage(int i, double h);
  double calc_error(double h);
  double calc_norm(double h);
  void calc_dense(double s, double h, VecX& y);
  void calc_quintic(double h);

  const Tableau& tableau_;
  std::vector<std::vector<Term>> rows_;  // nonzero entries of a
  std::vector<Term> b_;
  std::optional<HalfExplicitStage> half_explicit_;
  std::vector<std::vector<Term>> constraint_rows_;  // nonzero entries of ā, the diagonal last
  std::vector<VecX> k_;  // k_[0] is unused: it is the derivative at `from`
  VecX stage_, next_, error_, error_3_;
  bool extra_known_ = false;
  bool quintic_known_ = false;
  VecX even_, odd_;  // of the quintic
};

template <const Tableau& tableau>
std::unique_ptr<Rule> make_runge_kutta(Problem& problem, const Tolerance& tolerance) {
  return std::make_unique<RungeKutta>(problem, tolerance, tableau);
}

}  // namespace couplet::integrate
