#include "couplet/symbolic/table_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "couplet/base/diagnostics.hpp"
#include "couplet/math/piecewise_bounds.hpp"

namespace couplet::symbolic {
namespace {

using math::PiecewisePolynomial;

/// Where ranges meet. Range i is before at[i]; of a periodic table it begins there, and those of
/// the next turn follow.
struct Knots {
  std::vector<double> at;
  double period = 0;

  double turns(double number) const {
    return period > 0 ? std::floor(number / static_cast<double>(at.size())) : 0;
  }
  /// Where range `number` begins.
  double begin(double number) const {
    constexpr double far_away = 1e300;
    const auto n = static_cast<double>(at.size());
    if (period > 0)
      return at[static_cast<size_t>(number - turns(number) * n)] + turns(number) * period;
    return number < 1 ? -far_away : number > n ? far_away : at[static_cast<size_t>(number) - 1];
  }
  double number(double x) const {
    if (std::isnan(x)) return x;
    const double turn = period > 0 ? std::floor((x - at.front()) / period) : 0;
    const auto above = std::upper_bound(at.begin(), at.end(), x - turn * period) - at.begin();
    if (period == 0) return static_cast<double>(above);
    return turn * static_cast<double>(at.size()) + std::max(static_cast<double>(above) - 1, 0.0);
  }
};

// A value that jumps is the end of a table that refuses what is outside: that stays so. A turn ends
// at a knot, whether there is a kink or not.
Knots find_knots(const Table& table, int k, int order) {
  const TableCall call{{}, std::make_shared<const Table>(table)};
  Knots knots{{}, call.period()};
  for (const math::Kink& kink : call.kinks(k))
    if (kink.order > 0 && kink.order <= order) knots.at.push_back(kink.at);
  if (knots.period > 0 && !knots.at.empty()) {
    const double first = std::get<PiecewisePolynomial>(table.data).breaks().front();
    if (knots.at.front() != first) knots.at.insert(knots.at.begin(), first);
  }
  return knots;
}

/// The pieces of a range, those outside among them.
struct Pieces {
  size_t first, last;
  double shift;  // of the turn
};

Pieces find_pieces(const PiecewisePolynomial& p, const Knots& knots, double number) {
  const std::vector<double>& breaks = p.breaks();
  const double shift = knots.turns(number) * knots.period;
  const bool refuses = std::isnan(p.pieces().front()[0]);
  const auto index = [&](double at) -> long {  // of the piece that ends there
    return std::lower_bound(breaks.begin(), breaks.end(), at - 1e-9 * knots.period) -
           breaks.begin();
  };
  // Pieces 0 and `beyond` are outside; of a periodic table begin and end are breaks, up to
  // round-off.
  const bool has_outside = knots.period == 0 && !refuses;
  const long beyond = static_cast<long>(breaks.size());
  const double begin = knots.begin(number) - shift, end = knots.begin(number + 1) - shift;
  const long from = begin < breaks.front() && has_outside ? 0 : index(begin) + 1,
             to = end > breaks.back() && has_outside ? beyond : std::min(index(end), beyond - 1);
  return {static_cast<size_t>(from), static_cast<size_t>(to), shift};
}

/// The piece of x, or the nearest one of the range.
double calc_on_range(const PiecewisePolynomial& p, const Knots& knots, double x, double number) {
  const std::vector<double>& breaks = p.breaks();
  const auto [from, to, shift] = find_pieces(p, knots, number);
  x -= shift;
  const bool refuses = std::isnan(p.pieces().front()[0]);
  if (refuses && (x < breaks.front() || x > breaks.back()))
    return std::numeric_limits<double>::quiet_NaN();
  const auto above =
      static_cast<size_t>(std::upper_bound(breaks.begin(), breaks.end(), x) - breaks.begin());
  const size_t piece = std::clamp(above, from, to);
  const PiecewisePolynomial::Coefficients& c = p.pieces()[piece];
  const double d = x - breaks[piece == 0 ? 0 : piece - 1];
  return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

/// Made when it is wanted first. It belongs to the table, and is not for people.
const ExternalFunction* function(const ExternalFunction& table, ExternalFunction made) {
  const std::string name = table.name + "_" + made.name;
  made.name = name;
  made.table = table.table;
  if (!find_external(name)) try_add_external(std::move(made));
  return find_external(name);
}

Expr no_slope(const Expr&, const Expr&, int) { return 0; }

/// The derivative of this order.
const ExternalFunction* on_range(const ExternalFunction& table, const std::string& name,
                                 const PiecewisePolynomial& p, const Knots& knots, int derivative) {
  const auto value = [p, knots](double x, double number) {
    return calc_on_range(p, knots, x, number);
  };
  const auto slope = [&table, name, p, knots, derivative](const Expr& x, const Expr& number,
                                                          int k) -> Expr {
    const PiecewisePolynomial next = p.derivative();
    if (k == 1 || next.is_zero()) return 0;
    return call(*on_range(table, name, next, knots, derivative + 1), x, number);
  };
  const auto bounds = [all = math::PiecewiseBounds(p), p, knots](Interval x, double number) {
    const auto [first, last, shift] = find_pieces(p, knots, number);
    const auto [low, high] = all.range(x.low - shift, x.high - shift, first, last);
    return Interval{low, high};
  };
  bool is_in_pieces = false;
  for (size_t i = 0; i <= knots.at.size(); ++i) {
    const Pieces pieces = find_pieces(p, knots, static_cast<double>(i));
    is_in_pieces = is_in_pieces || pieces.last > pieces.first;
  }
  return function(table, {.name = fmt::format("{}_{}", name, derivative),
                          .arity = 2,
                          .value = value,
                          .partial = slope,
                          .bounds = bounds,
                          .is_in_pieces = is_in_pieces});
}

// ---- Maps.

/// Along one axis of a range, at a distance d from its origin: the weights of the two sides of a
/// cell are at_origin + d slope.
struct Side {
  size_t cell;
  double origin;
  std::array<double, 2> at_origin, slope;
};

Side find_side(const std::vector<double>& points, double number, math::Outside outside, int order) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(points.size());
  const auto cell = static_cast<size_t>(std::clamp(number - 1, 0.0, n - 2));
  const double h = points[cell + 1] - points[cell];
  const std::array<double, 2> difference{-1 / h, 1 / h}, zero{0, 0}, unknown{nan, nan};
  const bool is_before = number < 1, is_behind = number >= n, is_outside = is_before || is_behind;
  if (is_outside && outside == math::Outside::refused) return {cell, 0, unknown, unknown};
  const bool is_held = is_outside && outside == math::Outside::held;
  if (order == 1) return {cell, points[cell], is_held ? zero : difference, zero};
  if (!is_held) return {cell, points[cell], {1, 0}, difference};
  return {cell, points[cell], {is_before ? 1.0 : 0.0, is_before ? 0.0 : 1.0}, zero};
}

}  // namespace

Expr call_on_cell(const ExternalFunction& map, const Expr& x, const Expr& y, const Expr& x_number,
                  const Expr& y_number) {
  const auto data =
      std::make_shared<const math::BilinearMap>(std::get<math::BilinearMap>(map.table->data));
  const auto side = [data](int axis, double number) {
    return axis == 0 ? find_side(data->x, number, data->outside, data->x_order)
                     : find_side(data->y, number, data->outside, data->y_order);
  };
  const auto distance = [&](int axis, const Expr& at, const Expr& number) {
    const auto origin = [side, axis](double i, double) { return side(axis, i).origin; };
    const ExternalFunction* made = function(
        map, {.name = fmt::format("origin{}", axis), .value = origin, .partial = no_slope});
    return at - call(*made, number);
  };
  const Expr dx = distance(0, x, x_number), dy = distance(1, y, y_number);
  Expr sum = 0;
  for (const auto& [i, j] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}}) {
    const auto coefficient = [data, side, i, j](double at_x, double at_y) {
      const Side a = side(0, at_x), b = side(1, at_y);
      const std::array<double, 2>&u = i == 0 ? a.at_origin : a.slope,
                               &v = j == 0 ? b.at_origin : b.slope;
      const double* const low = data->z.data() + a.cell * data->y.size() + b.cell;
      const double* const high = low + data->y.size();
      return u[0] * (v[0] * low[0] + v[1] * low[1]) + u[1] * (v[0] * high[0] + v[1] * high[1]);
    };
    const ExternalFunction* made = function(map, {.name = fmt::format("cell{}{}", i, j),
                                                  .arity = 2,
                                                  .value = coefficient,
                                                  .partial = no_slope});
    sum = sum + call(*made, x_number, y_number) * (i == 0 ? Expr(1) : dx) * (j == 0 ? Expr(1) : dy);
  }
  return sum;
}

std::optional<TableRanges> find_ranges(const ExternalFunction& table, int k, int order) {
  base::ensure(table.table != nullptr, "only tables have ranges");
  const Knots knots = find_knots(*table.table, k, order);
  if (knots.at.empty()) return std::nullopt;
  const std::string name = fmt::format("argument{}_order{}", k, order);
  const auto* p = std::get_if<PiecewisePolynomial>(&table.table->data);
  const auto number = [knots](double x, double) { return knots.number(x); };
  const auto numbers = [knots](Interval x, double) {
    return Interval{knots.number(x.low), knots.number(x.high)};
  };
  const auto begin = [knots](double i, double) { return knots.begin(i); };
  return TableRanges{
      function(table, {.name = name + "_number",
                       .value = number,
                       .partial = no_slope,
                       .bounds = numbers,
                       .is_in_pieces = true}),
      function(table, {.name = name + "_begin", .value = begin, .partial = no_slope}),
      p ? on_range(table, name, *p, knots, 0) : nullptr};
}

}  // namespace couplet::symbolic
