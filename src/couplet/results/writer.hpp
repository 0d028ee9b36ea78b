// Writing a result file while it is computed, so that a kill at any moment leaves a readable file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "couplet/base/file_lock.hpp"
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
/// has fewer rows, other signals, or rows of another run: `fingerprint` is base::hash() of all
/// numbers in these rows.
std::unique_ptr<ResultWriter> reopen_writer(const std::filesystem::path& path,
                                            const std::vector<Signal>& signals, const About& about,
                                            size_t rows, std::uint64_t fingerprint);

/// Whoever writes a result, or its checkpoint, holds this: two at once would spoil both. Nobody has
/// to hold it for reading. Absent for devices and pipes. UserError while another process has it.
std::optional<base::FileLock> claim_result(const std::filesystem::path& path);

}  // namespace couplet::results
