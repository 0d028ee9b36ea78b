// The stage that half-explicit methods consist of (Arnold 1998, eq. 4): rates at one point,
// constraint forces such that the velocity constraints hold at another. The acceleration of the
// constraints is never needed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "couplet/integrate/explicit_descriptor.hpp"

namespace couplet::integrate {

class HalfExplicitStage {
 public:
  explicit HalfExplicitStage(Problem& problem)
      : problem_(problem), form_(descriptor_of(problem, adapter_)) {}

  /// k = ẏ at (t, y) with the velocity constraints met at t_next by `next` + h k; the positions of
  /// `next` get their h k on the way.
  void calc(double t, const VecX& y, double t_next, VecX& next, double h, VecX& k) {
    const int nq = problem_.layout().nq;
    problem_.calc_qdot(t, y, k);
    next.head(nq) += h * k.head(nq);
    form_.calc_half_explicit(t, y, t_next, next, h, k, lambda_);
  }

  /// Without constraints the stage is an explicit one.
  bool constrained() const { return form_.rows() > 0; }
  /// Every stage puts the velocities on the constraints, to round-off of the largest of them: so
  /// much of an error is not one that shorter steps would help.
  void forgive_round_off(double amplification, const VecX& y, VecX& error) const {
    if (!constrained()) return;
    const Layout& layout = problem_.layout();
    const double largest = y.segment(layout.nq, layout.nv).lpNorm<Eigen::Infinity>();
    const double noise = amplification * std::numeric_limits<double>::epsilon() * largest;
    for (int i = layout.nq; i < layout.nq + layout.nv; ++i)
      error[i] = std::copysign(std::max(std::abs(error[i]) - noise, 0.0), error[i]);
  }

 private:
  Problem& problem_;
  std::unique_ptr<ExplicitDescriptor> adapter_;
  DescriptorForm& form_;
  VecX lambda_;
};

}  // namespace couplet::integrate
