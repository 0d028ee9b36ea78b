#include "couplet/dynamics/minimal/constraints/shares.hpp"

namespace couplet::dynamics {

Shares::Shares(const Mechanism& mechanism, const ConstraintSolver& constraints)
    : mechanism_(mechanism),
      constraints_(constraints),
      lambda_(VecX::Zero(constraints.set().rows())) {}

// Every row that can carry something.
bool Shares::all_count() const {
  size_t next = 0;
  for (int k = 0; k < constraints_.set().rows(); ++k) {
    if (next < constraints_.rows().size() && constraints_.rows()[next] == k)
      ++next;
    else if (constraints_.set().fill(k) > 1e-9)
      return false;
  }
  return true;
}

void Shares::factorise() {
  if (factorised_) return;
  const SparseRows& G = constraints_.set().G();
  MatX Gt = MatX::Zero(mechanism_.nv, G.rows());
  for (int k = 0; k < G.rows(); ++k)
    for (int e = G.begin[k]; e < G.begin[k + 1]; ++e) Gt(G.column[e], k) = G.value[e];
  for (const model::Link& link : mechanism_.links)
    if (link.prescribed) Gt.row(link.iv).setZero();
  smallest_.compute(Gt);
  factorised_ = true;
}

const VecX& Shares::calc(const VecX& counted) {
  const SparseRows& G = constraints_.set().G();
  constraints_.spread(counted, lambda_);
  // A cut free joint closes nothing, and carries nothing; where nothing can move, no force needs to
  // be carried.
  if (G.rows() == 0 || mechanism_.nv == 0 || all_count()) return lambda_;
  VecX force = VecX::Zero(mechanism_.nv);
  for (int k = 0; k < G.rows(); ++k) G.add_to(k, lambda_[k], force);
  for (const model::Link& link : mechanism_.links)
    if (link.prescribed) force[link.iv] = 0;
  factorise();
  lambda_ = smallest_.solve(force);
  return lambda_;
}

}  // namespace couplet::dynamics
