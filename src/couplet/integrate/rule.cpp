#include "couplet/integrate/rule.hpp"

#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/branch.hpp"
#include "couplet/integrate/rules/round_off.hpp"

namespace couplet::integrate {

Rule::Rule(Problem& problem, const Tolerance& tolerance)
    : problem_(problem), tolerance_(tolerance) {
  const Layout& layout = problem.layout();
  const int n = layout.size();
  nominal_.resize(n);
  for (int i = 0; i < n; ++i) nominal_[i] = layout.nominal(i);
  for (Point* point : {&from_, &to_}) {
    point->y = VecX::Zero(n);
    point->ydot = VecX::Zero(n);
  }
  quartic_ = VecX::Zero(n);
  inner_ydot_ = between_ = VecX::Zero(n);
}

void Rule::start(double t, const VecX& y, double /*h*/) {
  from_.t = t;
  from_.y = y;
  from_.ydot_known = from_.loose = false;
  accepted_ = false;
}

void Rule::evaluate(double t, const VecX& y, VecX& ydot) {
  problem_.calc_qdot(t, y, ydot);
  problem_.calc_rates(t, y, ydot);
  ++counts_.evaluations;
  note_sine(t);
}

const VecX& Rule::ydot_at(Point& point) {
  if (point.ydot_known) return point.ydot;
  evaluate(point.t, settled(point).y, point.ydot);
  point.sine = problem_.sine();
  point.ydot_known = true;
  return point.ydot;
}

const VecX& Rule::ydot() { return ydot_at(here()); }

void Rule::begin_attempt(Needs needs) {
  if (accepted_) {
    std::swap(from_, to_);
    accepted_ = false;
  }
  if (needs == Needs::rates) ydot_at(from_);
  sine_ = from_.ydot_known ? from_.sine : 1;
  leap_.begin();
  if (sine_ < 1) leap_.note(from_.t, sine_);
  forgiven_ = false;
  to_.ydot_known = false;
  quartic_known_ = false;
}

// The step once more, only so far; what the dense output says where that does not succeed.
void Rule::shorten(double t) {
  interpolate(t, between_);
  bool finite = false;
  try {
    finite = attempt(t - from_.t).finite;
  } catch (const base::ComputationError&) {
  }
  if (!finite) set_end(t, between_);
}

void Rule::end_between(double t) {
  interpolate(t, between_);
  set_end(t, between_);
}

void Rule::set_end(double t, const VecX& y) {
  to_.t = t;
  to_.y = y;
  to_.ydot_known = false;
  to_.loose = true;
}

bool Rule::end_attempt(double h, Projection projection) {
  to_.t = from_.t + h;
  if (!to_.y.allFinite()) {
    worst_ = 0;
    while (std::isfinite(to_.y[worst_])) ++worst_;
    return false;
  }
  to_.loose = true;
  if (projection == Projection::now) {
    predicted_ = to_.y;
    settled(to_);
    note_sine(to_.t);
    check_branch(problem_, tolerance_, to_.t, from_.y, predicted_, to_.y);
  }
  return true;
}

void Rule::note_sine(double t) {
  const double sine = problem_.sine();
  if (sine == 1) return;
  leap_.note(t, sine);
  sine_ = std::min(sine_, sine);
}

bool Rule::is_blurred(double sine, double h) const {
  if (sine == 1 || !tolerance_.given()) return false;
  const Layout& layout = problem_.layout();
  const auto v = from_.y.segment(layout.nq, layout.nv);
  return NearSingular(sine, h, v).of_speeds() >
         tolerance_.absolute + tolerance_.relative * v.lpNorm<Eigen::Infinity>();
}

double Rule::find_clear_length(double h) {
  return is_blurred(sine_, h) ? leap_.find_length(from_.t, h) : 0;
}

void Rule::forgive_round_off(double h, VecX& error) {
  if (sine_ == 1 || error_norm(error) <= 1) return;
  forgiven_ = true;
  const Layout& layout = problem_.layout();
  const NearSingular noise(sine_, h, from_.y.segment(layout.nq, layout.nv));
  for (int i = 0; i < layout.nq + layout.nv; ++i) {
    const double most = i < layout.nq ? noise.of_positions() : noise.of_speeds();
    error[i] = std::copysign(std::max(std::abs(error[i]) - most, 0.0), error[i]);
  }
}

double Rule::error_norm(const VecX& error) {
  double largest = 0;
  for (int i = 0; i < error.size(); ++i) {
    const double size = std::max(std::abs(from_.y[i]), std::abs(to_.y[i]));
    const double ratio =
        std::abs(error[i]) / (tolerance_.absolute * nominal_[i] + tolerance_.relative * size);
    if (ratio > largest) largest = ratio, worst_ = i;
    if (std::isnan(ratio)) return worst_ = i, ratio;
  }
  return largest;
}

// Hermite's cubic H through both ends misses c s²(1-s)², s = (t - t0)/h. The derivative of that at
// s = ¼ is 3c/16, so an evaluation there, at the cubic's value, gives c to O(h⁵).
void Rule::interpolate(double t, VecX& y) {
  const double h = to_.t - from_.t, s = (t - from_.t) / h;
  if (t == to_.t || h == 0) {
    y = to_.y;
    return;
  }
  const VecX &f0 = ydot_at(from_), &f1 = ydot_at(to_);
  if (!quartic_known_) {
    quartic_ = (27 * from_.y + 5 * to_.y) / 32 + h / 64 * (9 * f0 - 3 * f1);  // H(¼)
    evaluate(from_.t + h / 4, quartic_, inner_ydot_);
    quartic_ = 16.0 / 3 * h * inner_ydot_ - 6 * (to_.y - from_.y) - h * f0 + 5.0 / 3 * h * f1;
    quartic_known_ = true;
  }
  const double one = 1 - s, bump = s * s * one * one;
  y = ((1 + 2 * s) * one * one) * from_.y + (s * s * (3 - 2 * s)) * to_.y +
      (h * s * one * one) * f0 - (h * s * s * one) * f1 + bump * quartic_;
}

void Rule::find_between(double t, VecX& y) {
  interpolate(t, y);
  predicted_ = y;
  try {
    problem_.project(t, y);
    if (find_jump(problem_, tolerance_, from_.y, predicted_, y) >= 0) y = predicted_;
  } catch (const base::ComputationError&) {
    y = predicted_;
  }
}

void Rule::archive(Archive& archive) {
  Point& point = settled(here());
  archive(point.t);
  archive(point.y);
  archive(point.ydot);
  archive(point.ydot_known);
  archive(point.sine);
  archive(counts_.evaluations);
  archive(counts_.steps);
  archive(counts_.rejections);
  archive(counts_.events);
  archive(counts_.residuals);
  archive(counts_.jacobians);
  archive(counts_.factorizations);
}

}  // namespace couplet::integrate
