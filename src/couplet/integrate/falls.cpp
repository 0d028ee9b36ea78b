#include "couplet/integrate/falls.hpp"

#include <algorithm>
#include <cmath>

#include "couplet/math/quartic.hpp"

namespace couplet::integrate {

using math::Quartic;

// [Illinois, with bisection wherever that is slow]
double Falls::locate(Functions& functions, int i, Value before, Value after) const {
  auto [a, ga] = before;
  auto [b, gb] = after;
  if (ga == 0) {  // it left zero, upwards if at all, and came back: find where it was positive
    double s = b;
    do {
      s = a + (s - a) / 2;
      ga = functions.value(s, i);
      if (ga < 0) b = s, gb = ga;
    } while (ga <= 0 && s - a > 4 * resolution);
    if (ga <= 0) return a;
    a = s;
  }
  double widest = b - a;
  int side = 0;
  for (int step = 0; b - a > resolution && step < 200; ++step) {
    double m =
        step % 3 == 2 && b - a > widest / 4 ? a + (b - a) / 2 : (a * gb - b * ga) / (gb - ga);
    if (step % 3 == 2) widest = b - a;
    if (!(m > a && m < b)) m = a + (b - a) / 2;
    if (!(m > a && m < b)) break;
    const double gm = functions.value(m, i);
    if (gm < 0) {
      b = m, gb = gm;
      if (side == 1) ga /= 2;
      side = 1;
    } else {
      a = m, ga = gm;
      if (side == -1) gb /= 2;
      side = -1;
    }
  }
  return b;
}

// Between two samples on one side of zero: a value on the other side. [Extrema of the quartic, then
// of parabolas]
std::optional<Falls::Value> Falls::find_excursion(Functions& functions, int i, int part) const {
  constexpr double near = 0.1;  // of what the function does in the step
  std::array<double, parts + 1> g;
  double low = INFINITY, high = -INFINITY;
  for (size_t k = 0; k <= parts; ++k) {
    g[k] = samples[k].g[i];
    low = std::min(low, g[k]), high = std::max(high, g[k]);
  }
  const auto left = static_cast<size_t>(part) - 1, right = static_cast<size_t>(part);
  const double side = g[left] < 0 ? -1 : 1;  // extrema towards the other side count
  const Quartic quartic(g);
  const std::optional<double> u =
      quartic.find_extremum(static_cast<double>(left), static_cast<double>(right));
  if (!u || side * quartic(*u) > near * (high - low) ||
      side * quartic(*u) >= std::min(side * g[left], side * g[right]))
    return std::nullopt;
  Value a{samples[left].t, g[left]}, b{samples[right].t, g[right]};
  double t = samples[0].t + (samples[parts].t - samples[0].t) * *u / parts;
  for (int step = 0; step < 4 && t > a.t && t < b.t; ++step) {
    const Value m{t, functions.value(t, i)};
    if ((m.g < 0) != (side < 0)) return m;
    const double p = (m.t - a.t) * (m.g - b.g), q = (m.t - b.t) * (m.g - a.g);
    const double next = m.t - ((m.t - a.t) * p - (m.t - b.t) * q) / (2 * (p - q));
    if (!(std::abs(next - t) > resolution)) break;
    (next > t ? a : b) = m;
    t = next;
  }
  return std::nullopt;
}

// The first place of a part of the step where a crooked function becomes negative.
std::optional<Falls::Fall> Falls::find_first_of_many(Functions& functions, int i, int part) const {
  constexpr int most = 1000;  // changes of its sign
  const Sample &a = samples[static_cast<size_t>(part) - 1], &b = samples[static_cast<size_t>(part)];
  const Value first{a.t, a.g[i]}, last{b.t, b.g[i]};
  bool negative = first.g < 0;
  double from = part - 1;
  const auto at = [&](double u) {
    if (u <= part - 1) return first;
    if (u >= part) return last;
    const double t = samples[0].t + (samples[parts].t - samples[0].t) * u / parts;
    return Value{t, functions.value(t, i)};
  };
  for (int n = 0; n < most && from < part; ++n) {
    const auto change = functions.find_change(i, from, part, negative);
    if (!change) break;
    const auto [left, right] = *change;
    if (!negative) {
      const Value before = at(left), after = at(right);
      if (before.g >= 0 && after.g < 0) return Fall{before, after};
    }
    if (right <= from) break;
    from = right;
    negative = !negative;
  }
  if (first.g >= 0 && last.g < 0) return Fall{first, last};
  return std::nullopt;
}

std::optional<Falls::Fall> Falls::find(Functions& functions, int i, int part) const {
  if (functions.is_crooked(i)) return find_first_of_many(functions, i, part);
  const Sample &a = samples[static_cast<size_t>(part) - 1], &b = samples[static_cast<size_t>(part)];
  const Value before{a.t, a.g[i]}, after{b.t, b.g[i]};
  if (before.g >= 0 && after.g < 0) return Fall{before, after};
  if ((before.g < 0) != (after.g < 0)) return std::nullopt;
  const std::optional<Value> between = find_excursion(functions, i, part);
  if (!between) return std::nullopt;
  return before.g >= 0 ? Fall{before, *between} : Fall{*between, after};
}

}  // namespace couplet::integrate
