// An axis of a plot: its range, ticks at 1, 2 or 5 times a power of ten, and their labels as people
// write them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace couplet::results {

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;
  std::vector<double> small_ticks;  // without a label
  std::vector<std::string> labels;
  std::string factor;  // what labels are to be multiplied with or added to: "×10⁻⁶", "+ 12.345";
                       // often empty

  double part(double x) const {  // 0 at low, 1 at high
    if (!logarithmic) return (x - low) / (high - low);
    return std::log(x / low) / std::log(high / low);
  }
};

/// For values from `low` to `high`, with at most `most` ticks. Tight: the range is exactly that of
/// the values; else it has some air. A range that is empty, or too small for its magnitude, is
/// widened.
Axis make_axis(double low, double high, int most, bool tight);

/// The same in logarithms: ticks at powers of ten, "10⁻³". Values that are not positive are taken
/// as an empty range.
Axis make_log_axis(double low, double high, int most);

/// "3.2×10⁻⁷", "12.5", "0": a measured number in `digits` digits.
std::string number_text(double x, int digits = 3);

/// A unit as people write it: "m/s²" for "m/s2" or "m/s^2", "N·m" for "N m".
std::string unit_text(const std::string& unit);

}  // namespace couplet::results
