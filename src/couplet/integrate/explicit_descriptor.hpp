// The descriptor form of a problem that has none: q̇ = N(q) v, 0 = v̇ - a(t, y), ẋ = b(t, y), without
// constraints. Rules on the descriptor form work on every problem through it.
#pragma once

#include <memory>

#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

class ExplicitDescriptor final : public DescriptorForm {
 public:
  explicit ExplicitDescriptor(Problem& problem);

  int rows() const override { return 0; }
  int positions() const override { return 0; }

  void calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda, VecX& s) override;
  void calc_residual(const DescriptorPoint& point, DescriptorResidual& out) override;
  const DescriptorPattern& pattern() const override { return pattern_; }
  void calc_half_explicit(double t, const VecX& y, double t_next, const VecX& next, double h,
                          VecX& ydot, VecX& lambda) override;

 private:
  Problem& problem_;
  DescriptorPattern pattern_;
  VecX ydot_;
};

/// The problem's own descriptor form, or else this one, which is then put into `adapter`.
DescriptorForm& descriptor_of(Problem& problem, std::unique_ptr<ExplicitDescriptor>& adapter);

}  // namespace couplet::integrate
