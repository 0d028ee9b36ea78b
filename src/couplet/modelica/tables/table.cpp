#include "couplet/modelica/tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "couplet/base/diagnostics.hpp"
#include "couplet/math/slopes.hpp"

namespace couplet::modelica::tables {
namespace {

std::vector<double> column_of(const Matrix& m, size_t column, size_t first_row) {
  std::vector<double> values;
  for (size_t r = first_row; r < m.rows; ++r) values.push_back(m(r, column));
  return values;
}

// Checks before the axis is read from the matrix.
std::vector<double> abscissas(const Matrix& m) {
  if (m.rows < 1 || m.columns < 2)
    throw base::UserError({}, fmt::format("the table is {} by {}", m.rows, m.columns),
                          "a table has at least one row and two columns");
  return column_of(m, 0, 0);
}

Axis::Repeats allowed(Axis::Repeats wanted, Smoothness s) {  // a smooth curve cannot jump
  const bool jumps = s == Smoothness::linear || s == Smoothness::constant;
  return jumps ? wanted : Axis::Repeats::refused;
}

double dot(const std::array<double, 4>& k, const std::array<double, 4>& y) {
  return k[0] * y[0] + k[1] * y[1] + k[2] * y[2] + k[3] * y[3];
}

}  // namespace

Table1D::Table1D(const Matrix& table, const std::vector<int>& columns, Smoothness smoothness,
                 Extrapolation extrapolation, Axis::Repeats repeats)
    : axis_(abscissas(table), allowed(repeats, smoothness), "the first column of the table"),
      smoothness_(smoothness),
      extrapolation_(extrapolation) {
  for (const int column : columns) {
    if (column < 1 || static_cast<size_t>(column) > table.columns)
      throw base::UserError(
          {}, fmt::format("there is no column {} in a table of {}", column, table.columns));
    Curve curve{column_of(table, static_cast<size_t>(column) - 1, 0), {}};
    curve.slopes = node_slopes(axis_.points(), curve.values, smoothness);
    functions_.push_back(std::move(curve));
  }
}

Sample Table1D::at(double u, int function, bool before) const {
  if (function < 1 || function > count())
    throw base::ComputationError(fmt::format("the table has no function {}", function));
  const Curve& c = functions_[static_cast<size_t>(function) - 1];
  const Weights w = axis_.at(u, smoothness_, extrapolation_, before);
  const std::array<double, 4> y = {c.values[w.first], c.values[w.second], c.slopes[w.first],
                                   c.slopes[w.second]};
  return {dot(w.value, y), dot(w.slope, y), dot(w.curvature, y)};
}

// ---- two dimensions -----------------------------------------------------------------------------

namespace {

const Matrix& checked_2d(const Matrix& m, Smoothness s) {
  if (m.rows < 2 || m.columns < 2)
    throw base::UserError({}, fmt::format("the table is {} by {}", m.rows, m.columns),
                          "a table in two dimensions has at least two rows and two columns");
  if (s > Smoothness::constant)
    throw base::UserError({}, "monotone interpolation is not defined in two dimensions",
                          "choose linear or constant segments, or a continuous derivative");
  return m;
}

std::vector<double> row_of(const Matrix& m) {
  return {m.values.begin() + 1, m.values.begin() + static_cast<long>(m.columns)};
}

}  // namespace

Table2D::Table2D(const Matrix& table, Smoothness smoothness, Extrapolation extrapolation)
    : axis1_(column_of(checked_2d(table, smoothness), 0, 1), Axis::Repeats::refused,
             "the first column of the table"),
      axis2_(row_of(table), Axis::Repeats::refused, "the first row of the table"),
      smoothness_(smoothness),
      extrapolation_(extrapolation) {
  for (size_t r = 1; r < table.rows; ++r)
    for (size_t c = 1; c < table.columns; ++c) z_.push_back(table(r, c));
  z1_ = z2_ = z12_ = std::vector<double>(z_.size(), 0.0);
  if (smoothness == Smoothness::continuous_derivative) set_slopes();
}

// Slopes along both axes by Akima's rule, and the cross derivative by the weights of both: the
// weighted mean of the four mixed differences around a point.
void Table2D::set_slopes() {
  const std::vector<double>&x = axis1_.points(), &y = axis2_.points();
  const size_t rows = x.size(), columns = y.size();
  constexpr Smoothness akima = Smoothness::continuous_derivative;
  std::vector<math::SideWeights> w1(z_.size());
  for (size_t c = 0; c < columns; ++c) {
    std::vector<double> line(rows);
    for (size_t r = 0; r < rows; ++r) line[r] = z_[r * columns + c];
    const std::vector<double> slopes = node_slopes(x, line, akima);
    const std::vector<math::SideWeights> weights = math::calc_akima_weights(x, line);
    for (size_t r = 0; r < rows; ++r) {
      z1_[r * columns + c] = slopes[r];
      w1[r * columns + c] = weights[r];
    }
  }
  // Differences along y of each row, continued beyond the ends as Akima continues them.
  std::vector<std::vector<double>> before(rows), after(rows);
  std::vector<math::SideWeights> w2(z_.size());
  for (size_t r = 0; r < rows; ++r) {
    const std::vector<double> line(z_.begin() + static_cast<long>(r * columns),
                                   z_.begin() + static_cast<long>((r + 1) * columns));
    const std::vector<double> slopes = node_slopes(y, line, akima);
    const std::vector<math::SideWeights> weights = math::calc_akima_weights(y, line);
    std::vector<double> m(columns + 1, 0.0);
    for (size_t c = 1; c < columns; ++c) m[c] = (line[c] - line[c - 1]) / (y[c] - y[c - 1]);
    if (columns > 1) {
      m[0] = columns > 2 ? 2 * m[1] - m[2] : m[1];
      m[columns] = columns > 2 ? 2 * m[columns - 1] - m[columns - 2] : m[columns - 1];
    }
    before[r].assign(m.begin(), m.end() - 1);
    after[r].assign(m.begin() + 1, m.end());
    for (size_t c = 0; c < columns; ++c) {
      z2_[r * columns + c] = slopes[c];
      w2[r * columns + c] = weights[c];
    }
  }
  if (rows < 2) return;
  // The same along x of those differences: before and after row r.
  const auto along = [&](const std::vector<std::vector<double>>& m, size_t r, size_t c) {
    return (m[r + 1][c] - m[r][c]) / (x[r + 1] - x[r]);
  };
  const auto mixed = [&](const std::vector<std::vector<double>>& m, size_t r, size_t c,
                         bool behind) {
    if (behind && r + 1 < rows) return along(m, r, c);
    if (!behind && r > 0) return along(m, r - 1, c);
    if (rows == 2) return along(m, 0, c);
    return behind ? 2 * along(m, r - 1, c) - along(m, r - 2, c)
                  : 2 * along(m, 0, c) - along(m, 1, c);
  };
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) {
      const size_t k = r * columns + c;
      z12_[k] = w1[k].before * (w2[k].before * mixed(before, r, c, false) +
                                w2[k].after * mixed(after, r, c, false)) +
                w1[k].after * (w2[k].before * mixed(before, r, c, true) +
                               w2[k].after * mixed(after, r, c, true));
    }
}

