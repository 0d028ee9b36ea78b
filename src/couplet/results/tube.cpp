#include "couplet/results/tube.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace couplet::results {
namespace {

// The reference at t, between its rows.
double at(std::span<const double> times, std::span<const double> values, size_t after, double t) {
  if (after == 0) return values[0];
  if (after >= times.size()) return values.back();
  const double t0 = times[after - 1], t1 = times[after];
  if (t1 <= t0) return values[after];
  return values[after - 1] + (values[after] - values[after - 1]) * (t - t0) / (t1 - t0);
}

}  // namespace

TubeResult compare_with_tube(std::span<const double> xs, std::span<const double> ys,
                             std::span<const double> times, std::span<const double> values,
                             const TubeOptions& options) {
  TubeResult result;
  if (xs.empty()) return result;
  const auto [low, high] = std::minmax_element(ys.begin(), ys.end());
  const double dx = options.tolerance * std::max(xs.back() - xs.front(), std::abs(xs.front()));
  const double dy = options.tolerance * std::max({*high - *low, std::abs(*low), options.nominal});
  // Rows of the reference in [t - dx, t + dx], their largest and smallest values.
  std::deque<size_t> largest, smallest;
  size_t in = 0, first = 0;
  double last = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < times.size(); ++i) {
    const double t = times[i], y = values[i];
    if (t > xs.back() || t < last) continue;
    last = t;
    for (; in < xs.size() && xs[in] <= t + dx; ++in) {
      while (!largest.empty() && ys[largest.back()] <= ys[in]) largest.pop_back();
      largest.push_back(in);
      while (!smallest.empty() && ys[smallest.back()] >= ys[in]) smallest.pop_back();
      smallest.push_back(in);
    }
    while (first < in && xs[first] < t - dx) ++first;
    while (!largest.empty() && largest.front() < first) largest.pop_front();
    while (!smallest.empty() && smallest.front() < first) smallest.pop_front();
    const double left = at(xs, ys, first, t - dx), right = at(xs, ys, in, t + dx);
    double top = std::max(left, right), bottom = std::min(left, right);
    if (!largest.empty()) top = std::max(top, ys[largest.front()]);
    if (!smallest.empty()) bottom = std::min(bottom, ys[smallest.front()]);
    const double off = !(y == y) ? std::numeric_limits<double>::infinity()
                                 : std::max({y - top, bottom - y, 0.0}) / dy;
    if (off > result.worst) result = {off <= 1, off, t, y, bottom - dy, top + dy};
  }
  return result;
}

}  // namespace couplet::results
