#include "closed_forms/simple_motions.hpp"

#include <cmath>
#include <numbers>

namespace couplet::verification {

using math::Vec3;
using math::VecX;

Projectile::Motion Projectile::at(double t) const {
  const Vec3 I(transverse, transverse, axial), L_W = at_0.R_WB * I.cwiseProduct(at_0.w_B);
  const double own = (1 - axial / transverse) * at_0.w_B.z() * t;
  const math::Mat3 R_own = math::rotation(Vec3::UnitZ(), own);
  Motion m;
  m.p = at_0.p + t * at_0.v + t * t / 2 * g;
  m.v = at_0.v + t * g;
  m.R_WB = math::rotation(L_W.normalized(), L_W.norm() / transverse * t) * at_0.R_WB * R_own;
  m.w_B = R_own.transpose() * at_0.w_B;
  return m;
}

void Oscillators::at(double t, VecX& x, VecX& v) const {
  const Eigen::Index n = x0.size();
  const double step = std::numbers::pi / static_cast<double>(n + 1);
  x = v = VecX::Zero(n);
  for (Eigen::Index j = 1; j <= n; ++j) {
    VecX shape(n);
    for (Eigen::Index i = 1; i <= n; ++i)
      shape[i - 1] = std::sin(static_cast<double>(i * j) * step);
    shape.normalize();
    const double w = 2 * omega * std::sin(static_cast<double>(j) * step / 2);
    const double p = shape.dot(x0), s = shape.dot(v0);
    x += (p * std::cos(w * t) + s / w * std::sin(w * t)) * shape;
    v += (s * std::cos(w * t) - p * w * std::sin(w * t)) * shape;
  }
}

KeplerOrbit::Motion KeplerOrbit::at(double t) const {
  const double n = std::sqrt(mu / axis) / axis, M = n * t;
  double E = M + eccentricity * std::sin(M);
  for (int i = 0; i < 20; ++i)
    E -= (E - eccentricity * std::sin(E) - M) / (1 - eccentricity * std::cos(E));
  const double c = std::cos(E), s = std::sin(E),
               b = std::sqrt((1 - eccentricity) * (1 + eccentricity));
  const double rate = axis * n / (1 - eccentricity * c);
  return {{axis * (c - eccentricity), axis * b * s, 0}, {-rate * s, rate * b * c, 0}};
}

double KeplerOrbit::period() const { return 2 * std::numbers::pi * axis / std::sqrt(mu / axis); }

double BouncingBall::impact_time(int k) const {
  double sum = 1, power = 2;
  for (int i = 1; i <= k; ++i) sum += power *= restitution;
  return sum * std::sqrt(2 * height / g);
}
double BouncingBall::accumulation_time() const {
  return (1 + restitution) / (1 - restitution) * std::sqrt(2 * height / g);
}

}  // namespace couplet::verification
