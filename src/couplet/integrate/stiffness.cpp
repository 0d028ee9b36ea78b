#include "couplet/integrate/stiffness.hpp"

#include <cmath>

#include "couplet/base/diagnostics.hpp"

namespace couplet::integrate {

StiffnessWatch::StiffnessWatch(const Layout& layout, double reach)
    : reach_(reach),
      nominal_(layout.size()),
      direction_(VecX::Zero(layout.size())),
      before_(direction_),
      product_(direction_),
      y_(direction_),
      ydot_(direction_) {
  for (int i = 0; i < layout.size(); ++i) nominal_[i] = layout.nominal(i);
}

// J d, in nominal values.
void StiffnessWatch::apply_jacobian(Problem& problem, Rule& rule, const VecX& d, VecX& product) {
  constexpr double small = 1e-7;
  const VecX &y = rule.y(), &f = rule.ydot();
  const double step = small * (1 + y.cwiseQuotient(nominal_).norm());
  y_ = y + step * d.cwiseProduct(nominal_);
  problem.calc_qdot(rule.t(), y_, ydot_);
  problem.calc_rates(rule.t(), y_, ydot_);
  ++rule.counts().evaluations;
  product = (ydot_ - f).cwiseQuotient(nominal_) / step;
}

// A direction u, v = Ju and w = Jv, where one eigenvalue or a pair goes faster than the others,
// obey w + p v + q u = 0, and these are the roots of λ² + p λ + q.
StiffnessWatch::Fastest StiffnessWatch::find_fastest(Problem& problem, Rule& rule) {
  if (direction_.isZero(0)) direction_ = rule.ydot().cwiseQuotient(nominal_).normalized();
  if (direction_.isZero(0)) return {};
  apply_jacobian(problem, rule, direction_, product_);
  const double r = product_.norm();
  if (!(r > 0) || !std::isfinite(r)) return direction_.setZero(), Fastest{};
  before_ = direction_;
  direction_ = product_ / r;
  apply_jacobian(problem, rule, direction_, product_);
  const double c = before_.dot(direction_), uw = before_.dot(product_),
               vw = direction_.dot(product_), apart = 1 - c * c;
  if (!std::isfinite(uw + vw)) return direction_.setZero(), Fastest{};
  direction_.cwiseAbs().maxCoeff(&component_);
  if (apart < 1e-9) return {-vw, std::abs(vw)};  // one of them alone
  const double p = -(vw - c * uw) / apart, q = -r * (uw - c * vw) / apart, d = p * p / 4 - q;
  if (d < 0) return {p / 2, std::sqrt(q)};
  const double root = p > 0 ? -p / 2 - std::sqrt(d) : -p / 2 + std::sqrt(d);
  return {-root, std::abs(root)};
}

bool StiffnessWatch::look(Problem& problem, Rule& rule, For what, long every) {
  constexpr int enough = 15, forgotten = 6;
  constexpr double at_bound = 0.4, far_from_it = 0.2;  // of the reach
  constexpr double damped = 0.5;                       // an oscillation has to be followed
  if (rule.counts().steps % every != 0 && hits_ == 0) return false;
  Fastest fastest;
  try {
    fastest = find_fastest(problem, rule);
  } catch (const base::ComputationError&) {  // beside the motion there may be nothing
    direction_.setZero();
    return false;
  }
  const double share = (rule.t() - rule.t_from()) * fastest.radius / reach_;
  const bool seen = what == For::stiff ? share > at_bound && fastest.decay > damped * fastest.radius
                                       : share < far_from_it;
  if (!seen) {
    if (++misses_ == forgotten) reset();
    return false;
  }
  misses_ = 0;
  return ++hits_ >= enough;
}

void StiffnessWatch::archive(Archive& archive) {
  archive(direction_);
  archive(hits_);
  archive(misses_);
  archive(component_);
}

}  // namespace couplet::integrate
