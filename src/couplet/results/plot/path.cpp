#include "couplet/results/plot/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>

namespace couplet::results {
namespace {

const Point gap{std::numeric_limits<double>::quiet_NaN(), 0};

bool is_gap(const Point& p) { return !std::isfinite(p.x) || !std::isfinite(p.y); }

void append_gap(std::vector<Point>& out) {
  if (!out.empty() && !is_gap(out.back())) out.push_back(gap);
}

std::vector<Point> thin_out(const std::vector<Point>& points, double distance) {
  std::vector<Point> out;
  std::unordered_set<uint64_t> drawn;  // pairs of cells
  const auto cell = [&](const Point& p) {
    return (static_cast<uint64_t>(static_cast<int64_t>(std::floor(p.x / distance))) & 0xffff)
               << 16 |
           (static_cast<uint64_t>(static_cast<int64_t>(std::floor(p.y / distance))) & 0xffff);
  };
  Point last = gap;
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    if (is_gap(p)) {
      append_gap(out);
      last = gap;
    } else if (is_gap(last)) {
      out.push_back(last = p);
    } else if (std::hypot(p.x - last.x, p.y - last.y) >= distance || i + 1 == points.size()) {
      if (drawn.insert(cell(last) << 32 | cell(p)).second) {
        if (out.empty() || is_gap(out.back())) out.push_back(last);
        out.push_back(p);
      } else {
        append_gap(out);
      }
      last = p;
    }
  }
  return out;
}

int tenths(double x) { return static_cast<int>(std::lround(10 * std::clamp(x, -1e6, 1e6))); }

// ".5", "-3", "12.5"; a separator only where a sign does not separate.
void append_number(std::string& text, int value, bool first) {
  if (!first && value >= 0) text += ' ';
  if (value < 0) text += '-';
  const int size = std::abs(value);
  if (size >= 10 || size == 0) text += std::to_string(size / 10);
  if (size % 10 != 0) text += fmt::format(".{}", size % 10);
}

}  // namespace

std::vector<Point> keep_extremes(const std::vector<Point>& points) {
  std::vector<Point> out;
  for (size_t i = 0; i < points.size();) {
    if (is_gap(points[i])) {
      append_gap(out);
      ++i;
      continue;
    }
    const double column = std::floor(2 * points[i].x);
    size_t low = i, high = i, end = i;
    for (; end < points.size() && !is_gap(points[end]) && std::floor(2 * points[end].x) == column;
         ++end) {
      if (points[end].y < points[low].y) low = end;
      if (points[end].y > points[high].y) high = end;
    }
    size_t previous = end;  // none
    for (const size_t k : {i, std::min(low, high), std::max(low, high), end - 1}) {
      if (k != previous) out.push_back(points[k]);
      previous = k;
    }
    i = end;
  }
  return out;
}

std::vector<Point> keep_visible(const std::vector<Point>& points, size_t most) {
  double distance = 0.5;
  std::vector<Point> out = thin_out(points, distance);
  while (out.size() > most && distance < 16) out = thin_out(points, distance *= 2);
  return out;
}

std::vector<Point> straighten(const std::vector<Point>& points, double tolerance) {
  // From the last point kept, the directions in which a line passes all points since within the
  // tolerance form a sector; a point outside of it starts a new line from the point before.
  std::vector<Point> out;
  for (size_t i = 0; i < points.size();) {
    if (is_gap(points[i])) {
      append_gap(out);
      ++i;
      continue;
    }
    const Point start = points[i];
    out.push_back(start);
    double low = 0, high = 0, reach = 0;  // angles; distance from the start so far
    size_t k = i + 1;
    bool open = true;  // no direction yet
    for (; k < points.size() && !is_gap(points[k]); ++k) {
      const double dx = points[k].x - start.x, dy = points[k].y - start.y, d = std::hypot(dx, dy);
      if (d <= tolerance && d >= reach) continue;
      const double angle = std::atan2(dy, dx),
                   half = d > tolerance ? std::asin(tolerance / d) : M_PI;
      if (d + 1e-9 < reach) break;  // turns back: the extreme must stay
      if (open) {
        low = angle - half;
        high = angle + half;
        open = false;
      } else {
        const double turned = std::remainder(angle - low, 2 * M_PI) + low;
        if (turned < low || turned > high) break;
        low = std::max(low, turned - half);
        high = std::min(high, turned + half);
      }
      reach = d;
    }
    const bool ended = k == points.size() || is_gap(points[k]);
    if (ended && k - 1 > i) out.push_back(points[k - 1]);
    i = ended ? k : std::max(k - 1, i + 1);
  }
  return out;
}

std::string path_data(const std::vector<Point>& points) {
  std::string text;
  int x = 0, y = 0;
  bool pen_up = true;
  char command = 0;
  for (const Point& p : points) {
    if (is_gap(p)) {
      if (!pen_up && command == 'M') text += "h0";  // a single point: a dot, by its round caps
      pen_up = true;
      continue;
    }
    const int next_x = tenths(p.x), next_y = tenths(p.y);
    if (!pen_up && next_x == x && next_y == y) continue;
    const char wanted = pen_up ? 'M' : 'l';
    if (command != wanted || wanted == 'M') text += wanted;
    append_number(text, pen_up ? next_x : next_x - x, command != wanted || wanted == 'M');
    append_number(text, pen_up ? next_y : next_y - y, false);
    command = wanted;
    x = next_x;
    y = next_y;
    pen_up = false;
  }
  if (!pen_up && command == 'M') text += "h0";
  return text;
}

}  // namespace couplet::results
