// A source text and how messages point into it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "couplet/base/diagnostics.hpp"

namespace couplet::modelica {

/// A stretch of a source text, in bytes from its start.
struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct Source {
  base::FileName path;  // as messages show it
  std::string text;

  base::SourceLocation locate(uint32_t offset) const;  // O(offset): only messages need it
  /// The line of the range with a caret under it, for the end of a message; starts with a new line.
  std::string excerpt(Range range) const;
  std::string_view slice(Range r) const {
    return std::string_view(text).substr(r.begin, r.end - r.begin);
  }
};

/// Reports `what` at `range` of `source`, with the line and a caret.
void report(base::Diagnostics& diagnostics, const Source& source, Range range, std::string what,
            std::string fix = {});

}  // namespace couplet::modelica
