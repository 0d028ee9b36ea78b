// What is in a plot, before it is drawn: panels, each with curves of one unit, and their axes.
#pragma once

#include "couplet/results/plot/axis.hpp"
#include "couplet/results/plot/plot.hpp"

namespace couplet::results {

struct Series {
  std::string name;
  int number = 0;  // in its panel: gives colour and dashes
  std::vector<std::optional<size_t>>
      columns;     // in each input; absent where an input has no such signal
  double end = 0;  // the last value that is a number, for the label
};

struct Panel {
  std::string unit;
  std::vector<Series> series;
  Axis y;
  std::string
      difference;  // "largest difference 3.2×10⁻⁷ rad (pivot.q at 4.2 s)"; empty for one input
};

struct Figure {
  std::string x_label, x_unit;
  Axis x;
  std::vector<std::optional<size_t>> x_columns;  // in each input
  std::vector<std::pair<size_t, size_t>> rows;   // of each input: first, one past the last
  std::vector<Panel> panels;
  std::vector<std::string> notes;
};

Figure make_figure(const std::vector<PlotInput>& inputs, const PlotOptions& options);

}  // namespace couplet::results
