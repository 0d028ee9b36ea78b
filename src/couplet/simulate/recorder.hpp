// Writes chosen signals of a run: at every step, or at times k·interval by interpolation; on both
// sides of an event, and where conditions of the signals themselves change. These are looked for as
// events are, and located on the interpolant: recording something never changes the motion.
#pragma once

#include "couplet/integrate/driver.hpp"
#include "couplet/integrate/falls.hpp"
#include "couplet/results/row_stream.hpp"
#include "couplet/simulate/signals.hpp"

namespace couplet::simulate {

class Recorder {
 public:
  /// interval 0: every step.
  Recorder(SignalSet& signals, results::RowStream& stream, double interval);

  void start(double t, const VecX& y);
  void write(double t, const VecX& y);
  void on_step(integrate::Rule& rule, integrate::Problem& problem);
  void before_event(double t, const VecX& y);
  void on_event(double t, const VecX& y);
  /// The last row, unless it is there.
  void finish(double t, const VecX& y);
  void archive(integrate::Archive& archive);

 private:
  struct Step {  // that was taken
    integrate::Rule& rule;
  };
  class OnStep;    // gaps of conditions along one
  struct Change {  // of conditions
    double t;
    std::vector<size_t> fired;  // gaps; none: conditions of the time
  };
  void start_conditions(double t, const VecX& y);
  const VecX& y_at(const Step& step, double t);
  void write_rows(const Step& step, double until, bool with_end);
  std::optional<Change> find_change(const Step& step, double end);
  std::optional<double> find_fall(OnStep& on_step, int gap);
  void change(const Change& change, const VecX& y);
  void change_now();

  SignalSet& signals_;
  results::RowStream& stream_;
  double t_start_ = 0, interval_;
  long next_ = 1;     // output to come
  double last_ = 0;   // time of the last row
  double seen_ = 0;   // s: up to here conditions were looked at
  bool due_ = false;  // a condition changes where the last step ended,
  double end_t_ = 0;  // which is here
  VecX end_;
  VecX y_, after_, gaps_;
  integrate::Falls falls_;
  std::vector<int> changes_;  // of each gap, in this step
};

}  // namespace couplet::simulate
