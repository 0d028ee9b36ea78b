// What the tests of this room share: a folder of their own, and a recording whose rows prove
// themselves.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "couplet/base/hash.hpp"
#include "couplet/results/writer.hpp"

namespace couplet::results {

/// An empty folder that disappears with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "couplet-results-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      out.push_back(entry.path().filename());
    return out;
  }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Signals t, x1, x2, … and rows in which every value follows from the row's number.
inline std::vector<Signal> numbered_signals(size_t columns) {
  std::vector<Signal> signals{{"t", "s"}};
  for (size_t i = 1; i < columns; ++i) signals.push_back({"x" + std::to_string(i), "m"});
  return signals;
}
inline double numbered(size_t row, size_t column) {
  return static_cast<double>(row) * 1e-3 +
         (column == 0 ? 0 : std::sin(static_cast<double>(row * 7 + column)));
}
inline std::vector<double> numbered_rows(size_t first, size_t n, size_t columns) {
  std::vector<double> values;
  for (size_t row = first; row < first + n; ++row)
    for (size_t column = 0; column < columns; ++column) values.push_back(numbered(row, column));
  return values;
}
/// Of the first `n` of these rows.
inline std::uint64_t fingerprint(size_t n, size_t columns) {
  return base::hash(numbered_rows(0, n, columns));
}
inline void expect_numbered(const Recording& recording, size_t columns) {
  ASSERT_EQ(recording.signals, numbered_signals(columns));
  for (size_t row = 0; row < recording.rows(); ++row)
    for (size_t column = 0; column < columns; ++column)
      ASSERT_EQ(recording.at(row, column), numbered(row, column))
          << "row " << row << " column " << column;
}

}  // namespace couplet::results
