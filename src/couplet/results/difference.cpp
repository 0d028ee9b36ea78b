#include "couplet/results/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "couplet/base/diagnostics.hpp"
#include "couplet/results/select.hpp"

namespace couplet::results {
namespace {

using base::UserError;

enum class Side { left, right };  // of a jump

// A recording as functions of time.
class Curves {
 public:
  Curves(const Recording& recording, const char* which) : recording_(&recording) {
    if (recording.rows() == 0)
      throw UserError({}, fmt::format("the {} result has no rows", which), "run the model again");
    for (size_t i = 0; i < rows(); ++i) {
      const bool backward = i > 0 && time(i) < time(i - 1);
      if (!std::isfinite(time(i)) || backward)
        throw UserError({},
                        fmt::format("time {} in row {} of the {} result",
                                    backward ? "goes back" : "is no number", i + 1, which),
                        "the first column must be time, and grow");
    }
  }
  size_t rows() const { return recording_->rows(); }
  double time(size_t row) const { return recording_->at(row, 0); }
  double at(size_t row, size_t column) const { return recording_->at(row, column); }

  /// The first row that is not before t (left), or the last that is not after t (right).
  size_t row_at(double t, Side side) const {
    size_t low = 0, high = rows();  // the first row with time ≥ t, or > t
    while (low < high) {
      const size_t middle = (low + high) / 2;
      const bool before = side == Side::left ? time(middle) < t : time(middle) <= t;
      (before ? low : high) = before ? middle + 1 : middle;
    }
    return side == Side::left ? low : low - 1;
  }
  bool jumps_near(double t, double distance) const {
    const size_t first = row_at(t - distance, Side::left);
    for (size_t i = first + 1; i < rows() && time(i) <= t + distance; ++i)
      if (time(i) == time(i - 1)) return true;
    return false;
  }

