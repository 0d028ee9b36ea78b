// Other programs, run without a shell.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace couplet::base {

struct ProgramOutput {
  int status = -1;   // -1: it could not be started, or was killed
  std::string text;  // standard output and error, without the last line feed
};

/// Runs the program words[0], found on PATH, feeding it `input`.
ProgramOutput run_program(const std::vector<std::string>& words, const std::string& input = {});

/// Starts a program that nobody listens to and that may outlive this one. It has the open file
/// `kept` as its file 3, a lock for instance. -1: it could not be started.
pid_t start_program(const std::vector<std::string>& words, int kept);
/// The exit status of a program that was started (-1: it was killed); nothing while it runs.
std::optional<int> find_status(pid_t program);
/// Whether there is a program of this name, on PATH if it is not a path itself.
bool has_program(const std::string& name);

}  // namespace couplet::base
