// The same run for many values of parameters, with a table of how each ended.
#pragma once

#include "couplet/workbench/run.hpp"

namespace couplet::workbench {

/// A parameter and the texts of its values, as `set` takes them.
struct Variation {
  std::string name;
  std::vector<std::string> values;
};

struct SweepRequest {
  RunRequest run;  // with `out` NAME.csv: results are NAME_1.csv, …, the table NAME_table.csv
  std::vector<Variation> vary;  // of several all combinations; the last changes fastest
};

struct SweptRun {
  std::vector<std::string> values;
  RunReport report;
};

struct SweepControl {
  bool overwrite = false;       // replace results that exist
  std::function<bool()> watch;  // called after every step; false ends the sweep
  std::function<results::About(const RunRequest&)> about;  // what a result says of itself
  std::function<void(const SweptRun&)> ran;                // called after each run
};

struct SweepReport {
  size_t runs = 0;
  std::vector<std::string> failures;  // "d = 3: t = 0.2: …", of runs that ended with an error
  bool interrupted = false;           // by `watch`; the run that it ended has no row
  std::string table;                  // path; empty: interrupted before the first run had ended
};

/// When the model says that its runs end, with the first of the values; absent: it does not.
std::optional<double> find_end(const SweepRequest& request);

/// Throws UserError for what is wrong with the request. The table has a row for each run that
/// ended by itself: the values, and the last row of its result. Those that fail stop nothing.
SweepReport sweep(const SweepRequest& request, const SweepControl& control = {});

/// "d = 2" for each of these results of one sweep, from the table beside them; empty when they are
/// none.
std::vector<std::string> find_swept_values(const std::vector<std::string>& results);

}  // namespace couplet::workbench
