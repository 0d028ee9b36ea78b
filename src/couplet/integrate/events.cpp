#include "couplet/integrate/events.hpp"

#include <algorithm>
#include <cmath>

#include "couplet/math/quartic.hpp"

namespace couplet::integrate {

using math::Quartic;

EventFinder::EventFinder(Problem& problem, double tolerance)
    : problem_(problem),
      tolerance_(tolerance),
      roots_(VecX::Zero(problem.root_count())),
      y_(VecX::Zero(problem.layout().size())),
      ydot_(y_),
      peaks_(VecX::Constant(roots_.size(), INFINITY)),
      start_{0, roots_} {
  samples_.fill(start_);
  for (int i = 0; i < roots_.size(); ++i) crooked_.push_back(problem.is_crooked(i));
  bends_ = std::ranges::find(crooked_, 1) != crooked_.end();
}

void EventFinder::start(double t, const VecX& y) {
  if (!active()) return;
  start_.t = t;
  if (bends_) curve_.y[0] = y;
  problem_.calc_roots(t, y, start_.roots);
  returning_.clear();
  for (const int root : fired_) {
    peaks_[root] = start_.roots[root];
    if (start_.roots[root] < 0 && !problem_.is_kink(root) && rises(t, y, root))
      returning_.push_back(root);
  }
  fired_.clear();
}

/// By the rates at a point, as far as it does not come back to zero.
bool EventFinder::rises(double t, const VecX& y, int root) {
  constexpr double longest = 1e-6, shortest = 1e-12;  // s
  problem_.calc_qdot(t, y, ydot_);
  problem_.calc_rates(t, y, ydot_);
  problem_.calc_roots(t, y, roots_);
  const double here = roots_[root];
  for (double little = longest;; little /= 10) {
    y_ = y + little * ydot_;
    problem_.calc_roots(t + little, y_, roots_);
    if (roots_[root] < 0 || little < shortest) return roots_[root] > here;
  }
}

/// A function that fires again after it came back by less than the rule can tell, and that rises
/// where it should fall.
bool EventFinder::is_noise(Rule& rule, int root) {
  return !problem_.is_kink(root) && !problem_.settles(root) && peaks_[root] < 10 * tolerance_ &&
         rises(rule.t_to(), rule.y_to(), root);
}

double EventFinder::value(Rule& rule, double t, int root) {
  rule.find_between(t, y_);
  problem_.calc_roots(t, y_, roots_);
  return roots_[root];
}

double EventFinder::value_at_end(Rule& rule, int root) {
  problem_.calc_roots(rule.t_to(), rule.y_to(), roots_);
  return roots_[root];
}

// A time at which the function is negative and shortly before which it is not. [Illinois, with
// bisection wherever that is slow]
double EventFinder::locate(Rule& rule, int root, Value before, Value after) {
  auto [a, ga] = before;
  auto [b, gb] = after;
  if (ga == 0) {  // it left zero, upwards if at all, and came back: find where it was positive
    double s = b;
    do {
      s = a + (s - a) / 2;
      ga = value(rule, s, root);
      if (ga < 0) b = s, gb = ga;
    } while (ga <= 0 && s - a > 4 * resolution_);
    if (ga <= 0) return a;
    a = s;
  }
  double widest = b - a;
  int side = 0;
  for (int i = 0; b - a > resolution_ && i < 200; ++i) {
    double m = i % 3 == 2 && b - a > widest / 4 ? a + (b - a) / 2 : (a * gb - b * ga) / (gb - ga);
    if (i % 3 == 2) widest = b - a;
    if (!(m > a && m < b)) m = a + (b - a) / 2;
    if (!(m > a && m < b)) break;
    const double gm = value(rule, m, root);
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

// The step to the located time ends near the root, up to the error of the interpolant: secant steps
// on the step itself close the rest, and the end is put on the negative side.
void EventFinder::sharpen(Rule& rule, int root, double slope) {
  double t = rule.t_to(), g = value_at_end(rule, root);
  for (int i = 0; i < 6 && g != 0 && slope != 0; ++i) {
    const double next = t - g / slope;
    if (!(next > rule.t_from() && next <= last_) || std::abs(next - t) <= resolution_) break;
    rule.shorten(next);
    const double g_next = value_at_end(rule, root);
    if (next != t && g_next != g) slope = (g_next - g) / (next - t);
    t = next, g = g_next;
  }
  if (g >= 0) push_over(rule, root);
}

// Puts the end of the step on the negative side of a function that is about to become negative.
void EventFinder::push_over(Rule& rule, int root) {
  const double t = rule.t_to();
  for (double step = resolution_; step < 1e4 * resolution_; step *= 4) {
    rule.shorten(t + step);
    if (value_at_end(rule, root) < 0) return;
  }
}

void EventFinder::take_samples(Rule& rule) {
  const double t0 = rule.t_from(), h = rule.t_to() - t0;
  samples_[0] = start_;
  for (int k = 1; k < parts; ++k) {
    Sample& sample = samples_[static_cast<size_t>(k)];
    sample.t = t0 + h * k / parts;
    rule.find_between(sample.t, y_);
    if (bends_) curve_.y[static_cast<size_t>(k)] = y_;
    problem_.calc_roots(sample.t, y_, sample.roots);
  }
  samples_[parts].t = rule.t_to();
  problem_.calc_roots(rule.t_to(), rule.y_to(), samples_[parts].roots);
  if (bends_) curve_.t = t0, curve_.h = h, curve_.y[parts] = rule.y_to();
}

// Between two samples on one side of zero: a value on the other side. [Extrema of the quartic, then
// of parabolas]
std::optional<EventFinder::Value> EventFinder::find_excursion(Rule& rule, int root, int part) {
  constexpr double near = 0.1;  // of what the function does in the step
  std::array<double, parts + 1> g;
  double low = INFINITY, high = -INFINITY;
  for (size_t k = 0; k <= parts; ++k) {
    g[k] = samples_[k].roots[root];
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
  Value a{samples_[left].t, g[left]}, b{samples_[right].t, g[right]};
  double t = start_.t + (samples_[parts].t - start_.t) * *u / parts;
  for (int i = 0; i < 4 && t > a.t && t < b.t; ++i) {
    const Value m{t, value(rule, t, root)};
    if ((m.g < 0) != (side < 0)) return m;
    const double p = (m.t - a.t) * (m.g - b.g), q = (m.t - b.t) * (m.g - a.g);
    const double next = m.t - ((m.t - a.t) * p - (m.t - b.t) * q) / (2 * (p - q));
    if (!(std::abs(next - t) > resolution_)) break;
    (next > t ? a : b) = m;
    t = next;
  }
  return std::nullopt;
}

// The first place of a part of the step where a crooked function becomes negative.
std::optional<EventFinder::Fall> EventFinder::find_fall(Rule& rule, int root, int part) {
  constexpr int most = 1000;  // changes of its sign
  const Sample &a = samples_[static_cast<size_t>(part) - 1],
               &b = samples_[static_cast<size_t>(part)];
  const Value first{a.t, a.roots[root]}, last{b.t, b.roots[root]};
  bool negative = first.g < 0;
  double from = part - 1;
  const auto at = [&](double u) {
    if (u <= part - 1) return first;
    if (u >= part) return last;
    const double t = samples_[0].t + (samples_[parts].t - samples_[0].t) * u / parts;
    return Value{t, value(rule, t, root)};
  };
  for (int i = 0; i < most && from < part; ++i) {
    const auto change = problem_.find_change(root, curve_, from, part, negative);
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

// A function that comes back after an event may do so for a short while only: a time at which it is
// not negative, the latest that is found. One that goes further instead, whatever its rate said, or
// that began so near to zero that it must have been there, came back for a time too short to be
// seen.
std::optional<EventFinder::Value> EventFinder::find_return(Rule& rule, int root) {
  constexpr double at_zero = 1e-12;  // of what it does in the step
  const double g0 = start_.roots[root];
  bool rose = false;
  double lowest = g0;
  for (const Sample& sample : samples_) {
    rose = rose || sample.roots[root] > g0;
    lowest = std::min(lowest, sample.roots[root]);
  }
  for (double step = (samples_[1].t - start_.t) / 4; step > 4 * resolution_; step /= 4) {
    const double g = value(rule, start_.t + step, root);
    rose = rose || g > g0;
    if (g >= 0) return Value{start_.t + step, g};
  }
  accumulates_ = !rose || (lowest < g0 && -g0 <= at_zero * -lowest);
  return std::nullopt;
}

// The first event on the interpolant of the step.
bool EventFinder::find_first(Rule& rule) {
  fired_.clear();
  first_ = std::numeric_limits<double>::infinity();
  const auto note = [&](int root, Value before, Value after) {
    const double t = locate(rule, root, before, after);
    if (t >= first_) return;
    first_ = t;
    fired_.assign(1, root);
    slope_ = (after.g - before.g) / (after.t - before.t);
  };
  for (const int root : returning_) {
    if (samples_[1].roots[root] >= 0) continue;
    if (const std::optional<Value> back = find_return(rule, root)) {
      note(root, *back, {samples_[1].t, samples_[1].roots[root]});
    } else if (accumulates_) {
      fired_.assign(1, root);
      return true;
    }
  }
  for (int root = 0; root < start_.roots.size(); ++root)
    for (int k = 1; k <= parts; ++k) {
      const Sample &a = samples_[static_cast<size_t>(k) - 1], &b = samples_[static_cast<size_t>(k)];
      if (a.t >= first_) break;
      const Value before{a.t, a.roots[root]}, after{b.t, b.roots[root]};
      if (crooked_[static_cast<size_t>(root)]) {
        const std::optional<Fall> fall = find_fall(rule, root, k);
        if (!fall) continue;
        note(root, fall->before, fall->after);
        break;
      }
      if (before.g >= 0 && after.g < 0) {
        note(root, before, after);
        break;
      }
      if ((before.g < 0) != (after.g < 0)) continue;
      const std::optional<Value> between = find_excursion(rule, root, k);
      if (!between) continue;
      if (before.g >= 0)
        note(root, before, *between);
      else
        note(root, *between, after);
      break;
    }
  return !fired_.empty();
}

const std::vector<int>& EventFinder::find(Rule& rule) {
  fired_.clear();
  at_start_ = accumulates_ = false;
  if (!active()) return fired_;
  const double t0 = rule.t_from();
  last_ = rule.t_to();
  resolution_ =
      std::numeric_limits<double>::epsilon() * std::max(std::abs(rule.t_to()), rule.t_to() - t0);
  int leaves_zero = -1;  // at once, and downwards
  while (true) {
    take_samples(rule);
    if (!find_first(rule)) {
      if (leaves_zero < 0 || samples_[parts].roots[leaves_zero] != 0) break;
      fired_.assign(1, leaves_zero);  // in a step so short that it no longer shows
      at_start_ = true;
      return fired_;
    }
    if (accumulates_) {
      at_start_ = true;
      return fired_;
    }
    // Early in a long step the interpolant is coarse: a shorter step shows the event better.
    const double h = rule.t_to() - t0;
    const int root = fired_.front();
    leaves_zero = first_ == t0 && start_.roots[root] == 0 ? root : -1;
    if (first_ - t0 < h / 16 && h > 1e3 * resolution_) {
      rule.shorten(t0 + std::max(2 * (first_ - t0), h / 256));
      continue;
    }
    at_start_ = first_ - t0 <= resolution_;
    if (!at_start_) {
      rule.shorten(first_);
      sharpen(rule, root, slope_);
    } else if (start_.roots[root] > 0) {  // on the wrong side of it, what it says does not hold yet
      rule.shorten(t0 + resolution_);
      push_over(rule, root);
      at_start_ = value_at_end(rule, root) >= 0;
    }
    accumulates_ = !at_start_ && is_noise(rule, root);
    problem_.calc_roots(rule.t_to(), rule.y_to(), roots_);  // others may fire at the same time
    for (int i = 0; i < roots_.size(); ++i)
      if (i != root && start_.roots[i] >= 0 && roots_[i] < 0) fired_.push_back(i);
    return fired_;
  }
  for (const Sample& sample : samples_) peaks_ = peaks_.cwiseMax(sample.roots);
  start_ = samples_[parts];
  if (bends_) curve_.y[0] = curve_.y[parts];
  returning_.clear();
  return fired_;
}

}  // namespace couplet::integrate
