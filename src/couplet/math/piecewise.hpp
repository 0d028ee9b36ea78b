// Functions given by a table. In one variable they are piecewise polynomials: straight lines or
// cubics between points, and what is to hold beyond them. A derivative of one is one again. In two
// variables they are bilinear on the cells of a grid.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "couplet/math/slopes.hpp"

namespace couplet::math {

/// What a table says beyond its first and last point.
enum class Outside : uint8_t {
  refused,   // nothing: the value is NaN
  held,      // the value at the end
  continued  // the straight line with the slope at the end
};

/// Where a derivative jumps, and the lowest one that does: 0 the value, 1 the slope, …
struct Kink {
  double at = 0;
  int order = 0;
};

class PiecewisePolynomial {
 public:
  using Coefficients = std::array<double, 4>;  // of 1, d, d², d³, d from the start of the piece

  /// Through the points (x, y), with these slopes, or straight without any. x increases.
  static PiecewisePolynomial through(std::span<const double> x, std::span<const double> y,
                                     std::span<const double> slopes, Outside outside);
  /// The same on a circle: it repeats with the period x.back() - x.front(), y.back() = y.front().
  static PiecewisePolynomial periodic(std::span<const double> x, std::span<const double> y,
                                      std::span<const double> slopes);

  double operator()(double x) const;
  PiecewisePolynomial derivative() const;
  bool is_zero() const;

  const std::vector<double>& breaks() const { return breaks_; }
  /// One before the first break, one behind each; the one before starts at the first break.
  const std::vector<Coefficients>& pieces() const { return pieces_; }
  double period() const { return period_; }  // 0: it does not repeat
  /// Breaks at which a derivative up to the third jumps; of a periodic one those of one turn.
  std::vector<Kink> kinks() const;

  bool operator==(const PiecewisePolynomial&) const = default;

 private:
  std::array<double, 4> calc_round_off() const;

  std::vector<double> breaks_;
  std::vector<Coefficients> pieces_;
  double period_ = 0;
};

/// z(x, y), bilinear in the cells of a grid: z[i·y.size() + j] at (x_i, y_j).
struct BilinearMap {
  std::vector<double> x, y, z;
  Outside outside = Outside::refused;
  int x_order = 0, y_order = 0;  // the derivative that it gives; 0 or 1 each

  double operator()(double at_x, double at_y) const;
  bool operator==(const BilinearMap&) const = default;
};

}  // namespace couplet::math
