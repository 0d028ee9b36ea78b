// What is said beside the answer, on standard error: warnings, notes, errors.
#pragma once

#include <string>
#include <vector>

#include "couplet/base/diagnostics.hpp"

namespace couplet::app {

/// From now on each remark is a line of JSON.
void speak_json();

/// "model.yaml:3:4: warning: …", or {"severity": "warning", "file": …}.
void remark(const base::Diagnostic& what);
/// "note: …", or {"severity": "note", "what": …}; so with "warning".
void remark(const char* severity, const std::string& what);
/// "interrupted at …": a line as it is, or a note.
void say(const std::string& line);
/// What ends the program: a person reads it, or {"status": 2, "errors": […]}.
void report(const std::vector<base::Diagnostic>& errors, int status);

}  // namespace couplet::app
