#include "couplet/constraints/assembly.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "couplet/math/dense_symmetric.hpp"
#include "couplet/math/least_squares.hpp"

namespace couplet::constraints {
namespace {

using math::MatX;

/// The smallest x, scaled back by `scale`, with (G scale) x = b in the sense of least squares,
/// damped by `damping`.
class ScaledRows {
 public:
  ScaledRows(const SparseRows& G, int rows, const VecX& scale)
      : scale_(scale), J_(MatX::Zero(rows, scale.size())) {
    for (int k = 0; k < rows; ++k)
      for (int e = G.begin[k]; e < G.begin[k + 1]; ++e)
        J_(k, G.column[e]) = G.value[e] * scale[G.column[e]];
  }
  VecX solve(const VecX& b) const {
    if (J_.size() == 0)
      return VecX::Zero(scale_.size());  // Eigen decomposes nothing but what is there
    math::LeastSquares decomposition(1e-10);
    decomposition.compute(J_);
    return scale_.cwiseProduct(decomposition.solve(b));
  }
  VecX solve_damped(const VecX& b, double damping) const {
    MatX normal = J_ * J_.transpose();
    normal.diagonal().array() += damping;
    return scale_.cwiseProduct(J_.transpose() * math::solve_symmetric(normal, b));
  }
  double size() const {
    return J_.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(J_.rows(), 1));
  }

