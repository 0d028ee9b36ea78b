// A chain of point masses, 1 kg each, on massless rods of 1 m in a vertical plane; the first rod
// hangs at the origin. In Cartesian coordinates: the equations of a mass know only its neighbours,
// however long the chain is.
#pragma once

#include <Eigen/LU>
#include <set>

#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

class Chain : public Problem, public DescriptorForm {
 public:
  static constexpr double gravity = 9.81;

  /// repeated: the last rod is given twice, which makes the equations singular.
  explicit Chain(int n, bool repeated = false) : n_(n), rows_(n + (repeated ? 1 : 0)) {
    layout_.nq = layout_.nv = 2 * n;
    for (const char* kind : {"", "v"})
      for (int i = 0; i < n; ++i)
        for (const char* axis : {"x", "y"})
          layout_.components.push_back({std::string(kind) + axis + std::to_string(i), "", 1});
    make_pattern();
  }

  const Layout& layout() const override { return layout_; }
  void calc_qdot(double, const VecX& y, VecX& ydot) override { ydot.head(2 * n_) = y.tail(2 * n_); }
  void calc_rates(double t, const VecX& y, VecX& ydot) override {
    calc_consistent(t, y, ydot, lambda_, s_);
  }
  DescriptorForm* descriptor() override { return this; }

  int rows() const override { return rows_; }
  int positions() const override { return rows_; }
  const DescriptorPattern& pattern() const override { return pattern_; }

  // M = 1: G Gᵀ λ = G f + d(G v)/dt at v̇ = 0.
  void calc_consistent(double, const VecX& y, VecX& ydot, VecX& lambda, VecX& s) override {
    const math::MatX G = jacobian(y);
    VecX right = G * weight();
    for (int row = 0; row < rows_; ++row) right[row] += along(y.tail(2 * n_), row).squaredNorm();
    lambda = (G * G.transpose()).lu().solve(right);
    ydot.tail(2 * n_) = weight() - G.transpose() * lambda;
    s.resize(0);
  }
  void calc_residual(const DescriptorPoint& point, DescriptorResidual& out) override {
    const math::MatX G = jacobian(point.y);
    out.force = point.vdot - weight() + G.transpose() * point.lambda;
    out.velocity = G * point.y.tail(2 * n_);
    out.position.resize(rows_);
    for (int row = 0; row < rows_; ++row)
      out.position[row] = (along(point.y, row).squaredNorm() - 1) / 2;
    if (point.mu.size() > 0) out.normal = G.transpose() * point.mu;
  }
  void calc_half_explicit(double, const VecX&, double, const VecX&, double, VecX&, VecX&) override {
  }

  /// Straight out to the right, at rest.
  VecX start() const {
    VecX y = VecX::Zero(4 * n_);
    for (int i = 0; i < n_; ++i) y[2 * i] = i + 1;
    return y;
  }
  double energy(const VecX& y) const {
    return y.tail(2 * n_).squaredNorm() / 2 - weight().dot(y.head(2 * n_));
  }

 private:
  int link(int row) const { return std::min(row, n_ - 1); }
  Eigen::Vector2d along(const VecX& q,
                        int row) const {  // from the mass before, of positions or velocities
    const int i = link(row);
    Eigen::Vector2d d = q.segment<2>(2 * i);
    if (i > 0) d -= q.segment<2>(2 * i - 2);
    return d;
  }
  math::MatX jacobian(const VecX& y) const {
    math::MatX G = math::MatX::Zero(rows_, 2 * n_);
    for (int row = 0; row < rows_; ++row) {
      const int i = link(row);
      G.block<1, 2>(row, 2 * i) = along(y, row).transpose();
      if (i > 0) G.block<1, 2>(row, 2 * i - 2) = -along(y, row).transpose();
    }
    return G;
  }
  VecX weight() const {
    VecX f = VecX::Zero(2 * n_);
    for (int i = 0; i < n_; ++i) f[2 * i + 1] = -gravity;
    return f;
  }
  void make_pattern() {
    const int nv = 2 * n_, vdot = 2 * nv, lambda = 3 * nv;
    pattern_.columns = 3 * nv + rows_;
    std::vector<std::set<int>> force(static_cast<size_t>(nv)), position, velocity;
    for (int i = 0; i < nv; ++i) force[static_cast<size_t>(i)].insert(vdot + i);
    for (int row = 0; row < rows_; ++row) {
      std::set<int> q, qv;
      for (int k = std::max(0, 2 * link(row) - 2); k < 2 * link(row) + 2; ++k) {
        q.insert(k);
        qv.insert({k, nv + k});
        force[static_cast<size_t>(k)].insert(lambda + row);
        for (int j = std::max(0, 2 * link(row) - 2); j < 2 * link(row) + 2; ++j)
          force[static_cast<size_t>(k)].insert(j);
      }
      position.push_back(q);
      velocity.push_back(qv);
    }
    for (const auto* part : {&force, &position, &velocity})
      for (const std::set<int>& row : *part) pattern_.rows.emplace_back(row.begin(), row.end());
  }

  int n_, rows_;
  Layout layout_;
  DescriptorPattern pattern_;
  VecX lambda_, s_;
};

}  // namespace couplet::integrate
