#include "couplet/simulate/recorder.hpp"

#include <algorithm>
#include <cmath>

namespace couplet::simulate {

Recorder::Recorder(SignalSet& signals, results::RowStream& stream, double interval)
    : signals_(signals), stream_(stream), interval_(interval) {
  if (!signals.has_conditions()) return;
  after_ = gaps_ = VecX::Zero(static_cast<Eigen::Index>(signals.gap_count()));
}

void Recorder::start(double t, const VecX& y) {
  t_start_ = t;
  start_conditions(t, y);
}

void Recorder::start_conditions(double t, const VecX& y) {
  seen_ = t;
  due_ = false;
  if (signals_.has_conditions()) signals_.start(t, y);
}

void Recorder::write(double t, const VecX& y) {
  signals_.calc(t, y, stream_.row());
  stream_.commit();
  last_ = t;
}

const VecX& Recorder::y_at(const Step& step, double t) {
  if (t == step.rule.t()) return step.rule.y();
  y_.resize(step.rule.y().size());
  step.rule.find_between(t, y_);
  return y_;
}

void Recorder::on_step(integrate::Rule& rule, integrate::Problem& problem) {
  constexpr int parts = 4;  // of a step, at whose ends conditions are looked at
  const Step step{rule, problem};
  const double begin = rule.t_from(), end = rule.t(), slack = 1e-12 * interval_;
  change_now();
  for (int k = 1; k <= parts; ++k) {
    const double until = k == parts ? end : begin + (end - begin) * k / parts;
    // A grid point that differs from the end of the step by rounding is the end of the step.
    for (double t; interval_ > 0 && (t = t_start_ + interval_ * static_cast<double>(next_)) <=
                                        until + (k == parts ? slack : 0);
         ++next_) {
      if (t >= end - slack) t = end;
      write_until(step, t);
      if (last_ != t) write(t, y_at(step, t));
    }
    write_until(step, until);
  }
  if (interval_ == 0) write(end, rule.y());
  if (due_) end_ = rule.y(), end_t_ = end;
}

// ---- Conditions of signals.

// Rows on both sides of what changes up to t. What changes at the end of the step may be an event
// of the model, too: that is seen afterwards.
void Recorder::write_until(const Step& step, double t) {
  if (!signals_.has_conditions() || due_) return;
  const double end = step.rule.t(), resolution = 4e-16 * std::max(std::abs(end), 1e-300);
  while (const std::optional<Change> found = find_change(step, seen_, t)) {
    due_ = found->t >= end - resolution;
    if (due_) return;
    change(*found, y_at(step, found->t));
    seen_ = found->t;
  }
  seen_ = t;
}

std::optional<Recorder::Change> Recorder::find_change(const Step& step, double a, double b) {
  std::optional<Change> first;
  const double time = signals_.next_time(a);
  if (time <= b) first = Change{time, {}};
  signals_.calc_gaps(b, y_at(step, b), after_);
  for (Eigen::Index i = 0; i < after_.size(); ++i) {
    if (after_[i] >= 0) continue;
    const double t = locate(step, static_cast<size_t>(i), a, b);
    if (!first || t < first->t) first = Change{t, {static_cast<size_t>(i)}};
  }
  return first;
}

// Where the gap is negative and shortly before which it is not. [bisection; it is ≥ 0 at a, up to
// round-off, and negative at b]
double Recorder::locate(const Step& step, size_t gap, double a, double b) {
  for (int i = 0; i < 100; ++i) {
    const double m = a + (b - a) / 2;
    if (!(m > a && m < b)) break;
    signals_.calc_gaps(m, y_at(step, m), gaps_);
    (gaps_[static_cast<Eigen::Index>(gap)] < 0 ? b : a) = m;
  }
  return b;
}

void Recorder::change(const Change& change, const VecX& y) {
  const bool is_kink = !change.fired.empty() && std::ranges::all_of(change.fired, [&](size_t gap) {
    return signals_.is_kink(gap);
  });
  if (last_ != change.t && !is_kink) write(change.t, y);
  signals_.change(change.t, y, change.fired);
  if (last_ != change.t || !is_kink) write(change.t, y);
}

// What is due where the last step ended, and was no event of the model.
void Recorder::change_now() {
  if (!due_) return;
  Change all{end_t_, {}};
  signals_.calc_gaps(end_t_, end_, after_);
  for (Eigen::Index i = 0; i < after_.size(); ++i)
    if (after_[i] < 0) all.fired.push_back(static_cast<size_t>(i));
  change(all, end_);
  seen_ = end_t_;
  due_ = false;
}

void Recorder::before_event(double t, const VecX& y) {
  if (last_ != t) write(t, y);
}

void Recorder::on_event(double t, const VecX& y) {
  start_conditions(t, y);
  write(t, y);
}

void Recorder::finish(double t, const VecX& y) {
  if (last_ != t) write(t, y);
  change_now();
}

void Recorder::archive(integrate::Archive& archive) {
  archive(next_);
  archive(last_);
  archive(seen_);
  archive(due_);
  archive(end_);
  archive(end_t_);
  signals_.archive(archive);
}

}  // namespace couplet::simulate
