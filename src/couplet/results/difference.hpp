// The difference of two recordings, signal by signal, on the time that they have in common. Between
// rows a signal is a straight line; two rows of the same time are a jump.
#pragma once

#include "couplet/results/recording.hpp"

namespace couplet::results {

struct Tolerance {
  double relative = 1e-6;  // of the largest magnitude that the signal has in the first recording
  double absolute = 1e-12;
  double time = 1e-9;  // jumps so far apart are the same jump; of the common interval's length
};

struct SignalDifference {
  Signal signal;
  double largest = 0;               // |a - b|; infinite where only one of them is a number
  double at = 0;                    // s
  double a = 0, b = 0;              // there
  double scale = 0;                 // largest |a|
  double allowed = 0;               // half the width of the tolerance tube
  std::optional<double> leaves_at;  // the first time outside of the tube, s

  bool inside() const { return !leaves_at; }
};

struct Difference {
  double from = 0, to = 0;  // the common interval, s
  bool same_interval = true;
  std::vector<SignalDifference> signals;    // those in both, in the order of the first
  std::vector<std::string> only_a, only_b;  // names
  std::vector<std::string> other_unit;      // in both, but not in the same unit: not compared

  bool inside() const;
  /// Both have the same signals in the same units, at the same times.
  bool complete() const;
  /// What was compared is inside, and nothing could not be; `strict`: nothing is missing, either.
  bool agrees(bool strict) const;
};

/// UserError when they have no signal or no time in common, when time goes back, or when a pattern
/// chooses nothing. Without patterns all signals are compared. O(rows × signals) time, O(signals)
/// memory.
Difference calc_difference(const Recording& a, const Recording& b, const Tolerance& tolerance,
                           const std::vector<std::string>& patterns = {});

}  // namespace couplet::results
