#include "couplet/math/piecewise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "couplet/base/diagnostics.hpp"

namespace couplet::math {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Coefficients = PiecewisePolynomial::Coefficients;

// Hermite's cubic from (0, y0) with slope s0 to (h, y1) with slope s1.
Coefficients hermite(double h, double y0, double y1, double s0, double s1) {
  const double m = (y1 - y0) / h;
  return {y0, s0, (3 * m - 2 * s0 - s1) / h, (s0 + s1 - 2 * m) / (h * h)};
}

// The polynomial in the distance from a point d further on.
Coefficients moved(const Coefficients& c, double d) {
  return {c[0] + d * (c[1] + d * (c[2] + d * c[3])), c[1] + d * (2 * c[2] + d * 3 * c[3]),
          c[2] + d * 3 * c[3], c[3]};
}

Coefficients beyond(double value, double slope, Outside outside) {
  if (outside == Outside::refused) return {nan, nan, nan, nan};
  return {value, outside == Outside::held ? 0.0 : slope, 0, 0};
}

}  // namespace

PiecewisePolynomial PiecewisePolynomial::through(std::span<const double> x,
                                                 std::span<const double> y,
                                                 std::span<const double> slopes, Outside outside) {
  const size_t n = x.size();
  base::ensure(n >= 2 && y.size() == n && (slopes.empty() || slopes.size() == n),
               "a table has two points or more, and a value for each");
  PiecewisePolynomial p;
  p.breaks_.assign(x.begin(), x.end());
  p.pieces_.resize(n + 1);
  for (size_t i = 0; i + 1 < n; ++i) {
    const double h = x[i + 1] - x[i];
    base::ensure(h > 0, "the points of a table increase");
    p.pieces_[i + 1] = slopes.empty() ? Coefficients{y[i], (y[i + 1] - y[i]) / h, 0, 0}
                                      : hermite(h, y[i], y[i + 1], slopes[i], slopes[i + 1]);
  }
  const double last_slope = slopes.empty() ? p.pieces_[n - 1][1] : slopes[n - 1];
  p.pieces_.front() = beyond(y[0], p.pieces_[1][1], outside);
  p.pieces_.back() = beyond(y[n - 1], last_slope, outside);
  return p;
}

PiecewisePolynomial PiecewisePolynomial::periodic(std::span<const double> x,
                                                  std::span<const double> y,
                                                  std::span<const double> slopes) {
  PiecewisePolynomial p = through(x, y, slopes, Outside::held);
  p.period_ = x.back() - x.front();
  p.pieces_.front() = p.pieces_.back() = {};
  return p;
}

double PiecewisePolynomial::operator()(double x) const {
  if (std::isnan(x)) return nan;
  const double first = breaks_.front();
  if (period_ > 0)
    x = std::clamp(x - period_ * std::floor((x - first) / period_), first, breaks_.back());
  // Pieces are closed on the left; the last point belongs to the table, not to what is outside.
  const auto above =
      static_cast<size_t>(std::upper_bound(breaks_.begin(), breaks_.end(), x) - breaks_.begin());
  const size_t piece = x == breaks_.back() ? above - 1 : above;
  const Coefficients& c = pieces_[piece];
  const double d = x - breaks_[piece == 0 ? 0 : piece - 1];
  return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

PiecewisePolynomial PiecewisePolynomial::derivative() const {
  PiecewisePolynomial result = *this;
  for (Coefficients& c : result.pieces_) c = {c[1], 2 * c[2], 3 * c[3], std::isnan(c[0]) ? nan : 0};
  return result;
}

bool PiecewisePolynomial::is_zero() const {
  return std::ranges::all_of(pieces_, [](const Coefficients& c) { return c == Coefficients{}; });
}

// Jumps of coefficient k below this are round-off: of the values, over the shortest step to the k,
// or of the coefficient itself (slopes come from a linear system).
std::array<double, 4> PiecewisePolynomial::calc_round_off() const {
  constexpr double small = 1e-9;
  double h = breaks_.back() - breaks_.front();
  for (size_t i = 1; i < breaks_.size(); ++i) h = std::min(h, breaks_[i] - breaks_[i - 1]);
  std::array<double, 4> scale{};
  for (const Coefficients& c : pieces_)
    for (size_t k = 0; k < 4; ++k)
      if (std::isfinite(c[k])) scale[k] = std::max(scale[k], small * std::abs(c[k]));
  for (size_t k = 1; k < 4; ++k) scale[k] = std::max(scale[k], scale[k - 1] / h);
  return scale;
}

std::vector<Kink> PiecewisePolynomial::kinks() const {
  const std::array<double, 4> round_off = calc_round_off();
  const size_t n = breaks_.size();
  std::vector<Kink> found;
  for (size_t i = 0; i < n; ++i) {
    if (period_ > 0 && i + 1 == n) break;                  // the first break of the next turn
    const size_t end = period_ > 0 && i == 0 ? n - 1 : i;  // of the piece before
    const double length = end == 0 ? 0 : breaks_[end] - breaks_[end - 1];
    const Coefficients left = moved(pieces_[end], length), right = pieces_[i + 1];
    for (size_t k = 0; k < 4; ++k) {
      if (std::abs(right[k] - left[k]) <= round_off[k]) continue;
      found.push_back({breaks_[i], static_cast<int>(k)});  // also where NaN begins or ends
      break;
    }
  }
  return found;
}

double BilinearMap::operator()(double at_x, double at_y) const {
  // The cell, the place in it from 0 to 1, and the weights of its two sides, along one axis.
  struct Side {
    size_t cell;
    double low, high;
  };
  const auto side = [&](const std::vector<double>& points, double at, int order) -> Side {
    const long above = std::upper_bound(points.begin(), points.end(), at) - points.begin();
    const auto cell =
        static_cast<size_t>(std::clamp<long>(above - 1, 0, static_cast<long>(points.size()) - 2));
    const double h = points[cell + 1] - points[cell];
    const bool is_outside = at < points.front() || at > points.back();
    if (std::isnan(at) || (is_outside && outside == Outside::refused)) return {cell, nan, nan};
    const bool is_held = is_outside && outside == Outside::held;
    if (order == 1) return {cell, is_held ? 0.0 : -1 / h, is_held ? 0.0 : 1 / h};
    const double s =
        ((is_held ? std::clamp(at, points.front(), points.back()) : at) - points[cell]) / h;
    return {cell, 1 - s, s};
  };
  const Side a = side(x, at_x, x_order), b = side(y, at_y, y_order);
  const double* const z00 = z.data() + a.cell * y.size() + b.cell;
  const double* const z10 = z00 + y.size();
  return a.low * (b.low * z00[0] + b.high * z00[1]) + a.high * (b.low * z10[0] + b.high * z10[1]);
}

}  // namespace couplet::math
