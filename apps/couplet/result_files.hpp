// Results and pictures, as the verbs read and write them.
#pragma once

#include <string>

#include "couplet/base/files.hpp"
#include "couplet/results/recording.hpp"

namespace couplet::app {

/// Reads a result; when it is not complete, says so on standard error.
results::Recording load_result(const std::string& path);

/// To a .png, at `scale` pixels for one, or as it is. UserError when that is not possible.
void write_picture(const std::string& svg, const base::Output& output, double scale);

}  // namespace couplet::app
