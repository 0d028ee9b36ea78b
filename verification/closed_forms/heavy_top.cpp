#include "closed_forms/heavy_top.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace couplet::verification {

using math::Mat3;
using math::Vec3;

// With u = cos θ:  u̇² = f(u) = (1 - u²)(α - β u) - (b - a u)². [5-62]
HeavyTop::HeavyTop(const TopData& top, const Motion& at_0) : spin_(at_0.w_B.z()) {
  const Vec3 w = at_0.w_B, up_B = at_0.R_WB.row(2), axis_W = at_0.R_WB.col(2);
  const double u = up_B.z();
  a_ = top.axial * spin_ / top.transverse;
  b_ = w.head<2>().dot(up_B.head<2>()) + a_ * u;
  beta_ = 2 * top.weight_arm / top.transverse;
  const double alpha = w.head<2>().squaredNorm() + beta_ * u;

  // The three real roots of u³ + c2 u² + c1 u + c0 by Viète's formula, each polished by Newton's
  // method.
  const double c2 = -(alpha + a_ * a_) / beta_, c1 = (2 * a_ * b_ - beta_) / beta_,
               c0 = (alpha - b_ * b_) / beta_;
  const double q = std::sqrt(c2 * c2 - 3 * c1) / 3,
               r = (2 * c2 * c2 * c2 - 9 * c2 * c1 + 27 * c0) / 54;
  const double angle = std::acos(std::clamp(r / (q * q * q), -1.0, 1.0)) / 3;
  const auto root = [&](double turn) {
    double x = -2 * q * std::cos(angle + turn) - c2 / 3;
    for (int i = 0; i < 3; ++i) x -= (((x + c2) * x + c1) * x + c0) / ((3 * x + 2 * c2) * x + c1);
    return x;
  };
  constexpr double third = 2 * std::numbers::pi / 3;
  u1_ = root(0), u2_ = root(-third), u3_ = root(third);

  // u = u1 + (u2 - u1) sn²;  the phase by the double angle, sharp at the turning points too.
  k_ = {(u2_ - u1_) / (u3_ - u1_), (u3_ - u2_) / (u3_ - u1_)};
  rate_ = std::sqrt(beta_ * (u3_ - u1_)) / 2;
  const double udot = up_B.x() * w.y() - up_B.y() * w.x(), dn = std::sqrt((u3_ - u) / (u3_ - u1_));
  am0_ = std::atan2(udot / (rate_ * dn), (u2_ - u) - (u - u1_)) / 2;
  u0_ = calc_F(am0_, k_);
  // R_WB = Rz(φ) Rx(θ) Rz(ψ)
  phi0_ = std::atan2(axis_W.x(), -axis_W.y());
  psi0_ = std::atan2(up_B.x(), up_B.y());
}

double HeavyTop::height(double t) const {
  const double sn = calc_jacobi(u0_ + rate_ * t, k_).sn;
  return u1_ + (u2_ - u1_) * sn * sn;
}

// φ̇ = (b - a u)/(1 - u²) = A + B,  ψ̇ = w3 - u φ̇ = w3 - a - A + B,  A = ½(b - a)/(1 - u), B = ½(b +
// a)/(1 + u).
HeavyTop::Motion HeavyTop::at(double t) const {
  const Jacobi j = calc_jacobi(u0_ + rate_ * t, k_);
  const double u = u1_ + (u2_ - u1_) * j.sn * j.sn, sine = std::sqrt((1 - u) * (1 + u));
  const auto integral =
      [&](double distance) {  // ∫ dt / (distance of u from 1 or -1), given that of u1
        const double n = (u2_ - u1_) / distance;
        return (calc_Pi(n, j.am, k_) - calc_Pi(n, am0_, k_)) / (distance * rate_);
      };
  const double A = (b_ - a_) / 2 * integral(1 - u1_), B = -(b_ + a_) / 2 * integral(-1 - u1_);
  const double phi = phi0_ + A + B, psi = psi0_ + (spin_ - a_) * t - A + B;
  const double theta_rate = -2 * (u2_ - u1_) * j.sn * j.cn * j.dn * rate_ / sine,
               across = (b_ - a_ * u) / sine;
  Mat3 R_tilt;
  R_tilt << 1, 0, 0, 0, u, -sine, 0, sine, u;
  const double s = std::sin(psi), c = std::cos(psi);
  return {math::rotation(Vec3::UnitZ(), phi) * R_tilt * math::rotation(Vec3::UnitZ(), psi),
          {theta_rate * c + across * s, across * c - theta_rate * s, spin_}};
}

double HeavyTop::period() const { return 2 * calc_quarter_period(k_) / rate_; }

}  // namespace couplet::verification