 private:
  VecX scale_;
  MatX J_;
};

VecX find_scale(const Equations& equations, const AssemblyOptions& options) {
  VecX scale = VecX::Ones(equations.speeds());
  if (options.weights.size() > 0) scale = options.weights.cwiseSqrt().cwiseInverse();
  for (size_t j = 0; j < options.locked.size(); ++j)
    if (options.locked[j]) scale[static_cast<Eigen::Index>(j)] = 0;
  for (int j = 0; j < equations.speeds(); ++j)
    if (equations.is_prescribed(j)) scale[j] = 0;
  return scale;
}

/// Those that were given do not move.
VecX without(const VecX& scale, const std::vector<char>& given) {
  VecX out = scale;
  for (size_t j = 0; j < given.size(); ++j)
    if (given[j]) out[static_cast<Eigen::Index>(j)] = 0;
  return out;
}

// Round-off is not an open joint: lengths of a metre have 2e-16, and chains of them more.
double still_closed(const AssemblyOptions& options) { return std::max(options.tolerance, 1e-10); }

double size_of(const OpenRow& row) {
  return std::isnan(row.error) ? INFINITY : std::abs(row.error);
}

std::vector<OpenRow> find_open(const Equations& equations, const VecX& errors, double tolerance) {
  std::vector<OpenRow> open;
  for (int k = 0; k < static_cast<int>(errors.size()); ++k)
    if (!(std::abs(errors[k]) <= tolerance))
      open.push_back({equations.row(k).element, equations.row(k).direction, errors[k]});
  std::sort(open.begin(), open.end(),
            [](const OpenRow& a, const OpenRow& b) { return size_of(a) > size_of(b); });
  return open;
}

VecX calc_errors(Equations& equations, const State& state) {
  equations.evaluate(state);
  return equations.errors().head(equations.positions());
}

// Damped Gauss-Newton steps until positions close or no step helps.
void close_positions(Equations& equations, State& state, const AssemblyOptions& options,
                     const VecX& scale, AssemblyReport& report) {
  constexpr int most = 200;
  VecX g = calc_errors(equations, state);
  double damping = 0;
  for (int iteration = 0; iteration < most; ++iteration, ++report.iterations) {
    if (g.size() == 0 || g.lpNorm<Eigen::Infinity>() <= options.tolerance) return;
    const ScaledRows J(equations.G(), equations.positions(), scale);
    const VecX full = damping == 0 ? J.solve(-g) : J.solve_damped(-g, damping * J.size());
    // No freedom turns by more than half a radian at once: the equations are those of small turns.
    const double largest = full.lpNorm<Eigen::Infinity>();
    const VecX step = largest > 0.5 ? VecX(full * (0.5 / largest)) : full;
    State tried = state;
    equations.move(step, tried.q);
    const VecX error = calc_errors(equations, tried);
    if (error.allFinite() && error.norm() < g.norm() * (1 - 1e-6)) {
      state = tried;
      report.moved += step;
      g = error;
      damping = damping > 1e-8 ? damping / 10 : 0;
    } else {
      if (damping > 1e6 || g.lpNorm<Eigen::Infinity>() < 1e-13) return;
      damping = damping == 0 ? 1e-6 : 10 * damping;
      g = calc_errors(equations, state);
    }
  }
}

// No step helps where the gap has no component along any motion: the position is flat, or there is
// no solution. Every freedom that may move goes a little aside, each by another amount, and the
// search goes on. A gap that stays open leaves the state as it was found.
void leave_flat_position(Equations& equations, State& state, const AssemblyOptions& options,
                         const VecX& scale, AssemblyReport& report) {
  constexpr std::array sizes = {1e-3, 1e-2, 1e-1};  // rad or m
  constexpr double golden = 0.6180339887498949;     // its multiples never repeat modulo 1
  const VecX shares = scale / scale.lpNorm<Eigen::Infinity>();
  for (const double size : sizes) {
    State tried = state;
    AssemblyReport attempt = report;
    VecX aside(scale.size());
    for (Eigen::Index j = 0; j < aside.size(); ++j) {
      const double x = golden * static_cast<double>(j + 1);
      aside[j] = size * shares[j] * (2 * (x - std::floor(x)) - 1);
    }
    equations.move(aside, tried.q);
    attempt.moved += aside;
    close_positions(equations, tried, options, scale, attempt);
    report.iterations = attempt.iterations;
    attempt.open = find_open(equations, calc_errors(equations, tried), still_closed(options));
    if (!attempt.closed()) continue;
    state = tried;
    report = attempt;
    return;
  }
}

/// False: positions stay open.
bool try_close(Equations& equations, State& state, const AssemblyOptions& options,
               const VecX& scale, AssemblyReport& report) {
  close_positions(equations, state, options, scale, report);
  const VecX errors = calc_errors(equations, state);
  report.open = find_open(equations, errors, still_closed(options));
  if (!report.closed() && errors.allFinite() && (scale.array() != 0).any())
    leave_flat_position(equations, state, options, scale, report);
  return report.closed();
}

/// The same, by what was not given alone.
bool try_close_around_given(Equations& equations, State& state, const AssemblyOptions& options,
                            const VecX& scale, AssemblyReport& report) {
  if (!options.given) return false;
  const VecX others = without(scale, options.given->q);
  if (others == scale || (others.array() == 0).all()) return false;
  State tried = state;
  AssemblyReport attempt = report;
  if (!try_close(equations, tried, options, others, attempt)) return false;
  state = tried;
  report = attempt;
  return true;
}

/// What was not given moves almost as if it cost nothing.
VecX around(const VecX& scale, const std::vector<char>& given) {
  constexpr double free = 1e4;
  VecX out = scale;
  for (size_t j = 0; j < given.size(); ++j)
    if (!given[j]) out[static_cast<Eigen::Index>(j)] *= free;
  return out;
}

// Given values contradict each other. Of the closed positions nearby, the one that is nearest to
// what was given does not depend on where loops are cut: steps dq with G dq = -g, the smallest of
// what they leave between the given values and those that are reached.
void return_to_given(Equations& equations, State& state, const AssemblyOptions& options,
                     const VecX& scale, AssemblyReport& report) {
  constexpr int most = 100;
  constexpr double still = 1e-12;  // rad or m
  const std::vector<char>& given = options.given->q;
  const VecX willing = around(scale, given);
  VecX counts = VecX::Zero(scale.size());
  for (Eigen::Index j = 0; j < counts.size(); ++j)
    counts[j] = given[static_cast<size_t>(j)] && scale[j] > 0;
  const auto missed = [&](const AssemblyReport& by) {
    return (counts.array() > 0).select(by.moved.cwiseQuotient(scale), 0).norm();
  };
  if (missed(report) == 0) return;
  State tried = state;
  AssemblyReport attempt = report;
  for (int iteration = 0; iteration < most; ++iteration, ++attempt.iterations) {
    const VecX g = calc_errors(equations, tried), back = -attempt.moved.cwiseProduct(counts);
    VecX rest = -g;
    for (int k = 0; k < equations.positions(); ++k) rest[k] -= equations.G().times(k, back);
    VecX step = back + ScaledRows(equations.G(), equations.positions(), willing).solve(rest);
    const double largest = step.lpNorm<Eigen::Infinity>();
    if (largest > 0.5) step *= 0.5 / largest;
    equations.move(step, tried.q);
    attempt.moved += step;
    if (!(largest > still)) break;
  }
  close_positions(equations, tried, options, scale, attempt);
  attempt.open = find_open(equations, calc_errors(equations, tried), still_closed(options));
  if (!attempt.closed() || !(missed(attempt) < missed(report))) return;
  state = tried;
  report = attempt;
}

void close_speeds(Equations& equations, State& state, const AssemblyOptions& options,
                  const VecX& scale, AssemblyReport& report) {
  equations.evaluate(state);
  const auto calc_rates = [&](const VecX& v) {
    VecX rates = equations.known();
    for (int k = 0; k < equations.rows(); ++k) rates[k] += equations.G().times(k, v);
    return rates;
  };
  const VecX rates = calc_rates(state.v);
  if (rates.size() == 0 || rates.lpNorm<Eigen::Infinity>() <= options.tolerance) return;
  const auto change = [&](const VecX& willing) {
    report.speed_change = ScaledRows(equations.G(), equations.rows(), willing).solve(-rates);
    const VecX v = state.v + report.speed_change;
    return find_open(equations, calc_rates(v),
                     still_closed(options) * (1 + v.lpNorm<Eigen::Infinity>()));
  };
  std::vector<VecX> willing;  // one after the other
  if (options.given) willing.push_back(without(scale, options.given->v));
  willing.push_back((state.v.array() == 0).select(scale, 0));
  if (options.given) willing.back() = willing.back().cwiseMax(willing.front());
  willing.push_back(scale);
  for (size_t i = 1; options.given && i < willing.size(); ++i)
    willing[i] = around(willing[i], options.given->v);
  std::vector<OpenRow> open;
  for (const VecX& each : willing)
    if ((open = change(each)).empty()) break;
  state.v += report.speed_change;
  if (report.closed()) report.open = open;
}

}  // namespace

Residuals calc_residuals(Equations& equations, const State& state) {
  equations.evaluate(state);
  Residuals out;
  for (int k = 0; k < equations.rows(); ++k) {
    const double rate = equations.G().times(k, state.v) + equations.known()[k];
    out.position = std::max(out.position, std::abs(equations.errors()[k]));
    out.velocity = std::max(out.velocity, std::abs(rate));
  }
  return out;
}

AssemblyReport assemble(Equations& equations, State& state, const AssemblyOptions& options) {
  AssemblyReport report;
  report.moved = report.speed_change = VecX::Zero(equations.speeds());
  const VecX scale = find_scale(equations, options);
  report.before = report.after = calc_residuals(equations, state);

  if (!try_close_around_given(equations, state, options, scale, report) &&
      try_close(equations, state, options, scale, report) && options.given)
    return_to_given(equations, state, options, scale, report);
  close_speeds(equations, state, options, scale, report);
  report.after = calc_residuals(equations, state);
  return report;
}

}  // namespace couplet::constraints
