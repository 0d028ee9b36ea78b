// What reaches a terminal is text.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace couplet::app {

/// From now on control characters of what is printed to a terminal, except line ends and tabs, are
/// shown as \x1b: names in files of strangers could move the cursor, or the user. Files and pipes
/// get what is printed. Errors, warnings and fixes are in colour, unless NO_COLOR is set.
void guard_terminal();

/// Prints to standard error, after what was printed before. Where that cannot be written to, there
/// is nobody to tell, and what the verb does goes on.
template <class... Args>
void complain(fmt::format_string<Args...> text, Args&&... args) {
  const std::string line = fmt::format(text, std::forward<Args>(args)...);
  std::fflush(stdout);
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

}  // namespace couplet::app
