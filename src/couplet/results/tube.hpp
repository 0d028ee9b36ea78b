// Whether a signal stays in a tube around a reference, by the rule of the Modelica Association's
// csv-compare: a rectangle of half width dx and half height dy slides along the reference, and what
// it covers is the tube. Shifts of events in time are forgiven, and so are small errors.
#pragma once

#include <span>

namespace couplet::results {

struct TubeOptions {
  double tolerance = 0.002;  // of the ranges of time and value
  double nominal = 0.001;    // values below count as this large
};

struct TubeResult {
  bool inside = true;
  double worst = 0;  // largest distance from the reference, in half heights: up to 1 is inside
  double time = 0;   // where
  double value = 0, low = 0, high = 0;  // there
};

/// Times ascend; an event may have two rows with the same time. What comes after the end of the
/// reference is not looked at.
TubeResult compare_with_tube(std::span<const double> reference_times,
                             std::span<const double> reference, std::span<const double> times,
                             std::span<const double> values, const TubeOptions& options = {});

}  // namespace couplet::results
