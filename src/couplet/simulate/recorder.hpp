// Writes chosen signals of a run: at every step, or at times k·interval by interpolation; on both sides of
// an event.
#pragma once

#include "couplet/integrate/driver.hpp"
#include "couplet/results/row_stream.hpp"
#include "couplet/simulate/signals.hpp"

namespace couplet::simulate {

class Recorder {
 public:
  /// interval 0: every step.
  Recorder(SignalSet& signals, results::RowStream& stream, double t_start, double interval);

  void start(double t, const VecX& y) { write(t, y); }
  void on_step(integrate::Rule& rule, MechanismProblem& problem);
  void on_event(double t, const VecX& before, const VecX& after);
  /// The last point, if it is not on the grid.
  void finish(double t, const VecX& y);
  void archive(integrate::Archive& archive);

 private:
  void write(double t, const VecX& y);

  SignalSet& signals_;
  results::RowStream& stream_;
  double t_start_, interval_;
  long next_ = 1;       // output to come
  double last_ = 0;     // time of the last row
  VecX y_;
};

}  // namespace couplet::simulate
