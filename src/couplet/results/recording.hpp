// A recording: the columns of a result, in memory. Column 0 is time; every column has a name and a
// unit.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace couplet::results {

struct Signal {
  std::string name;  // "pivot.q"
  std::string unit;  // "rad"; empty when it has none

  bool operator==(const Signal&) const = default;
};

/// Where a result comes from, in the order it was told: model, command, formalism, integrator, …
using About = std::vector<std::pair<std::string, std::string>>;

struct Recording {
  About about;
  std::vector<Signal> signals;  // [0] is time
  std::vector<double> values;   // row by row
  bool complete = true;         // false: the writer was killed, or has not finished
  std::string note;             // what is missing, when it is not complete

  size_t columns() const { return signals.size(); }
  size_t rows() const { return signals.empty() ? 0 : values.size() / signals.size(); }
  double at(size_t row, size_t column) const { return values[row * signals.size() + column]; }
  std::vector<double> column(size_t index) const;
  std::optional<size_t> find(std::string_view name) const;
  std::vector<std::string> names() const;
};

/// Reads a CSV or HDF5 result; which of them it is, its first bytes say. A file whose writer was
/// killed reads up to its last whole row. UserError when it is no result.
Recording read_result(const std::filesystem::path& path);

}  // namespace couplet::results
