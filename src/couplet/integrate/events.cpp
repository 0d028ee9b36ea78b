#include "couplet/integrate/events.hpp"

#include <cmath>

namespace couplet::integrate {
namespace {

constexpr int samples = 4;  // per step: an excursion below zero and back within a quarter is missed

}  // namespace

EventFinder::EventFinder(Problem& problem)
    : problem_(problem),
      roots_(VecX::Zero(problem.root_count())),
      y_(VecX::Zero(problem.layout().size())),
      start_{0, roots_},
      previous_{0, roots_},
      next_{0, roots_} {}

void EventFinder::start(double t, const VecX& y) {
  if (!active()) return;
  start_.t = t;
  problem_.calc_roots(t, y, start_.roots);
}

double EventFinder::value(Rule& rule, double t, int root) {
  rule.interpolate(t, y_);
  problem_.project(t, y_);
  problem_.calc_roots(t, y_, roots_);
  return roots_[root];
}

double EventFinder::value_at_end(Rule& rule, int root) {
  problem_.calc_roots(rule.t_to(), rule.y_to(), roots_);
  return roots_[root];
}

// A time at which the function is negative and shortly before which it is not. [Illinois, with
// bisection wherever that is slow]
double EventFinder::locate(Rule& rule, int root, const Sample& before, const Sample& after) {
  double a = before.t, ga = before.roots[root], b = after.t, gb = after.roots[root];
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
  for (double step = resolution_; g >= 0 && step < 1e4 * resolution_; step *= 4) {
    rule.shorten(t + step);
    g = value_at_end(rule, root);
  }
}

// Finds the first event on the interpolant of the step.
bool EventFinder::sample(Rule& rule) {
  const double t0 = rule.t_from(), h = rule.t_to() - t0;
  fired_.clear();
  previous_ = start_;
  for (int k = 1; k <= samples; ++k) {
    next_.t = k == samples ? rule.t_to() : t0 + h * k / samples;
    if (k == samples) {
      problem_.calc_roots(next_.t, rule.y_to(), next_.roots);
    } else {
      rule.interpolate(next_.t, y_);
      problem_.project(next_.t, y_);
      problem_.calc_roots(next_.t, y_, next_.roots);
    }
    first_ = std::numeric_limits<double>::infinity();
    for (int i = 0; i < next_.roots.size(); ++i) {
      if (!(previous_.roots[i] >= 0 && next_.roots[i] < 0)) continue;
      const double t = locate(rule, i, previous_, next_);
      if (t >= first_) continue;
      first_ = t;
      fired_.assign(1, i);
      slope_ = (next_.roots[i] - previous_.roots[i]) / (next_.t - previous_.t);
    }
    if (!fired_.empty()) return true;
    std::swap(previous_, next_);
  }
  return false;
}

const std::vector<int>& EventFinder::find(Rule& rule) {
  fired_.clear();
  at_start_ = false;
  if (!active()) return fired_;
  const double t0 = rule.t_from();
  last_ = rule.t_to();
  resolution_ =
      std::numeric_limits<double>::epsilon() * std::max(std::abs(rule.t_to()), rule.t_to() - t0);
  int leaves_zero = -1;  // at once, and downwards
  while (true) {
    if (!sample(rule)) {
      if (leaves_zero < 0 || previous_.roots[leaves_zero] != 0) break;
      fired_.assign(1, leaves_zero);  // in a step so short that it no longer shows
      at_start_ = true;
      return fired_;
    }
    // Early in a long step the interpolant is coarse: a shorter step shows the event better.
    const double h = rule.t_to() - t0;
    leaves_zero = first_ == t0 && start_.roots[fired_.front()] == 0 ? fired_.front() : -1;
    if (first_ - t0 < h / 16 && h > 1e3 * resolution_) {
      rule.shorten(t0 + std::max(2 * (first_ - t0), h / 256));
      continue;
    }
    at_start_ = first_ - t0 <= resolution_;
    if (!at_start_) {
      rule.shorten(first_);
      sharpen(rule, fired_.front(), slope_);
    }
    problem_.calc_roots(rule.t_to(), rule.y_to(), roots_);  // others may fire at the same time
    for (int i = 0; i < roots_.size(); ++i)
      if (i != fired_.front() && start_.roots[i] >= 0 && roots_[i] < 0) fired_.push_back(i);
    return fired_;
  }
  start_ = previous_;
  return fired_;
}

}  // namespace couplet::integrate
