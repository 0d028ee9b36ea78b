// Runs, as `couplet run` and `couplet resume` do them.
#pragma once

#include <functional>

#include "arguments.hpp"
#include "couplet/workbench/run.hpp"
#include "model_options.hpp"

namespace couplet::app {

/// How a run is integrated and what it records, for all verbs that run.
void add_run_options(Arguments& arguments, workbench::RunRequest& request);

/// What `couplet run` does, and `couplet inverse`.
std::function<int()> declare_run(Arguments& arguments, bool inverse);

/// A command that repeats it, as it can be typed into a shell.
std::string command_line(const workbench::RunRequest& request);

/// Runs, shows how far it is, prints what happened. Gives the exit status.
int run_request(const workbench::LoadedModel& model, const workbench::RunRequest& request,
                const ModelOptions& options, workbench::RunControl control);

}  // namespace couplet::app
