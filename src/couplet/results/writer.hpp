// Writing a result file while it is computed, so that a kill at any moment leaves a readable file.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "couplet/results/recording.hpp"

namespace couplet::results {

/// A result file being written, by one thread. What was appended before flush() survives SIGKILL
/// (not a power failure). ComputationError when the disk refuses; what was flushed before stays
/// readable.
class ResultWriter {
 public:
  virtual ~ResultWriter() = default;
  virtual void append(std::span<const double> whole_rows) = 0;
  virtual void flush() = 0;
  virtual void close() = 0;
};

/// A new result; its format by its ending: .csv, .h5 or .hdf5. The file appears under its name with
/// the first flush(), complete with its header; until then an older result of that name is
/// untouched, and stays if nothing is ever flushed. UserError: it exists and `overwrite` is off,
/// unknown ending, no such folder, …
std::unique_ptr<ResultWriter> make_writer(const std::filesystem::path& path,
                                          const std::vector<Signal>& signals, const About& about,
                                          bool overwrite);

/// Continues a result after its first `rows` rows; later ones are dropped. UserError when the file
/// has fewer rows, or other signals.
std::unique_ptr<ResultWriter> reopen_writer(const std::filesystem::path& path,
                                            const std::vector<Signal>& signals, const About& about,
                                            size_t rows);

}  // namespace couplet::results
