// Runs: from a request to a result on disk that survives being killed, or to a recording in memory.
#pragma once

#include <filesystem>

#include "couplet/results/recording.hpp"
#include "couplet/workbench/run_request.hpp"

namespace couplet::workbench {

/// How a run is watched, and what it may do with files that are there.
struct RunControl {
  bool overwrite = false;               // replace a result that exists
  std::string end_state;                // file for the state at the end; empty: none
  bool resume = false;                  // go on from the checkpoint of the result
  std::function<bool(double t)> watch;  // called after every step; false ends the run
  std::function<void(double t_start, const RunRequest&)> begin;  // before the first step
  results::About about;  // added to what the result says of itself
};

struct RunReport {
  RunRequest request;  // as it was carried out
  simulate::Summary summary;
  integrate::Description about;
  std::string integrator;
  std::vector<results::Signal> signals;
  std::string result;                       // path
  std::string checkpoint;                   // path; empty: there is none
  double t_start = 0;                       // s
  std::vector<std::string> energy_changes;  // what gives or takes energy: "damping", "motors", …
  std::vector<std::string> warnings;        // initial values that were given and could not be kept

  bool done() const;  // the end was reached, or a rule of the model ended it
};

/// Files that a run is made from: the model with its parts, and the state where it begins.
std::vector<std::filesystem::path> list_inputs(const RunRequest& request);
/// When the model says that its run ends; absent: it does not.
std::optional<double> find_end(const LoadedModel& model);

/// Throws UserError for what is wrong with the request, and when a run cannot go on because the
/// model or the options have changed. A run that fails on its way is reported, not thrown.
RunReport run(const RunRequest& request, const RunControl& control = {});
RunReport run(const LoadedModel& model, const RunRequest& request, const RunControl& control = {});

/// What the run of a result was asked for, from the checkpoint beside it.
RunRequest read_request(const std::string& result);

/// Runs in memory.
results::Recording record(const LoadedModel& model, const RunRequest& request,
                          simulate::Summary* summary = nullptr);

/// Names and units of all that can be recorded.
std::vector<results::Signal> list_signals(const LoadedModel& model, const RunRequest& request = {});

}  // namespace couplet::workbench
