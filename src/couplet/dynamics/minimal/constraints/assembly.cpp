#include "couplet/dynamics/minimal/constraints/assembly.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace couplet::dynamics {
namespace {

/// The smallest x, scaled back by `scale`, with (G scale) x = b in the sense of least squares, damped by `damping`.
class ScaledRows {
 public:
  ScaledRows(const SparseRows& G, int rows, const VecX& scale) : scale_(scale), J_(MatX::Zero(rows, scale.size())) {
    for (int k = 0; k < rows; ++k)
      for (int e = G.begin[k]; e < G.begin[k + 1]; ++e) J_(k, G.column[e]) = G.value[e] * scale[G.column[e]];
  }
  VecX solve(const VecX& b) const {
    if (J_.size() == 0) return VecX::Zero(scale_.size());  // Eigen decomposes nothing but what is there
    Eigen::CompleteOrthogonalDecomposition<MatX> decomposition(J_);
    decomposition.setThreshold(1e-10);
    return scale_.cwiseProduct(decomposition.solve(b));
  }
  VecX solve_damped(const VecX& b, double damping) const {
    MatX normal = J_ * J_.transpose();
    normal.diagonal().array() += damping;
    return scale_.cwiseProduct(J_.transpose() * normal.ldlt().solve(b));
  }
  double size() const { return J_.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(J_.rows(), 1)); }

 private:
  VecX scale_;
  MatX J_;
};

VecX find_scale(const Mechanism& mechanism, const AssemblyOptions& options) {
  VecX scale = VecX::Ones(mechanism.nv);
  if (options.weights.size() > 0) scale = options.weights.cwiseSqrt().cwiseInverse();
  for (size_t j = 0; j < options.locked.size(); ++j)
    if (options.locked[j]) scale[static_cast<Eigen::Index>(j)] = 0;
  for (const model::Link& link : mechanism.links)
    if (link.prescribed) scale[link.iv] = 0;
  return scale;
}

double size_of(const OpenRow& row) { return std::isnan(row.error) ? INFINITY : std::abs(row.error); }

std::vector<OpenRow> find_open(const ConstraintSet& set, const VecX& errors, double tolerance) {
  std::vector<OpenRow> open;
  for (int k = 0; k < static_cast<int>(errors.size()); ++k)
    if (!(std::abs(errors[k]) <= tolerance))
      open.push_back({set.row(k).element, set.row(k).direction, errors[k]});
  std::sort(open.begin(), open.end(),
            [](const OpenRow& a, const OpenRow& b) { return size_of(a) > size_of(b); });
  return open;
}

}  // namespace

AssemblyReport assemble(System& system, State& state, const AssemblyOptions& options) {
  constexpr int most = 200;
  const Mechanism& mechanism = system.mechanism();
  AssemblyReport report;
  report.moved = report.speed_change = VecX::Zero(mechanism.nv);
  if (!system.loops()) return report;
  const ConstraintSet& set = system.loops()->constraints();
  const int positions = set.positions();
  const VecX scale = find_scale(mechanism, options);
  report.before = report.after = system.calc_residuals(state);

  const auto error_at = [&](const State& at) {
    system.calc_residuals(at);
    return VecX(set.errors().head(positions));
  };
  VecX g = error_at(state);
  double damping = 0;
  for (; report.iterations < most; ++report.iterations) {
    if (positions == 0 || g.lpNorm<Eigen::Infinity>() <= options.tolerance) break;
    const ScaledRows J(set.G(), positions, scale);
    const VecX full = damping == 0 ? J.solve(-g) : J.solve_damped(-g, damping * J.size());
    // No freedom turns by more than half a radian at once: the equations are those of small turns.
    const double largest = full.lpNorm<Eigen::Infinity>();
    const VecX step = largest > 0.5 ? VecX(full * (0.5 / largest)) : full;
    State tried = state;
    mechanism.move(step, tried.q);
    const VecX error = error_at(tried);
    if (error.allFinite() && error.norm() < g.norm() * (1 - 1e-6)) {
      state = tried;
      report.moved += step;
      g = error;
      damping = damping > 1e-8 ? damping / 10 : 0;
    } else {
      if (damping > 1e6 || g.lpNorm<Eigen::Infinity>() < 1e-13) break;
      damping = damping == 0 ? 1e-6 : 10 * damping;
      g = error_at(state);
    }
  }
  // Round-off is not an open joint: lengths of a metre have 2e-16, and chains of them more.
  report.open = find_open(set, error_at(state), std::max(options.tolerance, 1e-10));

  system.calc_residuals(state);
  VecX c = set.known();
  for (int k = 0; k < set.rows(); ++k) c[k] += set.G().times(k, state.v);
  if (c.size() > 0 && c.lpNorm<Eigen::Infinity>() > options.tolerance) {
    report.speed_change = ScaledRows(set.G(), set.rows(), scale).solve(-c);
    state.v += report.speed_change;
    for (int k = 0; k < set.rows(); ++k) c[k] = set.known()[k] + set.G().times(k, state.v);
    if (report.closed())
      report.open = find_open(set, c, std::max(options.tolerance, 1e-10) * (1 + state.v.lpNorm<Eigen::Infinity>()));
  }
  report.after = system.calc_residuals(state);
  if (report.closed()) system.choose_rows(state);
  return report;
}

}  // namespace couplet::dynamics
