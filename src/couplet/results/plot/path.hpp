// A curve as an SVG path: as many points as a screen can show, and no peak lost.
#pragma once

#include <string>
#include <vector>

namespace couplet::results {

struct Point {
  double x, y;  // pixels; not finite: the curve is interrupted
};

/// Keeps of the points in every half pixel of x the first, the lowest, the highest and the last.
/// For curves over time: x grows.
std::vector<Point> keep_extremes(const std::vector<Point>& points);

/// For curves in a plane: leaves out points closer than a fraction of a pixel to the last one kept,
/// and segments that were drawn before (an orbit that repeats itself); coarser until at most `most`
/// points are left.
std::vector<Point> keep_visible(const std::vector<Point>& points, size_t most = 40000);

/// Leaves out points that are less than `tolerance` pixels off the line through their neighbours.
/// O(n).
std::vector<Point> straighten(const std::vector<Point>& points, double tolerance = 0.1);

/// "M10.5 20l3.2-.1…": relative steps in tenths of a pixel, without adding up their rounding.
std::string path_data(const std::vector<Point>& points);

}  // namespace couplet::results
