// The descriptor form of a mechanism: what half-explicit and implicit rules see of it.
#pragma once

#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/integrate/descriptor.hpp"

namespace couplet::simulate {

class MechanismProblem;

class MechanismDescriptor final : public integrate::DescriptorForm {
 public:
  explicit MechanismDescriptor(MechanismProblem& problem) : problem_(problem) {}

  int rows() const override;
  int positions() const override;
  int revision() const override;
  void calc_consistent(double t, const math::VecX& y, math::VecX& ydot, math::VecX& lambda, math::VecX& s) override;
  void calc_residual(const integrate::DescriptorPoint& point, integrate::DescriptorResidual& out) override;
  const integrate::DescriptorPattern& pattern() const override;
  void calc_half_explicit(double t, const math::VecX& y, double t_next, const math::VecX& next, double h,
                          math::VecX& ydot, math::VecX& lambda) override;
  void calc_normal(double t, const math::VecX& y, const math::VecX& mu, math::VecX& out) override;

 private:
  MechanismProblem& problem_;
  model::State next_;
  math::VecX vdot_, tau_;
  mutable integrate::DescriptorPattern pattern_;
  mutable int pattern_revision_ = -1;
};

}  // namespace couplet::simulate
