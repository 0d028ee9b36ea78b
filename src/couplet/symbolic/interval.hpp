// All numbers between two.
#pragma once

namespace couplet::symbolic {

struct Interval {
  double low, high;

  double width() const { return high - low; }
  bool has(double x) const { return low <= x && x <= high; }
};

}  // namespace couplet::symbolic
