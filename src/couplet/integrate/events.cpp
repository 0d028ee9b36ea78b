#include "couplet/integrate/events.hpp"

#include <algorithm>
#include <cmath>

namespace couplet::integrate {

class EventFinder::OnStep final : public Falls::Functions {
 public:
  OnStep(EventFinder& finder, Rule& rule) : finder_(finder), rule_(rule) {}
  double value(double t, int i) override { return finder_.value(rule_, t, i); }
  bool is_crooked(int i) const override { return finder_.crooked_[static_cast<size_t>(i)]; }
  std::optional<std::array<double, 2>> find_change(int i, double from, double to,
                                                   bool negative) override {
    return finder_.problem_.find_change(i, finder_.curve_, from, to, negative);
  }

 private:
  EventFinder& finder_;
  Rule& rule_;
};

EventFinder::EventFinder(Problem& problem, double tolerance)
    : problem_(problem),
      tolerance_(tolerance),
      roots_(VecX::Zero(problem.root_count())),
      y_(VecX::Zero(problem.layout().size())),
      ydot_(y_),
      peaks_(VecX::Constant(roots_.size(), INFINITY)),
      start_{0, roots_} {
  falls_.samples.fill(start_);
  for (int i = 0; i < roots_.size(); ++i) crooked_.push_back(problem.is_crooked(i));
  bends_ = std::ranges::find(crooked_, 1) != crooked_.end();
}

void EventFinder::start(double t, const VecX& y) {
  if (!active()) return;
  start_.t = t;
  if (bends_) y_start_ = y;
  problem_.calc_roots(t, y, start_.g);
  returning_.clear();
  for (const int root : fired_) {
    peaks_[root] = start_.g[root];
    if (start_.g[root] < 0 && !problem_.is_kink(root) && rises(t, y, root))
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

// The step to the located time ends near the root, up to the error of the interpolant: secant steps
// on the step itself close the rest, and the end is put on the negative side.
void EventFinder::sharpen(Rule& rule, int root, double slope) {
  double t = rule.t_to(), g = value_at_end(rule, root);
  for (int i = 0; i < 6 && g != 0 && slope != 0; ++i) {
    const double next = t - g / slope;
    if (!(next > rule.t_from() && next <= last_) || std::abs(next - t) <= falls_.resolution) break;
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
  for (double step = falls_.resolution; step < 1e4 * falls_.resolution; step *= 4) {
    rule.shorten(t + step);
    if (value_at_end(rule, root) < 0) return;
  }
}

// Each look of a step begins where the one before it ended.
void EventFinder::take_samples(Rule& rule, int look) {
  const int looks = rule.looks();
  const double length = (rule.t_to() - rule.t_from()) / looks, t0 = rule.t_from() + look * length;
  auto& samples = falls_.samples;
  samples[0] = look == 0 ? start_ : samples[Falls::parts];
  if (bends_) curve_.y[0] = look == 0 ? y_start_ : curve_.y[Falls::parts];
  for (int k = 1; k <= Falls::parts; ++k) {
    Falls::Sample& sample = samples[static_cast<size_t>(k)];
    const bool is_end = look + 1 == looks && k == Falls::parts;
    sample.t = is_end ? rule.t_to() : t0 + length * k / Falls::parts;
    if (is_end)
      y_ = rule.y_to();
    else
      rule.find_between(sample.t, y_);
    if (bends_) curve_.y[static_cast<size_t>(k)] = y_;
    problem_.calc_roots(sample.t, y_, sample.g);
  }
  if (bends_) curve_.t = t0, curve_.h = length;
  if (look == 0) highest_ = start_.g;
  for (const Falls::Sample& sample : samples) highest_ = highest_.cwiseMax(sample.g);
}

// A function that comes back after an event may do so for a short while only: a time at which it is
// not negative, the latest that is found. One that goes further instead, whatever its rate said, or
// that began so near to zero that it must have been there, came back for a time too short to be
// seen.
std::optional<Falls::Value> EventFinder::find_return(Rule& rule, int root) {
  constexpr double at_zero = 1e-12;  // of what it does in the step
  const double g0 = start_.g[root];
  bool rose = false;
  double lowest = g0;
  for (const Falls::Sample& sample : falls_.samples) {
    rose = rose || sample.g[root] > g0;
    lowest = std::min(lowest, sample.g[root]);
  }
  for (double step = (falls_.samples[1].t - start_.t) / 4; step > 4 * falls_.resolution;
       step /= 4) {
    const double g = value(rule, start_.t + step, root);
    rose = rose || g > g0;
    if (g >= 0) return Falls::Value{start_.t + step, g};
  }
  accumulates_ = !rose || (lowest < g0 && -g0 <= at_zero * -lowest);
  return std::nullopt;
}

// The first event on the interpolant of the step.
bool EventFinder::find_first(Rule& rule, int look) {
  OnStep on_step(*this, rule);
  fired_.clear();
  first_ = std::numeric_limits<double>::infinity();
  const auto note = [&](int root, const Falls::Value& before, const Falls::Value& after) {
    const double t = falls_.locate(on_step, root, before, after);
    if (t >= first_) return;
    first_ = t;
    fired_.assign(1, root);
    slope_ = (after.g - before.g) / (after.t - before.t);
  };
  for (const int root : returning_) {
    if (look > 0) break;
    if (falls_.samples[1].g[root] >= 0) continue;
    if (const std::optional<Falls::Value> back = find_return(rule, root)) {
      note(root, *back, {falls_.samples[1].t, falls_.samples[1].g[root]});
    } else if (accumulates_) {
      fired_.assign(1, root);
      return true;
    }
  }
  for (int root = 0; root < start_.g.size(); ++root)
    for (int k = 1; k <= Falls::parts && falls_.samples[static_cast<size_t>(k) - 1].t < first_;
         ++k) {
      const std::optional<Falls::Fall> fall = falls_.find(on_step, root, k);
      if (!fall) continue;
      note(root, fall->before, fall->after);
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
  falls_.resolution =
      std::numeric_limits<double>::epsilon() * std::max(std::abs(rule.t_to()), rule.t_to() - t0);
  int leaves_zero = -1;  // at once, and downwards
  while (true) {
    bool is_found = false;
    for (int look = 0; look < rule.looks() && !is_found; ++look) {
      take_samples(rule, look);
      is_found = find_first(rule, look);
    }
    if (!is_found) {
      if (leaves_zero < 0 || falls_.samples[Falls::parts].g[leaves_zero] != 0) break;
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
    leaves_zero = first_ == t0 && start_.g[root] == 0 ? root : -1;
    if (first_ - t0 < h / 16 && h > 1e3 * falls_.resolution) {
      rule.shorten(t0 + std::max(2 * (first_ - t0), h / 256));
      continue;
    }
    at_start_ = first_ - t0 <= falls_.resolution;
    if (!at_start_) {
      rule.shorten(first_);
      sharpen(rule, root, slope_);
    } else if (start_.g[root] > 0) {  // on the wrong side of it, what it says does not hold yet
      rule.shorten(t0 + falls_.resolution);
      push_over(rule, root);
      at_start_ = value_at_end(rule, root) >= 0;
    }
    accumulates_ = !at_start_ && is_noise(rule, root);
    problem_.calc_roots(rule.t_to(), rule.y_to(), roots_);  // others may fire at the same time
    for (int i = 0; i < roots_.size(); ++i)
      if (i != root && start_.g[i] >= 0 && roots_[i] < 0) fired_.push_back(i);
    return fired_;
  }
  peaks_ = peaks_.cwiseMax(highest_);
  start_ = falls_.samples[Falls::parts];
  if (bends_) y_start_ = curve_.y[Falls::parts];
  returning_.clear();
  return fired_;
}

}  // namespace couplet::integrate
