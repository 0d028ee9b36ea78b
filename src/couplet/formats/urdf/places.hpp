// Line and column of any byte of a text, for messages.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/base/diagnostics.hpp"

namespace couplet::formats::urdf {

/// Columns count characters (UTF-8 code points), a tab as one. Made in O(size); each look-up is
/// O(1), also in a file that is one long line.
class Places {
 public:
  Places(std::string_view text, std::string file_name);  // `text` must outlive this
  base::SourceLocation at(size_t offset) const;
  base::SourceLocation file() const { return {file_, 0, 0}; }

 private:
  struct Position {
    int line = 1, column = 1;
    void advance(char c);
  };
  static constexpr size_t stride = 256;

  std::string_view text_;
  base::FileName file_;
  std::vector<Position> milestones_;  // of bytes 0, stride, 2 stride, …
};

}  // namespace couplet::formats::urdf
