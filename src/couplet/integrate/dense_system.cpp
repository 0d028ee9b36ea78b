#include "couplet/integrate/dense_system.hpp"

#include <fmt/format.h>

#include <numeric>

#include "couplet/base/diagnostics.hpp"

namespace couplet::integrate {

using math::MatX;

DenseSystem::DenseSystem(Layout layout, int rows, int positions)
    : layout_(std::move(layout)), rows_(rows), positions_(positions) {
  const int nv = layout_.nv;
  M_.setZero(nv, nv);
  G_.setZero(rows, nv);
  G_next_ = G_;
  f_.setZero(nv);
  known_ = gamma_ = VecX::Zero(rows);
  g_.setZero(positions);
  right_.setZero(nv + rows);
  solution_ = right_;
  all_.setZero(nv + rows, nv + rows);
  of_positions_.setZero(nv + positions, nv + positions);

  // Columns: q, v, v̇, λ.
  pattern_.columns = 3 * nv + rows;
  const auto block = [&](int count, int columns) {
    std::vector<int> dense(static_cast<size_t>(columns));
    std::iota(dense.begin(), dense.end(), 0);
    for (int i = 0; i < count; ++i) pattern_.rows.push_back(dense);
  };
  block(nv, pattern_.columns);
  block(positions, nv);
  block(rows, 2 * nv);
}

void DenseSystem::calc_qdot(double, const VecX& y, VecX& ydot) {
  ydot.head(layout_.nq) = y.segment(layout_.nq, layout_.nv);
}

void DenseSystem::calc_rates(double t, const VecX& y, VecX& ydot) {
  calc_consistent(t, y, ydot, lambda_, s_);
}

void DenseSystem::load(double t, const VecX& y) {
  M_.setZero();
  G_.setZero();
  known_.setZero();
  calc_mass(y, M_);
  calc_velocities(t, y, G_, known_);
}

void DenseSystem::solve(const MatX& lower, int rows) {
  const int nv = layout_.nv;
  MatX& matrix = rows == rows_ ? all_ : of_positions_;
  math::DenseLu<double>& lu = rows == rows_ ? with_all_ : with_positions_;
  matrix.topLeftCorner(nv, nv) = M_;
  matrix.topRightCorner(nv, rows) = G_.topRows(rows).transpose();
  matrix.bottomLeftCorner(rows, nv) = lower.topRows(rows);
  lu.compute(matrix);
  VecX& found = rows == rows_ ? found_ : found_with_positions_;  // of one size each
  lu.solve(right_.head(nv + rows), found);
  solution_.head(nv + rows) = found;
}

void DenseSystem::calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda, VecX& s) {
  load(t, y);
  f_.setZero();
  calc_force(t, y, f_);
  gamma_.setZero();
  calc_bias(t, y, gamma_);
  right_ << f_, -gamma_;
  solve(G_, rows_);
  ydot.segment(layout_.nq, layout_.nv) = solution_.head(layout_.nv);
  lambda = solution_.tail(rows_);
  s.resize(0);
}

void DenseSystem::calc_half_explicit(double t, const VecX& y, double t_next, const VecX& next,
                                     double h, VecX& ydot, VecX& lambda) {
  load(t, y);
  f_.setZero();
  calc_force(t, y, f_);
  G_next_.setZero();
  known_.setZero();
  calc_velocities(t_next, next, G_next_, known_);
  known_.noalias() += G_next_ * next.segment(layout_.nq, layout_.nv);
  right_ << f_, -known_ / h;
  solve(G_next_, rows_);
  ydot.segment(layout_.nq, layout_.nv) = solution_.head(layout_.nv);
  lambda = solution_.tail(rows_);
}

void DenseSystem::calc_residual(const DescriptorPoint& point, DescriptorResidual& out) {
  load(point.t, point.y);
  f_.setZero();
  calc_force(point.t, point.y, f_);
  out.force = -f_;
  out.force.noalias() += M_ * point.vdot;
  out.force.noalias() += G_.transpose() * point.lambda;
  out.xdot.resize(0);
  out.algebraic.resize(0);
  out.position.resize(positions_);
  calc_positions(point.t, point.y, out.position);
  out.velocity = known_;
  out.velocity.noalias() += G_ * point.y.segment(layout_.nq, layout_.nv);
  if (point.mu.size() > 0) out.normal.noalias() = G_.topRows(positions_).transpose() * point.mu;
}

// (M Gᵀ; G 0) (dq, ·) = (0, -g) until dq is round-off; then the same with -(G v + known) for dv.
void DenseSystem::project(double t, VecX& y) {
  constexpr int most = 20;
  const int nq = layout_.nq, nv = layout_.nv;
  for (int i = 0; positions_ > 0; ++i) {
    load(t, y);
    calc_positions(t, y, g_);
    right_.setZero();
    right_.segment(nv, positions_) = -g_;
    solve(G_, positions_);
    const double step = solution_.head(nv).lpNorm<Eigen::Infinity>(),
                 size = y.head(nq).lpNorm<Eigen::Infinity>();
    if (i == most || !std::isfinite(step))
      throw base::ComputationError(
          fmt::format("the position constraints cannot be met at t = {:.12g} s", t));
    y.head(nq) += solution_.head(nv);
    if (step <= 1e-9 * size) break;  // Newton's method squares it
  }
  load(t, y);
  right_.setZero();
  right_.tail(rows_) = -known_;
  right_.tail(rows_).noalias() -= G_ * y.segment(nq, nv);
  solve(G_, rows_);
  y.segment(nq, nv) += solution_.head(nv);
}

}  // namespace couplet::integrate
