#include "couplet/integrate/rules/runge_kutta.hpp"

#include <cmath>

namespace couplet::integrate {

RungeKutta::RungeKutta(Problem& problem, const Tolerance& tolerance, const Tableau& tableau)
    : Rule(problem, tolerance), tableau_(tableau) {
  const auto terms = [](std::span<const double> weights) {
    std::vector<Term> list;
    for (size_t j = 0; j < weights.size(); ++j)
      if (weights[j] != 0) list.push_back({static_cast<int>(j), weights[j]});
    return list;
  };
  const size_t all = static_cast<size_t>(tableau.stages + tableau.extra);
  for (size_t i = 0, begin = 0; i < all; begin += i, ++i) rows_.push_back(terms(tableau.a.subspan(begin, i)));
  b_ = terms(tableau.b);
  k_.assign(all, VecX::Zero(nominal_.size()));
  stage_ = error_ = error_3_ = VecX::Zero(nominal_.size());
}

void RungeKutta::combine(std::span<const Term> terms, double h, VecX& sum) const {
  // Two stages at a time: sums are limited by memory, not by arithmetic.
  const VecX* start = &from_.y;
  size_t i = 0;
  for (; i + 1 < terms.size(); i += 2, start = &sum)
    sum = *start + (h * terms[i].weight) * stage(terms[i].stage) + (h * terms[i + 1].weight) * stage(terms[i + 1].stage);
  if (i < terms.size()) sum = *start + (h * terms[i].weight) * stage(terms[i].stage);
}

void RungeKutta::calc_stage(int i, double h) {
  const size_t index = static_cast<size_t>(i);
  combine(rows_[index], h, stage_);
  evaluate(from_.t + tableau_.c[index] * h, stage_, k_[index]);
}

Trial RungeKutta::attempt(double h) {
  begin_attempt();
  extra_known_ = false;
  const int inner = tableau_.stages - (tableau_.first_same_as_last ? 1 : 0);
  for (int i = 1; i < inner; ++i) calc_stage(i, h);
  combine(b_, h, to_.y);
  // The last stage is the derivative at the new point: needed now only if the error depends on it.
  const bool last_now = tableau_.first_same_as_last && tableau_.error.back() != 0;
  if (last_now) {
    evaluate(from_.t + h, to_.y, to_.ydot);
    k_[static_cast<size_t>(inner)] = to_.ydot;
  }
  Trial trial;
  if (tolerance_.given() && !tableau_.error.empty()) trial.error = calc_error(h);
  trial.finite = end_attempt(h) && std::isfinite(trial.error);
  to_.ydot_known = last_now;
  return trial;
}

double RungeKutta::calc_error(double h) {
  const auto estimate = [&](std::span<const double> weights, VecX& error) {
    error = (h * weights[0]) * from_.ydot;
    for (size_t i = 1; i < weights.size(); ++i)
      if (weights[i] != 0) error += (h * weights[i]) * k_[i];
  };
  estimate(tableau_.error, error_);
  const double norm = error_norm(error_);
  if (tableau_.error_3.empty() || norm == 0) return norm;
  // Hairer, Nørsett, Wanner I, (II.10.17): the fifth-order estimate, weighted by the third-order one.
  estimate(tableau_.error_3, error_3_);
  const double norm_3 = error_norm(error_3_);
  return norm * norm / std::sqrt(norm * norm + 0.01 * norm_3 * norm_3);
}

void RungeKutta::interpolate(double t, VecX& y) {
  if (tableau_.dense.empty() || t == to_.t) return Rule::interpolate(t, y);
  const double h = to_.t - from_.t, s = (t - from_.t) / h;
  if (!extra_known_) {
    if (tableau_.first_same_as_last) k_[static_cast<size_t>(tableau_.stages - 1)] = ydot_at(to_);
    for (int i = 0; i < tableau_.extra; ++i) calc_stage(tableau_.stages + i, h);
    extra_known_ = true;
  }
  y = from_.y;
  const size_t degree = static_cast<size_t>(tableau_.degree);
  for (size_t i = 0; i < k_.size(); ++i) {
    double d = 0;
    for (size_t p = degree; p-- > 0;) d = tableau_.dense[i * degree + p] + s * d;
    if (d == 0) continue;
    y += (h * s * d) * (i == 0 ? from_.ydot : k_[i]);
  }
}

}  // namespace couplet::integrate
