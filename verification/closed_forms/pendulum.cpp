#include "closed_forms/pendulum.hpp"

#include <cmath>
#include <numbers>

namespace couplet::verification {

constexpr double pi = std::numbers::pi;

// swings, κ < 1:     sin(θ/2) = κ sn(ωt + u0 | κ²),     θ̇ = 2ωκ cn
// goes round, κ > 1: θ/2 = am(κωt + u0 | 1/κ²),         θ̇ = 2ωκ dn
Pendulum::Pendulum(double omega, const Motion& at_0) : omega_(omega) {
  const double s = std::sin(at_0.theta / 2), c = std::cos(at_0.theta / 2),
               p = at_0.rate / (2 * omega);
  kappa_ = std::hypot(s, p);
  const double left = c * c - p * p;  // 1 - κ²
  swings_ = left > 0;
  sense_ = swings_ || p > 0 ? 1 : -1;
  if (swings_) {
    k_ = {kappa_ * kappa_, left};
    rate_ = omega;
    turns_ = 2 * pi * std::round(at_0.theta / (2 * pi));
    const double half = (at_0.theta - turns_) / 2;
    u0_ = calc_F(std::atan2(std::sin(half), p), k_);
  } else {
    k_ = {1 / (kappa_ * kappa_), -left / (kappa_ * kappa_)};
    rate_ = kappa_ * omega;
    u0_ = calc_F(sense_ * at_0.theta / 2, k_);
  }
}

Pendulum::Motion Pendulum::at(double t) const {
  const Jacobi j = calc_jacobi(u0_ + rate_ * t, k_);
  // cos(θ/2) = dn: the angle is well defined up to the upright position.
  if (swings_) return {turns_ + 2 * std::atan2(kappa_ * j.sn, j.dn), 2 * omega_ * kappa_ * j.cn};
  return {sense_ * 2 * j.am, sense_ * 2 * omega_ * kappa_ * j.dn};
}

double Pendulum::period() const { return (swings_ ? 4 : 2) * calc_quarter_period(k_) / rate_; }

}  // namespace couplet::verification
