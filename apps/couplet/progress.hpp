// What a person sees of a long run: a bar with an estimate on a terminal, nothing in a pipe; Ctrl-C
// ends it cleanly.
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

/// From now on the first Ctrl-C (or SIGTERM) only raises a flag; the second ends the program.
void catch_interrupts();
bool interrupted();
/// As shells count: 128 and the number of the signal, 130 after Ctrl-C.
int status_of_interrupt();

}  // namespace couplet::app
