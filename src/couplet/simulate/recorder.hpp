// Writes chosen signals of a run: at every step, or at times k·interval by interpolation; on both
// sides of an event.
#pragma once

#include "couplet/integrate/driver.hpp"
#include "couplet/results/row_stream.hpp"
#include "couplet/simulate/signals.hpp"

namespace couplet::simulate {

class Recorder {
 public:
  /// interval 0: every step.
  Recorder(SignalSet& signals, results::RowStream& stream, double interval);

  void start(double t) { t_start_ = t; }

  void write(double t, const VecX& y);
  void write_once(double t, const VecX& y);  // unless the last row is of this time
  void on_step(integrate::Rule& rule, integrate::Problem& problem);
  void archive(integrate::Archive& archive);

 private:
  SignalSet& signals_;
  results::RowStream& stream_;
  double t_start_ = 0, interval_;
  long next_ = 1;    // output to come
  double last_ = 0;  // time of the last row
  VecX y_;
};

}  // namespace couplet::simulate
