// Signals: Ctrl-C and its like end a run cleanly, a plug-in that crashes is named.
#pragma once

#include <string>

namespace couplet::app {

/// From now on the first Ctrl-C, SIGTERM or SIGHUP only raises a flag; the second ends the program,
/// as does the first when nobody asks for the flag within three seconds: then `explanation` is
/// printed. Signals that are ignored (nohup) stay ignored.
void catch_interrupts(const std::string& explanation);
bool interrupted();
/// As shells count: 128 and the number of the signal, 130 after Ctrl-C.
int status_of_interrupt();

/// From now on a crash inside a plug-in, or after one was loaded, is a message that names it, and
/// exit status 1; rows that were recorded are written before.
void explain_crashes();

}  // namespace couplet::app
