#include "couplet/integrate/explicit_descriptor.hpp"

#include <numeric>

namespace couplet::integrate {

ExplicitDescriptor::ExplicitDescriptor(Problem& problem)
    : problem_(problem), ydot_(VecX::Zero(problem.layout().size())) {
  const Layout& layout = problem.layout();
  const int nv = layout.nv,
            states = 2 * nv + layout.nx;  // columns: positions along the speeds, v, x; then v̇
  std::vector<int> dense(static_cast<size_t>(states));
  std::iota(dense.begin(), dense.end(), 0);
  pattern_.columns = states + nv;
  for (int i = 0; i < nv; ++i) {
    pattern_.rows.push_back(dense);
    pattern_.rows.back().push_back(states + i);
  }
  for (int i = 0; i < layout.nx; ++i) pattern_.rows.push_back(dense);
}

void ExplicitDescriptor::calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda,
                                         VecX& s) {
  problem_.calc_rates(t, y, ydot);
  lambda.resize(0);
  s.resize(0);
}

void ExplicitDescriptor::calc_residual(const DescriptorPoint& point, DescriptorResidual& out) {
  const Layout& layout = problem_.layout();
  problem_.calc_rates(point.t, point.y, ydot_);
  out.force = point.vdot - ydot_.segment(layout.nq, layout.nv);
  out.xdot = ydot_.tail(layout.nx);
  out.algebraic.resize(0);
  out.position.resize(0);
  out.velocity.resize(0);
}

void ExplicitDescriptor::calc_half_explicit(double t, const VecX& y, double /*t_next*/,
                                            const VecX& /*next*/, double /*h*/, VecX& ydot,
                                            VecX& lambda) {
  problem_.calc_rates(t, y, ydot);
  lambda.resize(0);
}

DescriptorForm& descriptor_of(Problem& problem, std::unique_ptr<ExplicitDescriptor>& adapter) {
  if (DescriptorForm* own = problem.descriptor()) return *own;
  adapter = std::make_unique<ExplicitDescriptor>(problem);
  return *adapter;
}

}  // namespace couplet::integrate
