#include "couplet/modelica/tables/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/math/slopes.hpp"

namespace couplet::modelica::tables {
namespace {

bool is_cubic(Smoothness s) { return s != Smoothness::linear && s != Smoothness::constant; }

math::SlopeRule rule_of(Smoothness s) {
  switch (s) {
    case Smoothness::monotone1:
      return math::SlopeRule::fritsch_butland;
    case Smoothness::monotone2:
      return math::SlopeRule::steffen;
    case Smoothness::modified:
      return math::SlopeRule::modified_akima;
    default:
      return math::SlopeRule::akima;
  }
}

// Hermite's cubic on an interval of length h, d from its start.
void set_cubic(Weights& w, double d, double h) {
  const double t = d / h;
  w.value = {1 + t * t * (2 * t - 3), t * t * (3 - 2 * t), h * t * (1 + t * (t - 2)),
             h * t * t * (t - 1)};
  w.slope = {6 * t * (t - 1) / h, 6 * t * (1 - t) / h, 1 + t * (3 * t - 4), t * (3 * t - 2)};
  w.curvature = {(12 * t - 6) / (h * h), (6 - 12 * t) / (h * h), (6 * t - 4) / h, (6 * t - 2) / h};
}

}  // namespace

Axis::Axis(std::vector<double> points, Repeats repeats, const std::string& what)
    : points_(std::move(points)), what_(what) {
  if (points_.empty()) throw base::UserError({}, what + " has no points", "give at least one row");
  for (size_t i = 0; i < points_.size(); ++i)
    if (!std::isfinite(points_[i]))
      throw base::UserError({}, fmt::format("point {} of {} is not a number", i + 1, what));
  for (size_t i = 1; i < points_.size(); ++i) {
    const bool fine =
        repeats == Repeats::allowed ? points_[i] >= points_[i - 1] : points_[i] > points_[i - 1];
    if (!fine)
      throw base::UserError({},
                            fmt::format("{} does not increase: point {} is {} and point {} is {}",
                                        what, i, points_[i - 1], i + 1, points_[i]),
                            "sort the table");
  }
}

double Axis::wrap(double u) const {
  const double period = highest() - lowest();
  if (!(period > 0)) return lowest();
  const double turns = std::floor((u - lowest()) / period);
  return std::clamp(u - turns * period, lowest(), highest());
}

size_t Axis::find(double u, bool before) const {
  const auto place = before ? std::lower_bound(points_.begin(), points_.end(), u)
                            : std::upper_bound(points_.begin(), points_.end(), u);
  const long index = place - points_.begin() - 1;
  return static_cast<size_t>(std::clamp<long>(index, 0, static_cast<long>(points_.size()) - 2));
}

Weights Axis::inside(double u, Smoothness smoothness, bool before) const {
  Weights w;
  if (points_.size() == 1) {
    w.value = {1, 0, 0, 0};
    return w;
  }
  w.first = find(u, before);
  w.second = w.first + 1;
  const double h = points_[w.second] - points_[w.first], d = u - points_[w.first];
  if (h == 0 || smoothness == Smoothness::constant) {
    const bool reached = before ? d > h : d >= h;  // the end of the axis belongs to the last point
    w.value = {reached ? 0.0 : 1.0, reached ? 1.0 : 0.0, 0, 0};
  } else if (is_cubic(smoothness)) {
    set_cubic(w, d, h);
  } else {
    w.value = {1 - d / h, d / h, 0, 0};
    w.slope = {-1 / h, 1 / h, 0, 0};
  }
  return w;
}

Weights Axis::beyond(double u, double end, Smoothness smoothness,
                     Extrapolation extrapolation) const {
  // Steps are continued by the line through the last two points, as the library's manual says.
  const bool steps = smoothness == Smoothness::constant;
  // Below a jump at the first point its value from the left is held.
  const bool before = extrapolation == Extrapolation::hold && u < end;
  Weights w = inside(end, steps ? Smoothness::linear : smoothness, before);
  w.curvature = {};
  if (extrapolation == Extrapolation::hold)
    w.slope = {};
  else
    for (size_t k = 0; k < 4; ++k) w.value[k] += w.slope[k] * (u - end);
  return w;
}

Weights Axis::at(double u, Smoothness smoothness, Extrapolation extrapolation, bool before) const {
  if (contains(u) || std::isnan(u) || points_.size() == 1) return inside(u, smoothness, before);
  if (extrapolation == Extrapolation::none)
    throw base::ComputationError(
        fmt::format("{} is outside of {}, which goes from {} to {}, and the table is not to be "
                    "extrapolated",
                    u, what_, lowest(), highest()));
  if (extrapolation == Extrapolation::periodic) return inside(wrap(u), smoothness, before);
  return beyond(u, u < lowest() ? lowest() : highest(), smoothness, extrapolation);
}

std::vector<double> node_slopes(const std::vector<double>& u, const std::vector<double>& y,
                                Smoothness smoothness) {
  if (!is_cubic(smoothness) || u.size() < 2) return std::vector<double>(u.size(), 0.0);
  return math::calc_slopes(u, y, rule_of(smoothness));
}

}  // namespace couplet::modelica::tables
