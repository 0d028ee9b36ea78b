#include "couplet/dynamics/minimal/dense_solver.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"

namespace couplet::dynamics {

DenseSolver::DenseSolver(const Mechanism& mechanism) : mechanism_(mechanism) {
  const int nv = mechanism.nv;
  std::vector<char> dependent(nv, 0);
  for (const model::Link& link : mechanism.links)
    if (link.prescribed) dependent[link.iv] = 1;
  for (const model::Coupling& c : mechanism.couplings) dependent[c.iv] = 1;
  for (int i = 0; i < nv; ++i)
    if (!dependent[i]) independent_.push_back(i);
  const int n = static_cast<int>(independent_.size());
  reduced_ = n < nv;
  if (reduced_) {
    G_ = MatX::Zero(nv, n);
    for (int k = 0; k < n; ++k) {
      G_(independent_[k], k) = 1;
      for (const model::Coupling& c : mechanism.couplings)
        if (c.source_iv == independent_[k]) G_(c.iv, k) = c.ratio;
    }
    known_.resize(nv);
    Mr_.resize(n, n);
    reduced_rhs_.resize(n);
  }
  rhs_.resize(nv);
}

void DenseSolver::factorise(const MatX& M, double t) {
  M_ = &M;
  t_ = t;
  if (reduced_) Mr_ = G_.transpose() * (M.selfadjointView<Eigen::Lower>() * G_);
  if (!independent_.empty() && !factor_.compute(reduced_ ? Mr_ : M)) explain();
}

void DenseSolver::solve(const VecX& h, VecX& tau, VecX& vdot) {
  if (!reduced_) {
    vdot = tau - h;
    factor_.solve_in_place(vdot);
  } else {
    const auto symmetric = M_->selfadjointView<Eigen::Lower>();
    known_.setZero();
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) known_[link.iv] = vdot[link.iv];
    for (const model::Coupling& c : mechanism_.couplings)
      known_[c.iv] += c.ratio * known_[c.source_iv];
    rhs_ = tau - h - symmetric * known_;
    reduced_rhs_ = G_.transpose() * rhs_;
    if (!independent_.empty()) factor_.solve_in_place(reduced_rhs_);
    vdot = known_ + G_ * reduced_rhs_;
    rhs_ = symmetric * vdot + h;
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) tau[link.iv] = rhs_[link.iv];
  }
  if (!vdot.allFinite()) explain();
}

void DenseSolver::explain() const {
  const VecX L = factor_.pivots();
  int worst = 0;  // the first pivot that failed
  while (worst + 1 < L.size() && L[worst] > 0) ++worst;
  throw base::ComputationError(fmt::format(
      "t = {:.9g}: the mass matrix is not positive definite at freedom {}: nothing that it "
      "moves has inertia, or the state is not finite",
      t_, base::quoted(mechanism_.dof_names[independent_[worst]])));
}

}  // namespace couplet::dynamics
