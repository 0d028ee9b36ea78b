// What a person sees of a long run: a bar with an estimate on a terminal, nothing in a pipe.
#pragma once

#include <chrono>

namespace couplet::app {

class Progress {
 public:
  /// Draws only if standard error is a terminal.
  Progress(double t_start, double t_end, bool wanted);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(double t);

 private:
  using Clock = std::chrono::steady_clock;
  double t_start_, t_end_;
  bool draws_, drawn_ = false;
  Clock::time_point began_, next_;
};

}  // namespace couplet::app
