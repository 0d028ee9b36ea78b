#include "couplet/symbolic/table_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "couplet/base/diagnostics.hpp"

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

/// The piece of x, or the nearest one of the range.
double calc_on_range(const PiecewisePolynomial& p, const Knots& knots, double x, double number) {
  const std::vector<double>& breaks = p.breaks();
  const double shift = knots.turns(number) * knots.period;
  x -= shift;
  const bool refuses = std::isnan(p.pieces().front()[0]);
  if (refuses && (x < breaks.front() || x > breaks.back()))
    return std::numeric_limits<double>::quiet_NaN();
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
  const long above = std::upper_bound(breaks.begin(), breaks.end(), x) - breaks.begin();
  const auto piece = static_cast<size_t>(std::clamp(above, from, to));
  const PiecewisePolynomial::Coefficients& c = p.pieces()[piece];
  const double d = x - breaks[piece == 0 ? 0 : piece - 1];
  return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

/// Made when it is wanted first. It belongs to the table, and is not for people.
const ExternalFunction* function(const ExternalFunction& table, const std::string& name, int arity,
                                 const std::function<double(double, double)>& value,
                                 const std::function<Expr(const Expr&, const Expr&, int)>& slope) {
  const std::string full = table.name + "_" + name;
  if (!find_external(full)) try_add_external({full, arity, value, slope, {}, table.table});
  return find_external(full);
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
  return function(table, fmt::format("{}_{}", name, derivative), 2, value, slope);
}

}  // namespace

std::optional<TableRanges> find_ranges(const ExternalFunction& table, int k, int order) {
  base::ensure(table.table != nullptr, "only tables have ranges");
  const Knots knots = find_knots(*table.table, k, order);
  if (knots.at.empty()) return std::nullopt;
  const std::string name = fmt::format("argument{}_order{}", k, order);
  const auto* p = std::get_if<PiecewisePolynomial>(&table.table->data);
  return TableRanges{function(
                         table, name + "_number", 1,
                         [knots](double x, double) { return knots.number(x); }, no_slope),
                     function(
                         table, name + "_begin", 1,
                         [knots](double i, double) { return knots.begin(i); }, no_slope),
                     p ? on_range(table, name, *p, knots, 0) : nullptr};
}

}  // namespace couplet::symbolic
