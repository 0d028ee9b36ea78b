#include "couplet/simulate/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace couplet::simulate {

Recorder::Recorder(SignalSet& signals, results::RowStream& stream, double interval)
    : signals_(signals), stream_(stream), interval_(interval) {
  if (!signals.has_conditions()) return;
  after_ = gaps_ = VecX::Zero(static_cast<Eigen::Index>(signals.gap_count()));
  for (integrate::Falls::Sample& sample : falls_.samples) sample = {0, gaps_};
  changes_.resize(signals.gap_count());
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

void Recorder::on_step(integrate::Rule& rule, integrate::Problem& /*problem*/) {
  const Step step{rule};
  const double end = rule.t(), resolution = 4e-16 * std::max(std::abs(end), 1e-300);
  change_now();
  std::ranges::fill(changes_, 0);
  // What changes at the end of the step may be an event of the model, too: that is seen afterwards.
  const double begin = rule.t_from();
  const int looks = signals_.has_conditions() ? rule.looks() : 0;
  for (int look = 1; look <= looks && !due_; ++look) {
    const double until = look == looks ? end : begin + (end - begin) * look / looks;
    while (const std::optional<Change> found = find_change(step, until)) {
      due_ = found->t >= end - resolution;
      if (due_) break;
      write_rows(step, found->t, false);
      change(*found, y_at(step, found->t));
      seen_ = found->t;
      for (const size_t gap : found->fired) ++changes_[gap];
    }
    seen_ = until;
  }
  write_rows(step, end, true);
  if (interval_ == 0) write(end, rule.y());
  seen_ = end;
  if (due_) end_ = rule.y(), end_t_ = end;
}

// At multiples of the interval, up to a time.
void Recorder::write_rows(const Step& step, double until, bool with_end) {
  const double end = step.rule.t(), slack = 1e-12 * interval_;
  for (double t; interval_ > 0; ++next_) {
    t = t_start_ + interval_ * static_cast<double>(next_);
    if (with_end ? t > until + slack : t >= until) break;
    // A grid point that differs from the end of the step by rounding is the end of the step.
    if (t >= end - slack) t = end;
    if (last_ != t) write(t, y_at(step, t));
  }
}

// ---- Conditions of signals.

class Recorder::OnStep final : public integrate::Falls::Functions {
 public:
  OnStep(Recorder& recorder, const Step& step) : recorder_(recorder), step_(step) {}
  double value(double t, int i) override {
    recorder_.signals_.calc_gaps(t, recorder_.y_at(step_, t), recorder_.gaps_);
    return recorder_.gaps_[i];
  }
  bool is_crooked(int i) const override {
    return recorder_.signals_.is_crooked(static_cast<size_t>(i));
  }
  std::optional<std::array<double, 2>> find_change(int i, double from, double to,
                                                   bool negative) override {
    return recorder_.signals_.find_change(static_cast<size_t>(i), from, to, negative);
  }

 private:
  Recorder& recorder_;
  const Step& step_;
};

// The first from seen_ on.
std::optional<Recorder::Change> Recorder::find_change(const Step& step, double end) {
  const double time = signals_.next_time(seen_);
  std::optional<Change> first;
  if (time <= end) first = Change{time, {}};
  const double until = std::min(time, end), h = until - seen_;
  if (after_.size() == 0 || !(h > 0)) return first;
  OnStep on_step(*this, step);
  falls_.resolution = std::numeric_limits<double>::epsilon() * std::max(std::abs(until), h);
  for (size_t p = 0; p < falls_.samples.size(); ++p) {
    integrate::Falls::Sample& sample = falls_.samples[p];
    sample.t = p + 1 == falls_.samples.size() ? until : seen_ + h * static_cast<double>(p) / 4;
    const VecX& y = y_at(step, sample.t);
    signals_.look_at_step(p, seen_, h, y);
    signals_.calc_gaps(sample.t, y, sample.g);
  }
  for (int i = 0; i < after_.size(); ++i)
    if (const std::optional<double> t = find_fall(on_step, i); t && (!first || *t < first->t))
      first = Change{*t, {static_cast<size_t>(i)}};
  return first;
}

// Noise, such as an acceleration at rest, falls as often as it is looked at.
std::optional<double> Recorder::find_fall(OnStep& on_step, int gap) {
  constexpr int most = 8, most_crooked = 1000;  // in a step
  const auto& samples = falls_.samples;
  if (changes_[static_cast<size_t>(gap)] >=
      (signals_.is_crooked(static_cast<size_t>(gap)) ? most_crooked : most))
    return samples.back().g[gap] < 0 ? std::optional(samples.back().t) : std::nullopt;
  for (int part = 1; part <= integrate::Falls::parts; ++part)
    if (const auto fall = falls_.find(on_step, gap, part))
      return falls_.locate(on_step, gap, fall->before, fall->after);
  const bool is_late = std::ranges::all_of(samples, [&](const auto& s) { return s.g[gap] < 0; });
  return is_late ? std::optional(samples[1].t) : std::nullopt;
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
