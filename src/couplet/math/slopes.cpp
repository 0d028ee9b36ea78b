#include "couplet/math/slopes.hpp"

#include <algorithm>
#include <cmath>

#include "couplet/base/diagnostics.hpp"

namespace couplet::math {
namespace {

using Numbers = std::vector<double>;
using View = std::span<const double>;

Numbers calc_differences(View x, View y) {  // divided ones
  Numbers m(x.size() - 1);
  for (size_t i = 0; i < m.size(); ++i) m[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
  return m;
}

Numbers calc_steps(View x) {
  Numbers h(x.size() - 1);
  for (size_t i = 0; i < h.size(); ++i) h[i] = x[i + 1] - x[i];
  return h;
}

// Divided differences with two more on both sides, which continue a parabola: Akima's end rule.
Numbers extended_differences(View x, View y) {
  const size_t n = x.size() - 1;
  Numbers m(n + 4);
  for (size_t i = 0; i < n; ++i) m[i + 2] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
  m[1] = n > 1 ? 2 * m[2] - m[3] : m[2];
  m[0] = 2 * m[1] - m[2];
  m[n + 2] = n > 1 ? 2 * m[n + 1] - m[n] : m[n + 1];
  m[n + 3] = 2 * m[n + 2] - m[n + 1];
  return m;
}

double monotone_slope(double h0, double h1, double m0, double m1, SlopeRule rule) {
  if (m0 * m1 <= 0) return 0;
  if (rule == SlopeRule::fritsch_butland)
    return 3 * (h0 + h1) / ((h0 + 2 * h1) / m0 + (h1 + 2 * h0) / m1);
  const double parabola = (m0 * h1 + m1 * h0) / (h0 + h1);
  const double bound = 2 * std::min(std::abs(m0), std::abs(m1));
  return std::clamp(parabola, -bound, bound);
}

/// Rows below·s₋ + middle·s + above·s₊ = right, solved without pivoting (Thomas).
struct Tridiagonal {
  explicit Tridiagonal(size_t n) : below(n), middle(n), above(n), right(n) {}

  Numbers solve() const {
    Numbers pivot = middle, s = right;
    const size_t n = s.size();
    for (size_t i = 1; i < n; ++i) {
      const double factor = below[i] / pivot[i - 1];
      pivot[i] -= factor * above[i - 1];
      s[i] -= factor * s[i - 1];
    }
    s[n - 1] /= pivot[n - 1];
    for (size_t i = n - 1; i-- > 0;) s[i] = (s[i] - above[i] * s[i + 1]) / pivot[i];
    return s;
  }

  /// The second derivative does not jump at a point with h0, m0 before and h1, m1 after it.
  void set_smooth(size_t i, double h0, double h1, double m0, double m1) {
    below[i] = h1;
    middle[i] = 2 * (h0 + h1);
    above[i] = h0;
    right[i] = 3 * (h1 * m0 + h0 * m1);
  }

  Numbers below, middle, above, right;
};

// de Boor, A Practical Guide to Splines, chapter IV: at the second point from each end even the
// third derivative does not jump.
Numbers spline_slopes(View x, View y) {
  const size_t n = x.size();
  const Numbers h = calc_steps(x), m = calc_differences(x, y);
  if (n == 2) return {m[0], m[0]};
  Tridiagonal rows(n);
  for (size_t i = 1; i + 1 < n; ++i) rows.set_smooth(i, h[i - 1], h[i], m[i - 1], m[i]);
  if (n == 3) {  // one parabola
    rows.middle[0] = rows.above[0] = rows.below[2] = rows.middle[2] = 1;
    rows.right[0] = 2 * m[0];
    rows.right[2] = 2 * m[1];
    return rows.solve();
  }
  const auto end = [](double h0, double h1, double m0, double m1) {
    const double d = h0 + h1;
    return ((h0 + 2 * d) * h1 * m0 + h0 * h0 * m1) / d;
  };
  rows.middle[0] = h[1];
  rows.above[0] = h[0] + h[1];
  rows.right[0] = end(h[0], h[1], m[0], m[1]);
  rows.middle[n - 1] = h[n - 3];
  rows.below[n - 1] = h[n - 2] + h[n - 3];
  rows.right[n - 1] = end(h[n - 2], h[n - 3], m[n - 2], m[n - 3]);
  return rows.solve();
}

// The rows close to a circle; two corners are taken out and put back (Sherman and Morrison 1950).
Numbers periodic_spline_slopes(View x, View y) {
  const size_t n = x.size() - 1;  // different points
  const Numbers h = calc_steps(x), m = calc_differences(x, y);
  if (n == 1) return {0, 0};
  if (n == 2) {
    const double s = (m[0] / h[0] + m[1] / h[1]) / (1 / h[0] + 1 / h[1]);
    return {s, s, s};
  }
  Tridiagonal rows(n);
  for (size_t i = 0; i < n; ++i) {
    const size_t before = i == 0 ? n - 1 : i - 1;
    rows.set_smooth(i, h[before], h[i], m[before], m[i]);
  }
  const double corner = rows.below[0], other = rows.above[n - 1], shift = -rows.middle[0];
  rows.middle[0] -= shift;
  rows.middle[n - 1] -= corner * other / shift;
  Tridiagonal update = rows;
  std::ranges::fill(update.right, 0.0);
  update.right[0] = shift;
  update.right[n - 1] = other;
  Numbers s = rows.solve();
  const Numbers z = update.solve();
  const double share = (s[0] + corner * s[n - 1] / shift) / (1 + z[0] + corner * z[n - 1] / shift);
  for (size_t i = 0; i < n; ++i) s[i] -= share * z[i];
  s.push_back(s[0]);
  return s;
}

}  // namespace

std::vector<SideWeights> calc_akima_weights(View x, View y, bool is_modified) {
  std::vector<SideWeights> weights(x.size(), {0.5, 0.5});
  if (x.size() < 2) return weights;
  const Numbers m = extended_differences(x, y);
  for (size_t i = 0; i < x.size(); ++i) {  // m[i + 1] before point i, m[i + 2] after it
    double before = std::abs(m[i + 3] - m[i + 2]), after = std::abs(m[i + 1] - m[i]);
    if (is_modified) {
      before += std::abs(m[i + 3] + m[i + 2]) / 2;
      after += std::abs(m[i + 1] + m[i]) / 2;
    }
    if (before + after > 0) weights[i] = {before / (before + after), after / (before + after)};
  }
  return weights;
}

Numbers calc_slopes(View x, View y, SlopeRule rule) {
  const size_t n = x.size();
  base::ensure(n >= 2 && y.size() == n, "slopes need two points or more, and a value for each");
  if (rule == SlopeRule::spline) return spline_slopes(x, y);
  const Numbers m = extended_differences(x, y);
  Numbers s(n, 0.0);
  if (rule == SlopeRule::fritsch_butland || rule == SlopeRule::steffen) {
    s.front() = m[2];
    s.back() = m[n];
    for (size_t i = 1; i + 1 < n; ++i)
      s[i] = monotone_slope(x[i] - x[i - 1], x[i + 1] - x[i], m[i + 1], m[i + 2], rule);
    return s;
  }
  const std::vector<SideWeights> weights =
      calc_akima_weights(x, y, rule == SlopeRule::modified_akima);
  for (size_t i = 0; i < n; ++i) s[i] = weights[i].before * m[i + 1] + weights[i].after * m[i + 2];
  return s;
}

Numbers calc_periodic_slopes(View x, View y, SlopeRule rule) {
  if (rule == SlopeRule::spline) return periodic_spline_slopes(x, y);
  // The other rules look at most three points far: some of the turn before and of the one after.
  const long n = static_cast<long>(x.size()) - 1, more = 3;
  const double period = x.back() - x.front();
  Numbers longer_x, longer_y;
  for (long i = -more; i <= n + more; ++i) {
    const long turn = i >= 0 ? i / n : -((-i + n - 1) / n);
    const auto point = static_cast<size_t>(i - turn * n);
    longer_x.push_back(x[point] + static_cast<double>(turn) * period);
    longer_y.push_back(y[point]);
  }
  const Numbers s = calc_slopes(longer_x, longer_y, rule);
  Numbers slopes(s.begin() + more, s.begin() + more + n + 1);
  slopes.back() = slopes.front();
  return slopes;
}

}  // namespace couplet::math
