// Other programs, run without a shell.
#pragma once

#include <string>
#include <vector>

namespace couplet::base {

struct ProgramOutput {
  int status = -1;   // -1: it could not be started, or was killed
  std::string text;  // standard output and error, without the last line feed
};

/// Runs the program words[0], found on PATH, feeding it `input`.
ProgramOutput run_program(const std::vector<std::string>& words, const std::string& input = {});

}  // namespace couplet::base