 private:
  const Recording* recording_;
};

// Where one side of time t is in the rows: a row, or a part of the way from it to the next.
struct Position {
  size_t row = 0;
  double weight = 0;  // of the next row
};

Position locate(const Curves& curves, double t, Side side) {
  const size_t row = curves.row_at(t, side);
  if (row < curves.rows() && curves.time(row) == t) return {row, 0};
  const size_t before = side == Side::left ? row - 1 : row;
  const double h = curves.time(before + 1) - curves.time(before);
  return {before, (t - curves.time(before)) / h};
}

double value(const Curves& curves, Position at, size_t column) {
  const double x = curves.at(at.row, column);
  return at.weight == 0 ? x : x + at.weight * (curves.at(at.row + 1, column) - x);
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

struct Pair {
  size_t a, b;  // columns
};

class Comparison {
 public:
  Comparison(const Recording& a, const Recording& b, const Tolerance& tolerance)
      : a_(a, "first"), b_(b, "second") {
    out_.from = std::max(a_.time(0), b_.time(0));
    out_.to = std::min(a_.time(a_.rows() - 1), b_.time(b_.rows() - 1));
    if (out_.from > out_.to)
      throw UserError(
          {},
          fmt::format("the results have no time in common: {} to {} s, {} to {} s", a_.time(0),
                      a_.time(a_.rows() - 1), b_.time(0), b_.time(b_.rows() - 1)),
          "compare runs of the same time");
    jump_distance_ = tolerance.time * (out_.to - out_.from);
    out_.same_interval =
        std::abs(a_.time(0) - b_.time(0)) <= jump_distance_ &&
        std::abs(a_.time(a_.rows() - 1) - b_.time(b_.rows() - 1)) <= jump_distance_;
  }

  Difference run(std::vector<Pair> pairs, const Recording& a, const Tolerance& tolerance) {
    pairs_ = std::move(pairs);
    for (const Pair& pair : pairs_) out_.signals.emplace_back().signal = a.signals[pair.a];
    const size_t last = a_.row_at(out_.to, Side::right);
    for (size_t row = a_.row_at(out_.from, Side::left); row <= last; ++row)
      for (size_t k = 0; k < pairs_.size(); ++k) {
        const double x = std::abs(a_.at(row, pairs_[k].a));
        if (std::isfinite(x)) out_.signals[k].scale = std::max(out_.signals[k].scale, x);
      }
    for (SignalDifference& each : out_.signals)
      each.allowed = tolerance.absolute + tolerance.relative * each.scale;

    // The difference of two polygons is largest at a corner of one of them.
    for (double t = out_.from;;) {
      visit(t);
      const double next = std::min(time_after(a_, t), time_after(b_, t));
      if (next > out_.to) break;
      t = next;
    }
    return std::move(out_);
  }

 private:
  static double time_after(const Curves& curves, double t) {
    const size_t row = curves.row_at(t, Side::right) + 1;
    return row < curves.rows() ? curves.time(row) : std::numeric_limits<double>::infinity();
  }

  void visit(double t) {
    if (a_.jumps_near(t, jump_distance_) || b_.jumps_near(t, jump_distance_)) return visit_jump(t);
    const Position a = locate(a_, t, Side::right), b = locate(b_, t, Side::right);
    for (size_t k = 0; k < pairs_.size(); ++k) {
      const double x = value(a_, a, pairs_[k].a), y = value(b_, b, pairs_[k].b);
      record(out_.signals[k], t, x, y, distance(x, y));
    }
  }

  // At a jump the two may jump in either order: each value of one is compared with all values that
  // the other takes around this time.
  void visit_jump(double t) {
    const std::vector<Position> near_a = positions_near(a_, t), near_b = positions_near(b_, t);
    for (const Side side : {Side::left, Side::right}) {
      const Position a = locate(a_, t, side), b = locate(b_, t, side);
      for (size_t k = 0; k < pairs_.size(); ++k) {
        const double x = value(a_, a, pairs_[k].a), y = value(b_, b, pairs_[k].b);
        const double d = std::max(distance_to_hull(x, b_, near_b, pairs_[k].b),
                                  distance_to_hull(y, a_, near_a, pairs_[k].a));
        record(out_.signals[k], t, x, y, std::min(d, distance(x, y)));
      }
    }
  }
  std::vector<Position> positions_near(const Curves& curves, double t) const {
    const double first = std::max(t - jump_distance_, out_.from),
                 last = std::min(t + jump_distance_, out_.to);
    std::vector<Position> positions{locate(curves, first, Side::left),
                                    locate(curves, last, Side::right)};
    for (size_t row = curves.row_at(first, Side::left);
         row < curves.rows() && curves.time(row) <= last; ++row)
      positions.push_back({row, 0});
    return positions;
  }
  static double distance_to_hull(double x, const Curves& curves,
                                 const std::vector<Position>& positions, size_t column) {
    double low = std::numeric_limits<double>::infinity(), high = -low, nearest = low;
    for (const Position& position : positions) {
      const double y = value(curves, position, column);
      low = std::min(low, y);
      high = std::max(high, y);
      nearest = std::min(nearest, distance(x, y));
    }
    return x >= low && x <= high ? 0 : nearest;
  }

  static void record(SignalDifference& out, double t, double x, double y, double d) {
    if (d > out.allowed && !out.leaves_at) out.leaves_at = t;
    if (d <= out.largest) return;
    out.largest = d;
    out.at = t;
    out.a = x;
    out.b = y;
  }

  Curves a_, b_;
  double jump_distance_ = 0;
  std::vector<Pair> pairs_;
  Difference out_;
};

}  // namespace

bool Difference::inside() const {
  return std::all_of(signals.begin(), signals.end(),
                     [](const SignalDifference& each) { return each.inside(); });
}

bool Difference::complete() const {
  return other_unit.empty() && only_a.empty() && only_b.empty() && same_interval;
}

bool Difference::agrees(bool strict) const {
  return inside() && other_unit.empty() && (!strict || complete());
}

Difference calc_difference(const Recording& a, const Recording& b, const Tolerance& tolerance,
                           const std::vector<std::string>& patterns) {
  // Signals of both, by name; column 0 is time in either.
  std::vector<std::string> names = a.names();
  std::unordered_map<std::string, size_t> in_a, in_b;
  for (size_t i = 1; i < a.columns(); ++i) in_a.emplace(a.signals[i].name, i);
  for (size_t i = 1; i < b.columns(); ++i) in_b.emplace(b.signals[i].name, i);
  for (size_t i = 1; i < b.columns(); ++i)
    if (!in_a.contains(b.signals[i].name)) names.push_back(b.signals[i].name);
  names.erase(names.begin());
  std::vector<std::string> chosen;
  for (const size_t i : select(names, patterns)) chosen.push_back(names[i]);
  if (patterns.empty()) chosen = names;

  Comparison comparison(a, b, tolerance);
  std::vector<Pair> pairs;
  std::vector<std::string> only_a, only_b, other_unit;
  for (const std::string& name : chosen) {
    const auto i = in_a.find(name), j = in_b.find(name);
    if (j == in_b.end()) {
      only_a.push_back(name);
    } else if (i == in_a.end()) {
      only_b.push_back(name);
    } else {
      const std::string &unit_a = a.signals[i->second].unit, &unit_b = b.signals[j->second].unit;
      if (unit_a != unit_b && !unit_a.empty() && !unit_b.empty())
        other_unit.push_back(name);
      else
        pairs.push_back({i->second, j->second});
    }
  }
  if (pairs.empty() && other_unit.empty())
    throw UserError({}, "the results have no signal in common",
                    "compare results of the same model");
  Difference out = comparison.run(std::move(pairs), a, tolerance);
  out.only_a = std::move(only_a);
  out.only_b = std::move(only_b);
  out.other_unit = std::move(other_unit);
  return out;
}

}  // namespace couplet::results
