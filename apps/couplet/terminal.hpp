// What reaches a terminal is text.
#pragma once

namespace couplet::app {

/// From now on control characters of what is printed to a terminal, except line ends and tabs, are
/// shown as \x1b: names in files of strangers could move the cursor, or the user. Files and pipes
/// get what is printed.
void guard_terminal();

}  // namespace couplet::app
