#include "couplet/integrate/rules/runge_kutta.hpp"

#include <cmath>

#include "couplet/integrate/rules/project_error.hpp"

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
  for (size_t i = 0, begin = 0; i < all; begin += i, ++i)
    rows_.push_back(terms(tableau.a.subspan(begin, i)));
  b_ = terms(tableau.b);
  if (!tableau.a_constraint.empty()) half_explicit_.emplace(problem);
  constraint_rows_.resize(1);
  for (size_t i = 1, begin = 0; i <= tableau.c_constraint.size(); begin += ++i)
    constraint_rows_.push_back(terms(tableau.a_constraint.subspan(begin, i + 1)));
  k_.assign(all, VecX::Zero(nominal_.size()));
  stage_ = next_ = error_ = error_3_ = even_ = odd_ = VecX::Zero(nominal_.size());
}

void RungeKutta::combine(std::span<const Term> terms, double h, VecX& sum) const {
  // Two stages at a time: sums are limited by memory, not by arithmetic.
  const VecX* start = &from_.y;
  size_t i = 0;
  if (terms.empty()) sum = from_.y;
  for (; i + 1 < terms.size(); i += 2, start = &sum)
    sum = *start + (h * terms[i].weight) * stage(terms[i].stage) +
          (h * terms[i + 1].weight) * stage(terms[i + 1].stage);
  if (i < terms.size()) sum = *start + (h * terms[i].weight) * stage(terms[i].stage);
}

void RungeKutta::calc_stage(int i, double h) {
  const size_t index = static_cast<size_t>(i);
  const double t = from_.t + tableau_.c[index] * h;
  combine(rows_[index], h, stage_);
  if (!half_explicit_) return evaluate(t, stage_, k_[index]);
  const std::span<const Term> row = constraint_rows_[index];
  combine(row.first(row.size() - 1), h, next_);
  half_explicit_->calc(t, stage_, from_.t + tableau_.c_constraint[index - 1] * h, next_,
                       h * row.back().weight, k_[index]);
  ++counts_.evaluations;
  note_sine(t);
}

Trial RungeKutta::attempt(double h) {
  begin_attempt();
  extra_known_ = quintic_known_ = false;
  const int inner = tableau_.stages - (tableau_.first_same_as_last ? 1 : 0);
  for (int i = 1; i < inner; ++i) calc_stage(i, h);
  combine(b_, h, to_.y);
  // The last stage is the derivative at the new point: needed now only if the error depends on it.
  const bool last_now = tableau_.first_same_as_last && tableau_.error.back() != 0;
  if (last_now) {
    evaluate(from_.t + h, to_.y, to_.ydot);
    to_.sine = problem_.sine();
    k_[static_cast<size_t>(inner)] = to_.ydot;
  }
  Trial trial;
  if (tolerance_.given() && !tableau_.error.empty()) trial.error = calc_error(h);
  trial.finite = end_attempt(h) && std::isfinite(trial.error);
  trial.may_grow = !forgiven_;
  trial.clear = find_clear_length(h);
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
  if (half_explicit_ && half_explicit_->constrained()) {
    // The embedded velocities leave the constraints by O(h⁴), along the normal: that is no error of
    // the step.
    const Layout& layout = problem_.layout();
    next_ = to_.y;
    next_.segment(layout.nq, layout.nv) -= error_.segment(layout.nq, layout.nv);
    problem_.project(from_.t + h, next_);
    error_.segment(layout.nq, layout.nv) = (to_.y - next_).segment(layout.nq, layout.nv);
    half_explicit_->forgive_round_off(4, to_.y, error_);
    note_sine();
  }
  const bool weighed = !tableau_.error_3.empty();
  if (weighed) estimate(tableau_.error_3, error_3_);
  double norm = calc_norm(h);
  if (norm > 1 && project_error(problem_, from_.t + h, to_.y, norm, error_, stage_, next_)) {
    if (weighed) project_error(problem_, from_.t + h, to_.y, norm, error_3_, stage_, next_);
    note_sine();
    norm = calc_norm(h);
  }
  return norm;
}

// Hairer, Nørsett, Wanner I, (II.10.17): where there are two estimates, the one of fifth order is
// weighted by that of third order.
double RungeKutta::calc_norm(double h) {
  forgive_round_off(h, error_);
  if (!tableau_.error_3.empty()) forgive_round_off(h, error_3_);
  const double norm = error_norm(error_);
  if (tableau_.error_3.empty() || norm == 0) return norm;
  const double norm_3 = error_norm(error_3_);
  return norm * (norm / std::hypot(norm, 0.1 * norm_3));  // squares of tiny numbers would be 0
}

void RungeKutta::calc_dense(double s, double h, VecX& y) {
  y = from_.y;
  const size_t degree = static_cast<size_t>(tableau_.degree);
  for (size_t i = 0; i < k_.size(); ++i) {
    double d = 0;
    for (size_t p = degree; p-- > 0;) d = tableau_.dense[i * degree + p] + s * d;
    if (d == 0) continue;
    y += (h * s * d) * (i == 0 ? from_.ydot : k_[i]);
  }
}

// Half-explicit stages are off by O(h³) along the normal of the constraints, and so is what the
// interpolant makes of them. Rates at two of its points are good enough for Hermite's quintic: what
// the cubic misses is s²(1-s)² (odd + even (2s-1)), with slopes 5/27 odd - 55/648 even at s = 1/6,
// -5/27 odd - 55/648 even at s = 5/6.
void RungeKutta::calc_quintic(double h) {
  const VecX &f0 = from_.ydot, &f1 = to_.ydot;
  const auto missing = [&](double s, VecX& slope) {
    calc_dense(s, h, next_);
    evaluate(from_.t + s * h, next_, slope);
    slope = h * slope - 6 * s * (1 - s) * (to_.y - from_.y) - h * (1 - s) * (1 - 3 * s) * f0 -
            h * s * (3 * s - 2) * f1;
  };
  missing(1.0 / 6, stage_);
  missing(5.0 / 6, error_);
  odd_ = 27.0 / 10 * (stage_ - error_);
  even_ = -324.0 / 55 * (stage_ + error_);
  quintic_known_ = true;
}

void RungeKutta::interpolate(double t, VecX& y) {
  if (tableau_.dense.empty() || t == to_.t) return Rule::interpolate(t, y);
  const double h = to_.t - from_.t, s = (t - from_.t) / h;
  if (!extra_known_) {
    if (tableau_.first_same_as_last) k_[static_cast<size_t>(tableau_.stages - 1)] = ydot_at(to_);
    for (int i = 0; i < tableau_.extra; ++i) calc_stage(tableau_.stages + i, h);
    extra_known_ = true;
  }
  if (!half_explicit_ || !half_explicit_->constrained()) return calc_dense(s, h, y);
  if (!quintic_known_) calc_quintic(h);
  const double one = 1 - s;
  y = ((1 + 2 * s) * one * one) * from_.y + (s * s * (3 - 2 * s)) * to_.y +
      (h * s * one * one) * from_.ydot - (h * s * s * one) * to_.ydot +
      (s * s * one * one) * (odd_ + (2 * s - 1) * even_);
}

}  // namespace couplet::integrate