Sample2D Table2D::at(double u1, double u2) const {
  // Beyond the table steps become planes in both directions.
  const bool leaves = !axis1_.contains(u1) || !axis2_.contains(u2);
  const bool planes = smoothness_ == Smoothness::constant && leaves &&
                      extrapolation_ == Extrapolation::last_two_points;
  const Smoothness s = planes ? Smoothness::linear : smoothness_;
  const Weights a = axis1_.at(u1, s, extrapolation_), b = axis2_.at(u2, s, extrapolation_);
  const size_t n = axis2_.points().size();
  // Rows: y and s of both points of axis 1; each is a function of u₂ given by b.
  std::array<double, 4> value, slope, curvature;
  for (size_t k = 0; k < 4; ++k) {
    const size_t row = (k % 2 == 0 ? a.first : a.second) * n;
    const std::vector<double>&f = k < 2 ? z_ : z1_, &fy = k < 2 ? z2_ : z12_;
    const std::array<double, 4> y = {f[row + b.first], f[row + b.second], fy[row + b.first],
                                     fy[row + b.second]};
    value[k] = dot(b.value, y);
    slope[k] = dot(b.slope, y);
    curvature[k] = dot(b.curvature, y);
  }
  return {dot(a.value, value),     dot(a.slope, value), dot(a.value, slope),
          dot(a.curvature, value), dot(a.slope, slope), dot(a.value, curvature)};
}

// ---- time ---------------------------------------------------------------------------------------

TimeTable::TimeTable(const Matrix& table, const std::vector<int>& columns, Smoothness smoothness,
                     Extrapolation extrapolation, Options options)
    : table_(table, columns, smoothness, extrapolation, Axis::Repeats::allowed), options_(options) {
  const std::vector<double>& t = table_.axis().points();
  if (extrapolation == Extrapolation::periodic && t.size() > 1 && !(t.back() > t.front()))
    throw base::UserError({}, "the table has no positive period",
                          "its last time must be after its first");
  if (options_.events == TimeEvents::none || t.size() < 2) return;
  for (size_t i = 0; i < t.size(); ++i) {
    const bool repeated = (i > 0 && t[i] == t[i - 1]) || (i + 1 < t.size() && t[i] == t[i + 1]);
    bool jumps = repeated || smoothness == Smoothness::constant;
    const bool is_end = i == 0 || i + 1 == t.size();
    if (is_end && extrapolation == Extrapolation::periodic)  // one period may not meet the next
      for (int f = 1; f <= table_.count(); ++f)
        jumps = jumps || table_.at(t.front(), f).value != table_.at(t.back(), f, true).value;
    if (options_.events == TimeEvents::always || jumps)
      if (events_.empty() || events_.back() != t[i]) events_.push_back(t[i]);
  }
}

Sample TimeTable::at(double t, int function, bool before_event) const {
  if (t < options_.start_time || (before_event && t == options_.start_time)) return {};
  double u = t - options_.shift_time;
  const Axis& axis = table_.axis();
  if (table_.extrapolation() == Extrapolation::periodic && axis.points().size() > 1) {
    u = axis.wrap(u);  // [lowest, highest): right of a jump between periods
    if (before_event && u == axis.lowest() && t - options_.shift_time > axis.lowest())
      u = axis.highest();
  }
  return table_.at(u, function, before_event);
}

double TimeTable::next_event(double t) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (t < options_.start_time) return options_.start_time;
  if (events_.empty()) return never;
  const double u = t - options_.shift_time;
  const Axis& axis = table_.axis();
  double turn = 0;
  if (table_.extrapolation() == Extrapolation::periodic) turn = u - axis.wrap(u);
  const auto after = std::upper_bound(events_.begin(), events_.end(), u - turn);
  if (after != events_.end()) return *after + turn + options_.shift_time;
  if (table_.extrapolation() != Extrapolation::periodic) return never;
  return events_.front() + turn + (axis.highest() - axis.lowest()) + options_.shift_time;
}

}  // namespace couplet::modelica::tables
