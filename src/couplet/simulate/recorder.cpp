#include "couplet/simulate/recorder.hpp"

namespace couplet::simulate {

Recorder::Recorder(SignalSet& signals, results::RowStream& stream, double interval)
    : signals_(signals), stream_(stream), interval_(interval) {}

void Recorder::write(double t, const VecX& y) {
  signals_.calc(t, y, stream_.row());
  stream_.commit();
  last_ = t;
}

void Recorder::on_step(integrate::Rule& rule, integrate::Problem& problem) {
  if (interval_ == 0) return write(rule.t(), rule.y());
  // A grid point that differs from the end of the step by rounding is the end of the step.
  const double end = rule.t(), slack = 1e-12 * interval_;
  for (double t; (t = t_start_ + interval_ * static_cast<double>(next_)) <= end + slack; ++next_) {
    if (t >= end - slack) {
      write(end, rule.y());
      continue;
    }
    y_.resize(rule.y().size());
    rule.interpolate(t, y_);
    problem.project(t, y_);
    write(t, y_);
  }
}

void Recorder::write_once(double t, const VecX& y) {
  if (last_ != t) write(t, y);
}

void Recorder::archive(integrate::Archive& archive) {
  archive(next_);
  archive(last_);
}

}  // namespace couplet::simulate
