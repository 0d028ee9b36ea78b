#include "problems/flexible_slider_crank.hpp"

#include <cmath>

namespace couplet::verification {
namespace {

using math::MatX;
using math::VecX;
using std::cos, std::sin;

constexpr double m2 = 0.151104, m3 = 0.075552, l1 = 0.15, l2 = 0.30, J1 = 0.002727,
                 J2 = 0.0045339259, omega = 150;
constexpr double E = 2e11, width = 0.008, height = 0.008, rho = 7870;
constexpr double pi =
    3.1415927;  // as in the published code, whose reference solution depends on it

integrate::Layout make_layout() {
  integrate::Layout layout;
  layout.nq = layout.nv = 7;
  // Elastic coordinates are measured by their own size.
  layout.components = {{"phi1", "rad", 1},    {"phi2", "rad", 1},       {"x3", "m", 0.1},
                       {"q1", "m", 1e-4},     {"q2", "m", 1e-5},        {"q3", "m", 1e-5},
                       {"q4", "m", 1e-5},     {"phi1.v", "rad/s", 100}, {"phi2.v", "rad/s", 100},
                       {"x3.v", "m/s", 10},   {"q1.v", "m/s", 0.1},     {"q2.v", "m/s", 1e-2},
                       {"q3.v", "m/s", 1e-2}, {"q4.v", "m/s", 1e-2}};
  return layout;
}

}  // namespace

FlexibleSliderCrank::FlexibleSliderCrank() : DenseSystem(make_layout(), 3, 3) {
  const double volume = width * height * l2, mass = rho * volume,
               stiffness = E * width * height / l2;
  const double bending = stiffness * std::pow(pi, 4) * std::pow(height / l2, 2),
               pi3 = std::pow(pi, 3);
  M_q_.setZero();
  M_q_.diagonal() << mass / 2, mass / 2, 8 * mass,
      2 * mass;  // longitudinal: 15 times the consistent block, as published
  M_q_(2, 3) = M_q_(3, 2) = mass;
  K_q_.setZero();
  K_q_.diagonal() << bending / 24, bending * 2 / 3, stiffness * 16 / 3, stiffness * 7 / 3;
  K_q_(2, 3) = K_q_(3, 2) = -stiffness * 8 / 3;
  B_.setZero();  // skew
  B_(0, 2) = -mass * 16 / pi3;
  B_(0, 3) = mass * (8 / pi3 - 1 / pi);
  B_(1, 3) = mass * 0.5 / pi;
  B_ -= Mat4(B_.transpose());
  c1_ = mass * Vec4(0, 0, 2.0 / 3, 1.0 / 6);
  c2_ = mass * Vec4(2 / pi, 0, 0, 0);
  c12_ = l2 * mass * Vec4(0, 0, 1.0 / 3, 1.0 / 6);
  c21_ = l2 * mass * Vec4(1 / pi, -0.5 / pi, 0, 0);
}

VecX FlexibleSliderCrank::start() {
  // The rod is along x. Its angular velocity and the slider's place are what the constraints say,
  // to more digits than are published (-0.749957670e2, 0.450016933): the difference would be a
  // vibration of the rod.
  const double q4 = 0.169327969e-4;
  VecX y(14);
  y << 0, 0, l1 + l2 + q4, 0, 0, 0.103339863e-4, q4, omega, -l1 * omega / (l2 + q4),
      -0.268938672e-5, 0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5;
  return y;
}

void FlexibleSliderCrank::calc_mass(const VecX& y, MatX& M) {
  const Vec4 q = y.segment<4>(3);
  const double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
  M(0, 0) = J1 + m2 * l1 * l1;
  M(0, 1) = l1 * (l2 * m2 * c / 2 + s * c2_.dot(q) + c * c1_.dot(q));
  M(1, 1) = J2 + q.dot(M_q_ * q) + 2 * c12_.dot(q);
  M(2, 2) = m3;
  M.block<1, 4>(0, 3) = l1 * (c * c2_ - s * c1_).transpose();
  M.block<1, 4>(1, 3) = c21_.transpose() + q.transpose() * B_;
  M.block<4, 4>(3, 3) = M_q_;
  M(1, 0) = M(0, 1);
  M.block<4, 2>(3, 0) = M.block<2, 4>(0, 3).transpose();
}

void FlexibleSliderCrank::calc_force(double, const VecX& y, VecX& f) {
  const Vec4 q = y.segment<4>(3), v = y.segment<4>(10);
  const double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]), v1 = y[7], v2 = y[8];
  f[0] = -l1 * l2 * m2 * v2 * v2 * s / 2 + l1 * v2 * v2 * (c * c2_.dot(q) - s * c1_.dot(q)) -
         2 * l1 * v2 * (c * c1_.dot(v) + s * c2_.dot(v));
  f[1] = l1 * l2 * m2 * v1 * v1 * s / 2 + l1 * v1 * v1 * (s * c1_.dot(q) - c * c2_.dot(q)) -
         2 * v2 * c12_.dot(v) - 2 * v2 * v.dot(M_q_ * q) - v.dot(B_ * v);
  f[2] = 0;
  f.segment<4>(3) = v2 * v2 * (M_q_ * q + c12_) + l1 * v1 * v1 * (c * c1_ + s * c2_) +
                    2 * v2 * (B_ * v) - K_q_ * q;
}

// The end of the rod is on the slider, which moves along x; the crank turns as it is told.
void FlexibleSliderCrank::calc_positions(double t, const VecX& y, VecX& g) {
  const double rod = l2 + y[6];
  g[0] = l1 * sin(y[0]) + rod * sin(y[1]);
  g[1] = y[2] - l1 * cos(y[0]) - rod * cos(y[1]);
  g[2] = y[0] - omega * t;
}

void FlexibleSliderCrank::calc_velocities(double, const VecX& y, MatX& G, VecX& known) {
  const double rod = l2 + y[6];
  G.row(0) << l1 * cos(y[0]), rod * cos(y[1]), 0, 0, 0, 0, sin(y[1]);
  G.row(1) << l1 * sin(y[0]), rod * sin(y[1]), 1, 0, 0, 0, -cos(y[1]);
  G(2, 0) = 1;
  known[2] = -omega;
}

void FlexibleSliderCrank::calc_bias(double, const VecX& y, VecX& bias) {
  const double rod = l2 + y[6], v1 = y[7], v2 = y[8], stretching = 2 * v2 * y[13];
  bias[0] = -l1 * sin(y[0]) * v1 * v1 - rod * sin(y[1]) * v2 * v2 + stretching * cos(y[1]);
  bias[1] = l1 * cos(y[0]) * v1 * v1 + rod * cos(y[1]) * v2 * v2 + stretching * sin(y[1]);
  bias[2] = 0;
}

}  // namespace couplet::verification
