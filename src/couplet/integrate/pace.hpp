// Holds a run to the pace of the clock: simulated seconds per second.
#pragma once

#include <chrono>

namespace couplet::integrate {

class Pace {
 public:
  /// factor 1: real time; 2: twice as fast.
  Pace(double t_start, double factor) : t_start_(t_start), factor_(factor), began_(Clock::now()) {}

  /// Waits until the clock has reached t. A step that is late by more than a millisecond is an
  /// overrun.
  void wait_for(double t);

  long overruns() const { return overruns_; }
  double longest_delay() const { return longest_delay_; }  // s

 private:
  using Clock = std::chrono::steady_clock;
  double t_start_, factor_;
  Clock::time_point began_;
  long overruns_ = 0;
  double longest_delay_ = 0;
};

}  // namespace couplet::integrate
