#include "closed_forms/elliptic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace couplet::verification {
namespace {

constexpr double pi = std::numbers::pi, epsilon = std::numeric_limits<double>::epsilon();

// Carlson's symmetric integrals by duplication: B. C. Carlson, Numer. Algorithms 10 (1995), 13-26.
// R_F = ½ ∫ dt / √((t+x)(t+y)(t+z)).
double carlson_F(double x, double y, double z) {
  const double A0 = (x + y + z) / 3;
  double A = A0, Q = std::max({std::abs(A0 - x), std::abs(A0 - y), std::abs(A0 - z)}) /
                     std::pow(3 * epsilon, 1.0 / 6);
  const double X0 = A0 - x, Y0 = A0 - y;
  double scale = 1;
  while (scale * Q > std::abs(A)) {
    const double rx = std::sqrt(x), ry = std::sqrt(y), rz = std::sqrt(z),
                 lambda = rx * ry + rx * rz + ry * rz;
    x = (x + lambda) / 4, y = (y + lambda) / 4, z = (z + lambda) / 4, A = (A + lambda) / 4;
    scale /= 4;
  }
  const double X = X0 * scale / A, Y = Y0 * scale / A, Z = -X - Y, e2 = X * Y - Z * Z,
               e3 = X * Y * Z;
  return (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44) / std::sqrt(A);
}

// R_C(1, 1 + e) = ∫ of R_F with two equal arguments: atan √e / √e, or its hyperbolic twin.
double carlson_C1(double e) {
  if (std::abs(e) < 1e-3)
    return 1 - e / 3 * (1 - 3 * e / 5 * (1 - 5 * e / 7 * (1 - 7 * e / 9 * (1 - 9 * e / 11))));
  return e > 0 ? std::atan(std::sqrt(e)) / std::sqrt(e) : std::atanh(std::sqrt(-e)) / std::sqrt(-e);
}

// R_J = 3/2 ∫ dt / ((t+p) √((t+x)(t+y)(t+z))), p > 0.
double carlson_J(double x, double y, double z, double p) {
  const double A0 = (x + y + z + 2 * p) / 5, delta = (p - x) * (p - y) * (p - z);
  const double X0 = A0 - x, Y0 = A0 - y, Z0 = A0 - z;
  double A = A0, scale = 1, sum = 0;
  const double Q = std::max({std::abs(X0), std::abs(Y0), std::abs(Z0), std::abs(A0 - p)}) /
                   std::pow(epsilon / 4, 1.0 / 6);
  while (scale * Q > std::abs(A)) {
    const double rx = std::sqrt(x), ry = std::sqrt(y), rz = std::sqrt(z), rp = std::sqrt(p);
    const double lambda = rx * ry + rx * rz + ry * rz, d = (rp + rx) * (rp + ry) * (rp + rz);
    sum += 6 * scale / d * carlson_C1(scale * scale * scale * delta / (d * d));
    x = (x + lambda) / 4, y = (y + lambda) / 4, z = (z + lambda) / 4, p = (p + lambda) / 4,
    A = (A + lambda) / 4;
    scale /= 4;
  }
  const double X = X0 * scale / A, Y = Y0 * scale / A, Z = Z0 * scale / A, P = -(X + Y + Z) / 2;
  const double e2 = X * Y + X * Z + Y * Z - 3 * P * P, e3 = X * Y * Z + 2 * e2 * P + 4 * P * P * P,
               e4 = (2 * X * Y * Z + e2 * P + 3 * P * P * P) * P, e5 = X * Y * Z * P * P;
  const double series =
      1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26;
  return scale * series / (A * std::sqrt(A)) + sum;
}

// Both integrals for |φ| ≤ π/2, by s = sin φ and c² = cos² φ; 1 - m s² = m1 + m c² without
// cancellation.
double integral(double n, double s, double c2, Modulus k) {
  const double d2 = k.m1 + k.m * c2;
  double value = s * carlson_F(c2, d2, 1);
  if (n != 0) value += n / 3 * s * s * s * carlson_J(c2, d2, 1, 1 - n * s * s);
  return value;
}

// The integrands have the period π: whole ones are counted.
double integral_of_any(double n, double phi, Modulus k) {
  const double turns = std::round(phi / pi), rest = phi - turns * pi, c = std::cos(rest);
  const double part = integral(n, std::sin(rest), c * c, k);
  return turns == 0 ? part : part + 2 * turns * integral(n, 1, 0, k);
}

}  // namespace

Jacobi calc_jacobi(double u, Modulus k) {
  std::array<double, 20> a{1}, c{std::sqrt(k.m)};
  double b = std::sqrt(k.m1);
  size_t n = 0;
  for (; c[n] > epsilon * a[n] / 4 && n + 1 < a.size(); ++n) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
  }
  double phi = std::ldexp(a[n] * u, static_cast<int>(n));
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  const double cn = std::cos(phi);
  return {std::sin(phi), cn, std::sqrt(k.m1 + k.m * cn * cn), phi};
}

double calc_quarter_period(Modulus k) { return integral(0, 1, 0, k); }
double calc_F(double phi, Modulus k) { return integral_of_any(0, phi, k); }
double calc_Pi(double n, double phi, Modulus k) { return integral_of_any(n, phi, k); }

}  // namespace couplet::verification
