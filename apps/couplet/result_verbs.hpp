// The verbs that look at results: diff, plot; and doctor, which looks at the installation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "couplet/results/plot/plot.hpp"
#include "couplet/results/recording.hpp"

namespace CLI {
class App;
}

namespace couplet::app {

/// Reads a result; when it is not complete, says so on standard error.
results::Recording load_result(const std::string& path);

/// To a .png, at `scale` pixels for one, or as it is. UserError when that is not possible.
void write_picture(const std::string& svg, const std::string& path, double scale);

struct DiffOptions {
  std::string first, second;         // files
  double tolerance = 1e-6;           // relative
  double absolute = 1e-12;           // in the unit of the signal
  double time_tolerance = 1e-9;      // of the common interval
  std::vector<std::string> signals;  // patterns; empty: all
  bool strict = false;               // signals and times that only one has are differences
  bool all = false;                  // no line is left out
  bool json = false;
};

struct PlotVerbOptions {
  std::vector<std::string> words;  // results and patterns of signals
  std::string out;   // .svg or .png; empty: the name of the first result, .svg; - standard output
  double scale = 2;  // of a .png
  results::PlotOptions plot;
};

int diff(const DiffOptions& options);
int plot(const PlotVerbOptions& options);
int doctor(bool json);

/// Adds these verbs to the command line; `chosen` becomes the one that was called.
void add_result_verbs(CLI::App& app, std::function<int()>& chosen);

}  // namespace couplet::app
