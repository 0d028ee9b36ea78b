// Slopes at the points of a table, from which Hermite's cubics are made. Every rule is exact on
// straight lines; Akima's on parabolas over equal steps; the spline on cubics.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace couplet::math {

enum class SlopeRule : uint8_t {
  akima,            // Akima, J. ACM 17(4), 1970: local, rarely overshoots
  modified_akima,   // with weights that do not overshoot flat stretches
  fritsch_butland,  // SIAM J. Sci. Stat. Comput. 5(2), 1984: monotone where the data are
  steffen,          // Astron. Astrophys. 239, 1990: monotone, too
  spline,  // continuous second derivative, error O(h⁴); de Boor's "not-a-knot" at the ends
};

/// `x` increases and has as many numbers as `y`, at least 2. At the ends the rules of each method
/// continue the data outwards.
std::vector<double> calc_slopes(std::span<const double> x, std::span<const double> y,
                                SlopeRule rule);

/// The same on a circle: the last point is the first one, a period later, with the same value.
std::vector<double> calc_periodic_slopes(std::span<const double> x, std::span<const double> y,
                                         SlopeRule rule);

/// The weights of the two divided differences beside each point in Akima's slope, normalised.
struct SideWeights {
  double before, after;
};
std::vector<SideWeights> calc_akima_weights(std::span<const double> x, std::span<const double> y,
                                            bool is_modified = false);

}  // namespace couplet::math
