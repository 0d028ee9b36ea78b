#include "closed_forms/free_body.hpp"

#include <cmath>

namespace couplet::verification {

using math::Mat3;
using math::Vec3;

// With c the axis that w circles around (c = 3 for L² > 2 E I2, else 1) and o the other extreme
// one:  [37.8-10]
//   w_o = A_o cn u,  w_2 = ± A_2 sn u,  w_c = ± A_c dn u
FreeBody::FreeBody(const Vec3& I, const Motion& at_0) : I_(I) {
  const Vec3 w = at_0.w_B;
  // L² - 2 E I_i without cancellation.
  const auto excess = [&](int i) {
    double sum = 0;
    for (int j = 0; j < 3; ++j) sum += I[j] * w[j] * w[j] * (I[j] - I[i]);
    return sum;
  };
  c_ = excess(1) > 0 ? 2 : 0;
  o_ = 2 - c_;
  const double Ic = I[c_], Io = I[o_], I2 = I[1], low = -excess(c_), high = excess(o_);
  A_o_ = std::sqrt(low / (Io * (Ic - Io)));
  A_2_ = std::sqrt(low / (I2 * (Ic - I2)));
  A_c_ = std::sqrt(high / (Ic * (Ic - Io)));
  rate_ = std::sqrt((Ic - I2) * high / (I[0] * I[1] * I[2]));
  k_ = {(I2 - Io) * low / ((Ic - I2) * high), (Ic - Io) * excess(1) / ((Ic - I2) * high)};
  sense_ = w[c_] < 0 ? -1 : 1;
  am0_ = std::atan2(sense_ * w[1] / A_2_, w[o_] / A_o_);
  u0_ = calc_F(am0_, k_);

  const Vec3 L_B = I.cwiseProduct(w);
  L_ = L_B.norm();
  two_E_ = w.dot(L_B);
  // L² - I_c² w_c² = D (1 - n sn²), where D = I_o² A_o² is its value at sn = 0.
  n_ = -Ic * Ic * A_c_ * A_c_ * k_.m / (Io * Io * A_o_ * A_o_);
  R_WL_ = at_0.R_WB * calc_axes(w).transpose();
}

// Rows, in body axes: x to where axis c leans from the angular momentum, z along the latter.
Mat3 FreeBody::calc_axes(const Vec3& w_B) const {
  const Vec3 z = I_.cwiseProduct(w_B).normalized(), y = z.cross(Vec3::Unit(c_)).normalized();
  Mat3 A;
  A << y.cross(z).transpose(), y.transpose(), z.transpose();
  return A;
}

// Axis c goes round L with φ̇ = L (2E - I_c w_c²) / (L² - I_c² w_c²) = (L/I_c) (1 + (2 E I_c - L²) /
// D (1 - n sn²)).
FreeBody::Motion FreeBody::at(double t) const {
  const Jacobi j = calc_jacobi(u0_ + rate_ * t, k_);
  Vec3 w;
  w[o_] = A_o_ * j.cn;
  w[1] = sense_ * A_2_ * j.sn;
  w[c_] = sense_ * A_c_ * j.dn;
  const double Ic = I_[c_], D = std::pow(I_[o_] * A_o_, 2),
               excess = I_[o_] * A_o_ * A_o_ * (Ic - I_[o_]);
  const double turned =
      L_ / Ic * (t + excess / (D * rate_) * (calc_Pi(n_, j.am, k_) - calc_Pi(n_, am0_, k_)));
  return {R_WL_ * math::rotation(Vec3::UnitZ(), turned) * calc_axes(w), w};
}

double FreeBody::period() const { return 4 * calc_quarter_period(k_) / rate_; }

}  // namespace couplet::verification
