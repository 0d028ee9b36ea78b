// The descriptor form of a mechanism: what half-explicit and implicit rules see of it.
#pragma once

#include <set>

#include "couplet/mechanics/residual_batch.hpp"

namespace couplet::mechanics {

class MechanismDescriptor final : public integrate::DescriptorForm {
 public:
  /// Of a problem whose system is there already.
  MechanismDescriptor(MechanismProblem& problem, Equations equations);

  int rows() const override;
  int positions() const override;
  int revision() const override;
  void calc_consistent(double t, const math::VecX& y, math::VecX& ydot, math::VecX& lambda,
                       math::VecX& s) override;
  void calc_residual(const integrate::DescriptorPoint& point,
                     integrate::DescriptorResidual& out) override;
  void calc_residuals(std::span<const integrate::DescriptorPoint> points,
                      std::span<integrate::DescriptorResidual> out) override;
  int lanes() const override;
  bool linear_in_vdot() const override;
  const integrate::DescriptorPattern& pattern() const override;
  const integrate::DescriptorPattern& given() const override;
  void calc_given(std::span<double> values) override;
  void calc_half_explicit(double t, const math::VecX& y, double t_next, const math::VecX& next,
                          double h, math::VecX& ydot, math::VecX& lambda) override;

  /// After numbers of the mechanism have changed.
  void refresh() { batch_.reset(); }

 private:
  int stops() const;            // rows of stops that hold
  int first_stop() const;       // row of the first stop that holds
  int speeds_of_loops() const;  // rows of loops that constrain speeds only
  int row_of(int loop_row) const;
  struct Columns {
    int x, vdot, lambda;
  };
  Columns columns() const;  // where they begin in the pattern
  /// function(stop, row) for all that hold.
  template <class Function>
  void for_stops(const Function& function) const;
  void set_lambda(const math::VecX& of_loops, math::VecX& lambda);
  bool gives_derivatives() const;
  void spread_over_trees(std::vector<std::set<int>>& force) const;
  void set_pattern() const;
  void set_given() const;

  /// Where a derivative comes from: M(a, b), entry a of G, or it is constant.
  struct Source {
    enum Kind { mass, loop, one, zero } kind = one;
    int a = 0, b = 0;
  };

  MechanismProblem& problem_;
  Equations equations_;
  bool batches_;                        // apply
  std::optional<ResidualBatch> batch_;  // from the first question on: it is large
  model::State next_;
  math::VecX vdot_, tau_, of_loops_, q_;  // q: of the last residual
  math::MatX M_;
  mutable integrate::DescriptorPattern pattern_, given_;
  mutable std::vector<Source> sources_;  // of what is given, row by row
  mutable int pattern_revision_ = -1;
};

}  // namespace couplet::mechanics
