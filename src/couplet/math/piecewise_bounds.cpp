#include "couplet/math/piecewise_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace couplet::math {
namespace {

using Range = PiecewiseBounds::Range;
using Coefficients = PiecewisePolynomial::Coefficients;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Range none{infinite, -infinite};

Range hull(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

/// Also at infinity, where 0·∞ = 0.
double value(const Coefficients& c, double d) {
  double sum = c[3];
  for (size_t k = 3; k-- > 0;) sum = (sum == 0 ? 0 : sum * d) + c[k];
  return sum;
}

}  // namespace

PiecewiseBounds::PiecewiseBounds(PiecewisePolynomial p) : p_(std::move(p)) {
  const size_t n = p_.pieces().size();
  tree_.assign(2 * n, none);
  const std::vector<double>& breaks = p_.breaks();
  for (size_t k = 1; k + 1 < n; ++k) tree_[n + k] = of_piece(k, breaks[k - 1], breaks[k]);
  for (size_t i = n; i-- > 1;) tree_[i] = hull(tree_[2 * i], tree_[2 * i + 1]);
}

size_t PiecewiseBounds::piece_of(double x) const {
  return static_cast<size_t>(std::ranges::upper_bound(p_.breaks(), x) - p_.breaks().begin());
}

Range PiecewiseBounds::of_piece(size_t piece, double a, double b) const {
  const Coefficients& c = p_.pieces()[piece];
  if (std::isnan(c[0])) return none;
  const double start = p_.breaks()[piece == 0 ? 0 : piece - 1], from = a - start, to = b - start;
  Range found = none;
  const auto note = [&](double d) {
    const double v = value(c, d);
    found = hull(found, {v, v});
  };
  note(from), note(to);
  // Where the slope c₁ + 2c₂d + 3c₃d² is zero.
  const double root = std::sqrt(std::max(c[2] * c[2] - 3 * c[3] * c[1], 0.0));
  const double sum = -(c[2] + std::copysign(root, c[2]));
  for (const double d : {sum / (3 * c[3]), c[1] / sum})
    if (d > from && d < to) note(d);
  return found;
}

Range PiecewiseBounds::of_pieces(size_t first, size_t last) const {
  Range found = none;
  for (size_t i = first + p_.pieces().size(), end = last + p_.pieces().size() + 1; i < end;
       i /= 2, end /= 2) {
    if (i % 2 == 1) found = hull(found, tree_[i++]);
    if (end % 2 == 1) found = hull(found, tree_[--end]);
  }
  return found;
}

Range PiecewiseBounds::range(double a, double b) const {
  const std::vector<double>& breaks = p_.breaks();
  const double period = p_.period();
  if (period == 0) return range(a, b, 0, breaks.size());
  if (!(b - a < period)) return of_pieces(1, breaks.size() - 1);
  const double turn = period * std::floor((a - breaks.front()) / period);
  const auto on_turn = [&](double from, double to) {
    return range(std::clamp(from, breaks.front(), breaks.back()),
                 std::clamp(to, breaks.front(), breaks.back()), 1, breaks.size() - 1);
  };
  const Range found = on_turn(a - turn, b - turn);
  return b - turn <= breaks.back() ? found
                                   : hull(found, on_turn(breaks.front(), b - turn - period));
}

Range PiecewiseBounds::range(double a, double b, size_t first, size_t last) const {
  const std::vector<double>& breaks = p_.breaks();
  if (std::isnan(p_.pieces().front()[0]))
    a = std::max(a, breaks.front()), b = std::min(b, breaks.back());
  constexpr Range nothing{std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::quiet_NaN()};
  if (!(a <= b)) return nothing;
  const size_t from = std::clamp(piece_of(a), first, last),
               to = std::clamp(piece_of(b), first, last);
  Range found = from == to ? of_piece(from, a, b)
                           : hull(of_piece(from, a, breaks[from]), of_piece(to, breaks[to - 1], b));
  if (to > from + 1) found = hull(found, of_pieces(from + 1, to - 1));
  return found.low <= found.high ? found : nothing;
}

}  // namespace couplet::math
