// One axis of an interpolation table: which two points are around u, and with which weights their
// values y and slopes s make the interpolated value:
//   y(u) = k₀ y_i + k₁ y_i+1 + k₂ s_i + k₃ s_i+1
// A table in one dimension sums over the weights of one axis, a table in two over the products of
// the weights of two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace couplet::modelica::tables {

/// In the order of Modelica.Blocks.Types.Smoothness.
enum class Smoothness : uint8_t {
  linear,                 // straight lines
  continuous_derivative,  // Akima, J. ACM 17(4), 1970
  constant,               // the value of the point before
  monotone1,              // Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5(2), 1984
  monotone2,              // Steffen, Astron. Astrophys. 239, 1990
  modified,               // Akima with weights that do not overshoot flat stretches
};

/// In the order of Modelica.Blocks.Types.Extrapolation.
enum class Extrapolation : uint8_t { hold, last_two_points, periodic, none };

struct Weights {
  size_t first = 0, second = 0;  // the points around u; equal on an axis with one point
  std::array<double, 4> value = {}, slope = {}, curvature = {};  // of y, dy/du, d²y/du²
};

class Axis {
 public:
  enum class Repeats : uint8_t { refused, allowed };  // equal neighbours: y jumps there

  /// Throws base::UserError when the points do not increase. `what` names them in messages.
  Axis(std::vector<double> points, Repeats repeats, const std::string& what);

  /// `before`: the limit from the left, where y jumps. Throws base::ComputationError outside of the
  /// axis with Extrapolation::none.
  Weights at(double u, Smoothness smoothness, Extrapolation extrapolation,
             bool before = false) const;

  const std::vector<double>& points() const { return points_; }
  double lowest() const { return points_.front(); }
  double highest() const { return points_.back(); }
  double wrap(double u) const;  // into [lowest, highest), by whole periods
  bool contains(double u) const { return u >= lowest() && u <= highest(); }

 private:
  size_t find(double u, bool before) const;
  Weights inside(double u, Smoothness smoothness, bool before) const;
  Weights beyond(double u, double end, Smoothness smoothness, Extrapolation extrapolation) const;

  std::vector<double> points_;
  std::string what_;
};

/// Slopes at the points for the smoothness kinds with a continuous derivative, and zeros for the
/// others. At the ends the rules of each method continue the data outwards.
std::vector<double> node_slopes(const std::vector<double>& u, const std::vector<double>& y,
                                Smoothness smoothness);

}  // namespace couplet::modelica::tables
