// Curves with marks in logarithmic panels side by side, with one legend for all: convergence, work
// and precision.
#pragma once

#include "couplet/results/plot/path.hpp"
#include "couplet/results/plot/svg.hpp"

namespace couplet::results {

struct MarkedCurve {
  std::string name;
  std::string group;          // a heading of the legend; curves of a group follow each other
  std::vector<Point> points;  // as measured, in order; those that are not positive are left out
};

struct LogPanel {
  std::string title, x_label, y_label;
  std::vector<MarkedCurve>
      curves;  // looked up by name in the legend; a curve may be in some panels only
};

struct LogPicture {
  std::string title, subtitle;
  std::vector<LogPanel> panels;               // the first has all curves
  int panel_width = 400, panel_height = 400;  // pixels
  Theme theme = Theme::automatic;
};

/// All panels share the range of y.
std::string draw_curves(const LogPicture& picture);

}  // namespace couplet::results
