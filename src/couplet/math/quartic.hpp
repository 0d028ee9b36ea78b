// The quartic through five values at u = 0 … 4, and what it can be between.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace couplet::math {

/// In powers of u - 2.
class Quartic {
 public:
  Quartic() = default;
  explicit Quartic(const std::array<double, 5>& f)
      : c_{f[2], (f[0] - f[4] + 8 * (f[3] - f[1])) / 12,
           (16 * (f[1] + f[3]) - (f[0] + f[4]) - 30 * f[2]) / 24,
           (f[4] - f[0] + 2 * (f[1] - f[3])) / 12,
           (f[0] + f[4] - 4 * (f[1] + f[3]) + 6 * f[2]) / 24} {}

  double operator()(double u) const {
    const double w = u - 2;
    return c_[0] + w * (c_[1] + w * (c_[2] + w * (c_[3] + w * c_[4])));
  }
  double slope(double u) const {
    const double w = u - 2;
    return c_[1] + w * (2 * c_[2] + w * (3 * c_[3] + w * 4 * c_[4]));
  }

  struct Range {
    double low, high;
  };
  /// Bounds between a and b, of its value and of its slope; tight where b - a is small.
  Range range(double a, double b) const {
    const auto [d, m] = centred(a, b);
    const double most =
        d * (std::abs(m[1]) + d * (std::abs(m[2]) + d * (std::abs(m[3]) + d * std::abs(m[4]))));
    return {m[0] - most, m[0] + most};
  }
  Range slope_range(double a, double b) const {
    const auto [d, m] = centred(a, b);
    const double most =
        d * (2 * std::abs(m[2]) + d * (3 * std::abs(m[3]) + d * 4 * std::abs(m[4])));
    return {m[1] - most, m[1] + most};
  }

  /// Where the slope changes its sign between a and b, if it does.
  std::optional<double> find_extremum(double a, double b) const {
    const double at_a = slope(a);
    if (!(at_a * slope(b) < 0)) return std::nullopt;
    for (int i = 0; i < 40; ++i) {
      const double m = a + (b - a) / 2;
      (at_a * slope(m) > 0 ? a : b) = m;
    }
    return a + (b - a) / 2;
  }

 private:
  struct Centred {
    double half;
    std::array<double, 5> c;  // in powers of the distance from the middle
  };
  Centred centred(double a, double b) const {
    const double w = a + (b - a) / 2 - 2;
    return {(b - a) / 2,
            {(*this)(w + 2), slope(w + 2), c_[2] + w * (3 * c_[3] + w * 6 * c_[4]),
             c_[3] + 4 * c_[4] * w, c_[4]}};
  }

  std::array<double, 5> c_{};
};

}  // namespace couplet::math
