// An SVG picture while it is drawn: text, axes, curves and marks, in the looks of the style sheet.
#pragma once

#include "couplet/results/plot/axis.hpp"
#include "couplet/results/plot/svg.hpp"

namespace couplet::results {

constexpr double font = 12, line_height = 15;  // pixels

struct Box {
  double left, right, top, bottom;  // pixels

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  double x_of(const Axis& axis, double x) const { return left + axis.part(x) * width(); }
  double y_of(const Axis& axis, double y) const { return bottom - axis.part(y) * height(); }
};

class Canvas {
 public:
  void begin(int width, double height, const std::string& description, Theme theme);
  void add(const std::string& svg) { svg_ += svg; }
  /// `css`: classes of the style sheet.
  void text(const char* css, double x, double y, const std::string& what);
  void text_upwards(double x, double y, const std::string& what);
  /// The lines of ticks, the two axes, and the numbers at the left.
  void frame(const Box& box, const Axis& x, const Axis& y);
  /// The numbers below, as many as do not touch each other, and what they are.
  void x_labels(const Box& box, const Axis& x, const std::string& name);
  /// What is added until end_clip is cut off at the box.
  void begin_clip(const Box& box, size_t number);
  void end_clip() { svg_ += "</g>\n"; }
  /// One of seven shapes in one of seven colours; different for the first 49 numbers.
  void mark(double x, double y, int number);

  std::string finish() &&;

 private:
  std::string svg_;
};

/// The dashes of the curve with this number: solid for the first seven, then others.
std::string dashes_of(int number);

}  // namespace couplet::results
