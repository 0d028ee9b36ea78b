// Plots of results as SVG: one panel per unit over a common axis, several results over each other
// with their largest difference.
#pragma once

#include <limits>

#include "couplet/results/plot/svg.hpp"
#include "couplet/results/recording.hpp"

namespace couplet::results {

struct PlotOptions {
  std::vector<std::string> signals;  // patterns; empty: positions, or the first ones
  std::string against;               // the signal of the horizontal axis; empty: time
  std::string title;                 // empty: the name of the result
  double from = -std::numeric_limits<double>::infinity();  // s
  double to = std::numeric_limits<double>::infinity();     // s
  int width = 760, height = 0;                             // pixels; height 0: as the panels need
  Theme theme = Theme::automatic;
};

/// From this many results on, colours say which result it is, on a scale, and dashes which signal.
constexpr size_t least_of_study = 6;

struct PlotInput {
  std::string name;  // in the legend
  const Recording* recording;
};

struct Plot {
  std::string svg;
  std::vector<std::string> notes;  // what was left out
};

/// UserError for a pattern that chooses nothing, a time window without rows, …
Plot draw_plot(const std::vector<PlotInput>& inputs, const PlotOptions& options);

}  // namespace couplet::results
