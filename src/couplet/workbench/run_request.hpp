// All that a run is asked for, as a value: by name, so that a checkpoint can keep it, a resumed run
// can be compared with it, and a command line can repeat it.
#pragma once

#include "couplet/mechanics/simulation.hpp"
#include "couplet/workbench/load.hpp"

namespace couplet::workbench {

struct RunRequest {
  std::string model;   // path
  std::string folder;  // that relative paths start from; empty: the current one
  LoadOptions load;
  std::string formalism;            // empty: recursive, for closed loops schur
  std::string integrator;           // empty: dopri5, or rk4 with a fixed step
  std::string equations;            // that implicit integrators solve; empty: residual
  std::string state;                // file: where the motion begins; empty: where the model says
  double until = 10;                // s
  std::optional<double> step;       // s: fixed; absent: steps follow the tolerance
  double tolerance = 1e-6;          // relative
  std::optional<double> absolute;   // in SI units; absent: as the relative one
  std::optional<double> max_step;   // s, of steps that follow the tolerance
  std::optional<double> interval;   // s between rows; absent: a thousandth of the run
  bool every_step = false;          // a row for every step instead
  std::vector<std::string> record;  // names, patterns, expressions; empty: the usual ones
  std::string out;                  // result; empty: the model's name with .csv
  double checkpoint = 0;            // simulated s between checkpoints; 0: none
  double real_time = 0;             // simulated seconds per second; 0: as fast as possible
};

/// Options that are not as they are when nothing is said, by name, in the order above. Lists give
/// an entry for each of theirs.
simulate::Request to_options(const RunRequest& request);
/// The same back. Throws UserError for a name that no option has.
RunRequest read_options(const simulate::Request& options);
/// "`tolerance` was 1e-06 and is 1e-08": what differs; where it is, and whom it trusts, does not
/// count.
std::vector<std::string> list_differences(const RunRequest& then, const RunRequest& now);

/// Relative to the request's folder.
std::string resolve(const RunRequest& request, const std::string& path);
std::string result_path(const RunRequest& request);
/// As simulate/ and mechanics/ take them. Throws UserError for an interval that is not possible.
mechanics::RunOptions make_run_options(const RunRequest& request);

}  // namespace couplet::workbench
