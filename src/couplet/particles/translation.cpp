#include "couplet/particles/translation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace couplet::particles {
namespace {

void append(std::vector<double>& list, const Eigen::MatrixXd& matrix) {
  const std::vector<double> more = interleave(matrix);
  list.insert(list.end(), more.begin(), more.end());
}

double log_factorial(int n) { return std::lgamma(n + 1.0); }
/// log of √((n-m)! (n+m)!)
double log_scale(int n, int m) { return 0.5 * (log_factorial(n - m) + log_factorial(n + m)); }

Shift make_shift(int degree, const std::function<double(int n, int k, int m)>& entry) {
  Shift shift;
  for (int m = 0; m <= degree; ++m) {
    Eigen::MatrixXd T(degree + 1 - m, degree + 1 - m);
    for (int n = m; n <= degree; ++n)
      for (int k = m; k <= degree; ++k) T(n - m, k - m) = entry(n, k, m);
    append(shift.matrices, T);
  }
  return shift;
}

/// From degree k to n ≥ k of multipoles: R_{n-k,0}(r z) = r^{n-k}/(n-k)!, between numbers that are
/// scaled by 1/f.
double move(double r, int n, int k, int m) {
  if (k > n) return 0;
  return std::pow(r, n - k) * std::exp(log_scale(n, m) - log_scale(k, m) - log_factorial(n - k));
}

}  // namespace

std::vector<double> interleave(const Eigen::MatrixXd& matrix) {
  std::vector<double> list;
  for (Eigen::Index row = 0; row < matrix.rows(); row += rows_together)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      for (Eigen::Index i = row; i < std::min(row + rows_together, matrix.rows()); ++i)
        list.push_back(matrix(i, j));
  return list;
}

Turn make_turn(double cos_polar, int degree) {
  const double c = cos_polar, s = std::sqrt(std::max(0.0, 1 - c * c));
  Eigen::Matrix3d Q;  // takes (s, 0, c) to z
  Q << c, 0, -s, 0, 1, 0, s, 0, c;
  Turn turn;
  for (const Eigen::MatrixXd& R : calc_rotations(Q, degree)) {
    const Eigen::Index n = (R.rows() - 1) / 2;
    for (const auto& [first, count] : {std::pair{Eigen::Index{0}, n + 1}, {n + 1, n}}) {
      const Eigen::MatrixXd block = R.block(first, first, count, count);
      append(turn.there, block);
      append(turn.back, block.transpose());
    }
  }
  return turn;
}

Shift make_upward_shift(double r, int degree) {
  return make_shift(degree, [&](int n, int k, int m) { return std::ldexp(move(r, n, k, m), -k); });
}

Shift make_downward_shift(double r, int degree) {
  return make_shift(degree,
                    [&](int n, int k, int m) { return std::ldexp(move(r, k, n, m), -n - 1); });
}

Shift make_across_shift(int degree) {
  return make_shift(degree, [](int n, int k, int m) {
    return ((k + m) % 2 ? -1 : 1) *
           std::exp(log_factorial(n + k) - log_scale(n, m) - log_scale(k, m));
  });
}

Translation make_translation(const Eigen::Vector3d& d, int turn, bool across, int degree) {
  Translation t;
  t.turn = turn;
  const double azimuth = d.x() == 0 && d.y() == 0 ? 0 : std::atan2(d.y(), d.x());
  for (int m = 0; m <= degree; ++m) {
    t.cosines.push_back(std::cos(m * azimuth));
    t.sines.push_back(std::sin(m * azimuth));
  }
  if (!across) return t;
  for (int n = 0; n <= degree; ++n) {
    t.before.push_back(std::pow(d.norm(), -n));
    t.behind.push_back(std::pow(d.norm(), -n - 1));
  }
  return t;
}

}  // namespace couplet::particles
