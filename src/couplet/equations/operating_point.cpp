#include "couplet/equations/operating_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/math/least_squares.hpp"

namespace couplet::equations {
namespace {

using base::ComputationError;

constexpr double exact = 1e-11, good = 1e-8;  // 1/s, of what is left of rates
constexpr double part = 1e-3;                 // of a state's scale: the step of differences

}  // namespace

OperatingPoint::OperatingPoint(EquationProblem& problem, double t) : problem_(problem), t_(t) {
  y_ = problem_.make_start(t, VecX::Zero(problem_.layout().size())).y;
  find_states();
}

void OperatingPoint::find_states() {
  states_.clear();
  const std::vector<char>& dependent = problem_.dependent();
  for (size_t i = 0; i < problem_.model().states.size(); ++i)
    if (i >= dependent.size() || !dependent[i]) states_.push_back(static_cast<int>(i));
}

double OperatingPoint::scale(int state) const {
  return std::max(problem_.layout().components[static_cast<size_t>(state)].nominal,
                  std::abs(y_[state]));
}

VecX OperatingPoint::calc_rates(const VecX& y) {
  ydot_.resize(y.size());
  problem_.calc_rates(t_, y, ydot_);
  VecX rates(static_cast<long>(states_.size()));
  for (size_t i = 0; i < states_.size(); ++i) rates[static_cast<long>(i)] = ydot_[states_[i]];
  return rates;
}

VecX OperatingPoint::calc_rates_there(const VecX& y) {
  VecX rates = calc_rates(y);
  if (!rates.allFinite())
    throw ComputationError("rates have no finite value: " + problem_.explain_failure(t_, y));
  return rates;
}

double OperatingPoint::measure(const VecX& rates) const {
  double most = 0;
  for (size_t i = 0; i < states_.size(); ++i)
    most = std::max(most, std::abs(rates[static_cast<long>(i)]) / scale(states_[i]));
  return rates.allFinite() ? most : std::numeric_limits<double>::infinity();
}

double OperatingPoint::find_largest_rate(int& state) {
  const VecX rates = calc_rates_there(y_);
  double most = -1;
  for (size_t i = 0; i < states_.size(); ++i) {
    const double size = std::abs(rates[static_cast<long>(i)]) /
                        problem_.layout().components[static_cast<size_t>(states_[i])].nominal;
    if (size > most) most = size, state = states_[i];
  }
  return std::max(most, 0.0);
}

namespace {

// From values at +h, -h, +2h, -2h.
VecX slope(const VecX& p, const VecX& m, const VecX& pp, const VecX& mm, double h) {
  return (8 * (p - m) - (pp - mm)) / (12 * h);
}

// One-sided slopes that differ by this part of their size are those of a kink.
constexpr double bend = 0.1;

}  // namespace

MatX OperatingPoint::differentiate_rates() {
  return differentiate({}, 0, [](double, const VecX&, double*) {}).by_states;
}

OperatingPoint::Derivatives OperatingPoint::differentiate(const std::vector<int>& inputs,
                                                          size_t output_count,
                                                          const Outputs& outputs) {
  const auto n = static_cast<long>(states_.size()), m = static_cast<long>(inputs.size()),
             k = static_cast<long>(output_count);
  Derivatives d{MatX(n, n), MatX(n, m), MatX(k, n), MatX(k, m), {}};
  const auto at = [&](const VecX& y) {
    VecX all(n + k);
    all.head(n) = calc_rates_there(y);
    if (k > 0) outputs(t_, y, all.data() + n);
    return all;
  };
  const VecX here = at(y_);
  for (long j = 0; j < n; ++j) {
    const int state = states_[static_cast<size_t>(j)];
    const double h = part * scale(state);
    const auto moved = [&](double by) {
      VecX y = y_;
      y[state] += by;
      return at(y);
    };
    const VecX p = moved(h), minus = moved(-h), pp = moved(2 * h), mm = moved(-2 * h);
    const VecX column = slope(p, minus, pp, mm, h);
    d.by_states.col(j) = column.head(n);
    d.out_by_states.col(j) = column.tail(k);
    const VecX jump = (p - 2 * here + minus).head(n), change = (p - minus).head(n);
    for (long i = 0; i < n; ++i)
      if (std::abs(jump[i]) > bend * std::abs(change[i]) + 1e-9 * (1 + std::abs(here[i])) &&
          std::abs((pp - 2 * here + mm)[i]) < 3 * std::abs(jump[i])) {  // smooth: four times
        d.kinks.push_back(state);
        break;
      }
  }
  for (long j = 0; j < m; ++j) {
    const int input = inputs[static_cast<size_t>(j)];
    const double u = problem_.slots()[static_cast<size_t>(input)],
                 h = part * std::max(1.0, std::abs(u));
    const auto moved = [&](double by) {
      problem_.set_parameter(input, u + by);
      return at(y_);
    };
    const VecX column = slope(moved(h), moved(-h), moved(2 * h), moved(-2 * h), h);
    problem_.set_parameter(input, u);
    d.by_inputs.col(j) = column.head(n);
    d.out_by_inputs.col(j) = column.tail(k);
  }
  return d;
}

void OperatingPoint::move(const VecX& step) {
  for (size_t i = 0; i < states_.size(); ++i) y_[states_[i]] += step[static_cast<long>(i)];
  problem_.project(t_, y_);
}

// Newton's method, damped, in units of the states' scales; the shortest step where there are many.
bool OperatingPoint::newton() {
  constexpr int most = 100;
  const auto n = static_cast<long>(states_.size());
  for (int round = 0; round < most; ++round) {
    const VecX rates = calc_rates_there(y_);
    const double error = measure(rates);
    if (error <= exact) return true;
    VecX weight(n);
    for (long i = 0; i < n; ++i) weight[i] = scale(states_[static_cast<size_t>(i)]);
    const MatX J = weight.cwiseInverse().asDiagonal() * differentiate_rates() * weight.asDiagonal();
    math::LeastSquares solver(1e-10);
    solver.compute(J);
    const VecX step = weight.cwiseProduct(solver.solve(-weight.cwiseInverse().cwiseProduct(rates)));
    const VecX before = y_;
    const double norm = rates.cwiseQuotient(weight).norm();
    bool better = false;
    for (double factor = 1; factor > 1e-6 && !better; factor /= 2) {
      y_ = before;
      try {
        move(factor * step);
        const VecX now = calc_rates(y_);
        better = now.allFinite() && now.cwiseQuotient(weight).norm() < (1 - factor / 4) * norm;
      } catch (const ComputationError&) {
      }
    }
    if (better) continue;
    y_ = before;
    return error <= good;
  }
  return false;
}

// Pseudo-transient continuation [Kelley, Keyes 1998]: implicit Euler steps of the motion, the
// longer the nearer to rest.
void OperatingPoint::relax() {
  constexpr int most = 400;
  double h = 1e-2, last = measure(calc_rates_there(y_));
  for (int round = 0; round < most && last > 1e-3; ++round) {
    MatX J = differentiate_rates();
    J.diagonal().array() -= 1 / h;
    math::LeastSquares solver;
    solver.compute(J);
    const VecX before = y_;
    double now = std::numeric_limits<double>::infinity();
    try {
      move(solver.solve(-calc_rates_there(before)));
      now = measure(calc_rates(y_));
    } catch (const ComputationError&) {
    }
    if (!std::isfinite(now)) {
      y_ = before;
      h /= 4;
      continue;
    }
    h = std::min(1e6, h * std::clamp(last / std::max(now, 1e-300), 0.5, 4.0));
    last = now;
    if (round % 10 == 9) settle();
  }
}

// Events that are due here. Whether states stayed as they were.
bool OperatingPoint::settle() {
  const VecX before = y_;
  problem_.handle_event(t_, y_, {});
  find_states();
  return before == y_;
}

void OperatingPoint::find_equilibrium() {
  constexpr int most = 20;
  const VecX start = y_;
  for (int round = 0; round < most; ++round) {
    if (!newton()) {
      if (round == 0) y_ = start;
      relax();
      if (!newton()) break;
    }
    const bool still = settle();
    if (still && measure(calc_rates_there(y_)) <= good) return;
  }
  int state = 0;
  const double left = find_largest_rate(state);
  throw ComputationError(fmt::format(
      "no equilibrium was found near the beginning: '{}' still changes by {:.3g} of its nominal "
      "value a second; give start values that are closer to one",
      problem_.layout().components[static_cast<size_t>(state)].name, left));
}

}  // namespace couplet::equations
