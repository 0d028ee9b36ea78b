#include "couplet/particles/harmonics.hpp"

#include <cmath>
#include <cstdlib>

namespace couplet::particles {
namespace {

// J. Ivanic, K. Ruedenberg, J. Phys. Chem. 100 (1996) 6342, with the corrections of 102 (1998)
// 9099: the matrix of degree n from those of degrees 1 and n - 1. Orders are -n … n; negative ones
// are sines.
class Recursion {
 public:
  Recursion(const Eigen::MatrixXd& first, const Eigen::MatrixXd& before, int n)
      : first_(first), before_(before), n_(n) {}

  double entry(int a, int b) const {
    const double d = std::abs(b) < n_ ? (n_ + b) * (n_ - b) : 2 * n_ * (2 * n_ - 1);
    const int k = std::abs(a);
    const double u = std::sqrt((n_ + a) * (n_ - a) / d),
                 v = 0.5 * std::sqrt((a == 0 ? 2 : 1) * (n_ + k - 1) * (n_ + k) / d) *
                     (a == 0 ? -1 : 1),
                 w = a == 0 ? 0 : -0.5 * std::sqrt((n_ - k - 1) * (n_ - k) / d);
    return (u == 0 ? 0 : u * p(0, a, b)) + (v == 0 ? 0 : v * V(a, b)) + (w == 0 ? 0 : w * W(a, b));
  }

 private:
  double p(int i, int a, int b) const {
    const auto r = [&](int row, int column) { return first_(row + 1, column + 1); };
    const auto R = [&](int row, int column) { return before_(row + n_ - 1, column + n_ - 1); };
    if (b == -n_) return r(i, 1) * R(a, 1 - n_) + r(i, -1) * R(a, n_ - 1);
    if (b == n_) return r(i, 1) * R(a, n_ - 1) - r(i, -1) * R(a, 1 - n_);
    return r(i, 0) * R(a, b);
  }
  double V(int a, int b) const {
    if (a == 0) return p(1, 1, b) + p(-1, -1, b);
    if (a == 1) return std::sqrt(2.0) * p(1, 0, b);
    if (a == -1) return std::sqrt(2.0) * p(-1, 0, b);
    return a > 0 ? p(1, a - 1, b) - p(-1, 1 - a, b) : p(1, a + 1, b) + p(-1, -a - 1, b);
  }
  double W(int a, int b) const {
    return a > 0 ? p(1, a + 1, b) + p(-1, -a - 1, b) : p(1, a - 1, b) - p(-1, 1 - a, b);
  }

  const Eigen::MatrixXd &first_, &before_;
  int n_;
};

}  // namespace

std::vector<double> calc_scales(int degree) {
  std::vector<double> f(static_cast<size_t>(size_of(degree)));
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m) {
      const double log = 0.5 * (std::lgamma(n - m + 1) + std::lgamma(n + m + 1));
      f[static_cast<size_t>(cosine(n, m))] = std::exp(-log) / (m > 0 ? std::sqrt(2.0) : 1);
      if (m > 0) f[static_cast<size_t>(sine(n, m))] = f[static_cast<size_t>(cosine(n, m))];
    }
  return f;
}

std::vector<Eigen::MatrixXd> calc_rotations(const Eigen::Matrix3d& Q, int degree) {
  // Degree 1 is (y, z, x).
  Eigen::MatrixXd first(3, 3);
  constexpr int axis[] = {1, 2, 0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) first(i, j) = Q(axis[i], axis[j]);

  std::vector<Eigen::MatrixXd> ordered{Eigen::MatrixXd::Ones(1, 1)};
  for (int n = 1; n <= degree; ++n) {
    if (n == 1) {
      ordered.push_back(first);
      continue;
    }
    const Recursion recursion(first, ordered.back(), n);
    Eigen::MatrixXd next(2 * n + 1, 2 * n + 1);
    for (int a = -n; a <= n; ++a)
      for (int b = -n; b <= n; ++b) next(a + n, b + n) = recursion.entry(a, b);
    ordered.push_back(next);
  }
  std::vector<Eigen::MatrixXd> rotations;
  for (int n = 0; n <= degree; ++n) {
    const auto place = [n](int m) { return m >= 0 ? m : n - m; };  // cosines, then sines
    Eigen::MatrixXd R(2 * n + 1, 2 * n + 1);
    for (int a = -n; a <= n; ++a)
      for (int b = -n; b <= n; ++b)
        R(place(a), place(b)) = ordered[static_cast<size_t>(n)](a + n, b + n);
    rotations.push_back(R);
  }
  return rotations;
}

}  // namespace couplet::particles
