// Newton's matrix of the generalised-α method. Unknowns are the motion of positions along the
// speeds, x, s and h²λ; rows are scaled by powers of h, so that the matrix stays well conditioned
// as h becomes small (C. Bottasso, O. Bauchau, A. Cardona, 2007).
#pragma once

#include "couplet/integrate/explicit_descriptor.hpp"
#include "couplet/integrate/implicit.hpp"
#include "couplet/integrate/jacobian/newton_matrix.hpp"

namespace couplet::integrate {

/// Chung and Hulbert's coefficients. ρ: what remains of the fastest oscillations in a step; at 0.9
/// the error is hardly larger than at 1.
namespace alpha {
constexpr double rho = 0.9, m = (2 * rho - 1) / (rho + 1), f = rho / (rho + 1), gamma = 0.5 + f - m,
                 beta = (gamma + 0.5) * (gamma + 0.5) / 4;
constexpr double by_mean = (1 - m) / (1 - f);  // ∂v̇'/∂a'
}  // namespace alpha

class AlphaMatrix {
 public:
  /// Rows of constraints: positions (index 3), or the velocities of all.
  enum class Level { positions, velocities };
  AlphaMatrix(Problem& problem, Level level, const ImplicitOptions& options, Counts& counts);

  DescriptorForm& form() { return form_; }
  /// Rows that are positions; the others are velocities.
  int positions() const { return level_ == Level::positions ? form_.positions() : 0; }
  /// The form has changed: everything begins anew.
  bool outdated() const { return revision_ != form_.revision(); }
  void set_structure();
  int size() const { return matrix_.size(); }

  /// Derivatives at a point; the matrix has to be factorised afterwards.
  void differentiate(const DescriptorPoint& point);
  /// Throws ComputationError with the name of an unknown that is not determined.
  void factorise(double h);
  bool factorised_for(double h) const {
    return std::abs(h - factorised_for_) <= 1e-10 * h;
  }  // steps are rounded
  void solve(VecX& b) { matrix_.solve(b); }
  /// The order of pivots; checkpoints do not have it.
  void forget() { matrix_.forget(); }

 private:
  base::ComputationError singular(int unknown) const;

  Problem& problem_;
  Level level_;
  ImplicitOptions options_;
  Counts& counts_;
  std::unique_ptr<ExplicitDescriptor> adapter_;
  DescriptorForm& form_;
  DescriptorJacobian jacobian_;
  NewtonMatrix<double> matrix_;
  std::vector<double> parts_;  // those of the form, and 1
  int revision_ = -1;
  double factorised_for_ = 0;  // s; 0: not
};

}  // namespace couplet::integrate
