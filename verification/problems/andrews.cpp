#include "problems/andrews.hpp"

#include <cmath>

namespace couplet::verification {
namespace {

using math::MatX;
using math::VecX;
using std::cos, std::sin;

// SI units; bodies are numbered as in the handbook.
constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706,
                 m7 = 0.05498;
constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                 i6 = 5.667e-7, i7 = 1.912e-5;
constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092,
                 ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                 tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                 fa = 0.01421;
constexpr double c0 = 4530, l0 = 0.07785, torque = 0.033;

constexpr double square(double x) { return x * x; }

integrate::Layout make_layout() {
  integrate::Layout layout;
  layout.nq = layout.nv = 7;
  const char* names[] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
  for (const char* name : names) layout.components.push_back({name, "rad", 1});
  for (const char* name : names)
    layout.components.push_back({std::string(name) + ".v", "rad/s", 1});
  return layout;
}

}  // namespace

Andrews::Andrews() : DenseSystem(make_layout(), 6, 6) {}

VecX Andrews::start() {
  VecX y = VecX::Zero(14);
  y.head(7) << -0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
      0.487364979543842550, -0.222668390165885885, 1.23054744454982119;
  return y;
}

void Andrews::calc_mass(const VecX& y, MatX& M) {
  const double Theta = y[1], Phi = y[3], Omega = y[5], e4 = e - ea, z6 = zf - fa;
  M(0, 0) = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(Theta) + da * da) + i1 + i2;
  M(0, 1) = M(1, 0) = m2 * (da * da - da * rr * cos(Theta)) + i2;
  M(1, 1) = m2 * da * da + i2;
  M(2, 2) = m3 * (sa * sa + sb * sb) + i3;
  M(3, 3) = m4 * e4 * e4 + i4;
  M(3, 4) = M(4, 3) = m4 * (e4 * e4 + zt * e4 * sin(Phi)) + i4;
  M(4, 4) = m4 * (zt * zt + 2 * zt * e4 * sin(Phi) + e4 * e4) + m5 * (ta * ta + tb * tb) + i4 + i5;
  M(5, 5) = m6 * z6 * z6 + i6;
  M(5, 6) = M(6, 5) = m6 * (z6 * z6 - u * z6 * sin(Omega)) + i6;
  M(6, 6) = m6 * (z6 * z6 - 2 * u * z6 * sin(Omega) + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
}

void Andrews::calc_force(double, const VecX& y, VecX& f) {
  const double Theta = y[1], gamma = y[2], Phi = y[3], Omega = y[5], e4 = e - ea, z6 = zf - fa;
  const double vb = y[7], vT = y[8], vP = y[10], vd = y[11], vO = y[12], ve = y[13];
  // The spring from C to D, which is fixed to body 3.
  const double xd = sd * cos(gamma) + sc * sin(gamma) + xb,
               yd = sd * sin(gamma) - sc * cos(gamma) + yb;
  const double length = std::hypot(xd - xc, yd - yc), pull = -c0 * (length - l0) / length;
  const double fx = pull * (xd - xc), fy = pull * (yd - yc);
  f[0] = torque - m2 * da * rr * vT * (vT + 2 * vb) * sin(Theta);
  f[1] = m2 * da * rr * vb * vb * sin(Theta);
  f[2] = fx * (sc * cos(gamma) - sd * sin(gamma)) + fy * (sd * cos(gamma) + sc * sin(gamma));
  f[3] = m4 * zt * e4 * vd * vd * cos(Phi);
  f[4] = -m4 * zt * e4 * vP * (vP + 2 * vd) * cos(Phi);
  f[5] = -m6 * u * z6 * ve * ve * cos(Omega);
  f[6] = m6 * u * z6 * vO * (vO + 2 * ve) * cos(Omega);
}

// E as the end of body 2, minus E as the end of bodies 3, 4 and 6.
void Andrews::calc_positions(double, const VecX& y, VecX& g) {
  const double beta = y[0], bT = y[0] + y[1], gamma = y[2], delta = y[4], Pd = y[3] + y[4],
               epsilon = y[6], Oe = y[5] + y[6];
  const double x = rr * cos(beta) - d * cos(bT), z = rr * sin(beta) - d * sin(bT);
  g[0] = x - ss * sin(gamma) - xb;
  g[1] = z + ss * cos(gamma) - yb;
  g[2] = x - e * sin(Pd) - zt * cos(delta) - xa;
  g[3] = z + e * cos(Pd) - zt * sin(delta) - ya;
  g[4] = x - zf * cos(Oe) - u * sin(epsilon) - xa;
  g[5] = z - zf * sin(Oe) + u * cos(epsilon) - ya;
}

void Andrews::calc_velocities(double, const VecX& y, MatX& G, VecX&) {
  const double beta = y[0], bT = y[0] + y[1], gamma = y[2], delta = y[4], Pd = y[3] + y[4],
               epsilon = y[6], Oe = y[5] + y[6];
  for (int i = 0; i < 6; i += 2) {
    G(i, 0) = -rr * sin(beta) + d * sin(bT);
    G(i, 1) = d * sin(bT);
    G(i + 1, 0) = rr * cos(beta) - d * cos(bT);
    G(i + 1, 1) = -d * cos(bT);
  }
  G(0, 2) = -ss * cos(gamma);
  G(1, 2) = -ss * sin(gamma);
  G(2, 3) = -e * cos(Pd);
  G(2, 4) = -e * cos(Pd) + zt * sin(delta);
  G(3, 3) = -e * sin(Pd);
  G(3, 4) = -e * sin(Pd) - zt * cos(delta);
  G(4, 5) = zf * sin(Oe);
  G(4, 6) = zf * sin(Oe) - u * cos(epsilon);
  G(5, 5) = -zf * cos(Oe);
  G(5, 6) = -zf * cos(Oe) - u * sin(epsilon);
}

void Andrews::calc_bias(double, const VecX& y, VecX& bias) {
  const double beta = y[0], bT = y[0] + y[1], gamma = y[2], delta = y[4], Pd = y[3] + y[4],
               epsilon = y[6], Oe = y[5] + y[6];
  const double b2 = square(y[7]), bT2 = square(y[7] + y[8]), g2 = square(y[9]), d2 = square(y[11]),
               Pd2 = square(y[10] + y[11]), e2 = square(y[13]), Oe2 = square(y[12] + y[13]);
  const double x = -rr * b2 * cos(beta) + d * bT2 * cos(bT),
               z = -rr * b2 * sin(beta) + d * bT2 * sin(bT);
  bias[0] = x + ss * g2 * sin(gamma);
  bias[1] = z - ss * g2 * cos(gamma);
  bias[2] = x + e * Pd2 * sin(Pd) + zt * d2 * cos(delta);
  bias[3] = z - e * Pd2 * cos(Pd) + zt * d2 * sin(delta);
  bias[4] = x + zf * Oe2 * cos(Oe) + u * e2 * sin(epsilon);
  bias[5] = z + zf * Oe2 * sin(Oe) - u * e2 * cos(epsilon);
}

}  // namespace couplet::verification
