// Runs, as `couplet run` and `couplet resume` do them.
#pragma once

#include "couplet/workbench/run_request.hpp"
#include "model_options.hpp"

namespace couplet::app {

/// A command that repeats it, as it can be typed into a shell.
std::string command_line(const workbench::RunRequest& request);

/// Runs, shows how far it is, prints what happened. Gives the exit status.
int run_request(const workbench::RunRequest& request, const ModelOptions& options, bool overwrite,
                bool resume);

}  // namespace couplet::app
