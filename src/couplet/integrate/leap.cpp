#include "couplet/integrate/leap.hpp"

#include <algorithm>
#include <cmath>

namespace couplet::integrate {

// The least of them is beside it, on its left or on its right: where the slope across it is that of
// the other points.
bool Leap::find_position(double& t0, double& slope) const {
  const size_t n = seen_.size();
  const auto least =
      static_cast<size_t>(std::ranges::min_element(seen_, {}, &Sight::sine) - seen_.begin());
  if (n < 3) return false;
  double best = INFINITY;
  const auto rise = [&](size_t i, size_t j) {
    return (seen_[j].sine - seen_[i].sine) / (seen_[j].t - seen_[i].t);
  };
  const auto suggest = [&](double at, double across, double beside) {
    const double mismatch = std::abs(std::log(across / beside));
    if (!(mismatch < best)) return;
    best = mismatch;
    t0 = at;
    slope = across;
  };
  for (size_t i = least > 0 ? least - 1 : 0; i < n && i <= least; ++i) {
    const Sight& a = seen_[i];
    if (i + 1 == n) {  // behind the step
      suggest(a.t - a.sine / rise(i - 1, i), -rise(i - 1, i), -rise(i - 2, i - 1));
      continue;
    }
    const Sight& b = seen_[i + 1];
    const double across = (a.sine + b.sine) / (b.t - a.t);
    const double at = a.t + a.sine / across;
    if (i > 0) suggest(at, across, -rise(i - 1, i));
    if (i + 2 < n) suggest(at, across, rise(i + 1, i + 2));
  }
  return best < 1;
}

double Leap::find_first(double sine, double otherwise) const {
  double first = otherwise;
  for (const Sight& each : seen_)
    if (each.sine < sine) first = std::min(first, each.t);
  return first;
}

double Leap::find_length(double t, double h) {
  constexpr double better = 2, nearly = 0.7, shortest = 0.25;
  constexpr int tries = 64;
  std::ranges::sort(seen_, [](const Sight& a, const Sight& b) {
    return a.t < b.t || (a.t == b.t && a.sine < b.sine);
  });
  const auto [first, last] = std::ranges::unique(seen_, {}, &Sight::t);
  seen_.erase(first, last);
  double t0 = 0, slope = 0;
  if (seen_.empty() || !find_position(t0, slope)) return 0;
  const auto calc_least = [&](double length) {
    double least = std::min(std::abs(t0 - t), std::abs(t0 - t - length));
    for (const Sight& each : seen_)
      if (each.t > t) least = std::min(least, std::abs((each.t - t) * (length / h) - (t0 - t)));
    return slope * least;
  };
  const auto length = [&](int i) { return h * (1 - (1 - shortest) * i / tries); };
  double best = 0;
  for (int i = 0; i <= tries; ++i) best = std::max(best, calc_least(length(i)));
  if (best < better * calc_least(h)) return 0;
  int i = 0;
  while (calc_least(length(i)) < nearly * best) ++i;
  return length(i);
}

}  // namespace couplet::integrate
