// Where a result is going to be. It is written under a temporary name beside its own and renamed
// when its first rows are on disk, so that a result of this name is always whole, and the one
// before it is not lost to a run that fails at once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/files.hpp"

namespace couplet::results {

/// The file as the place of a message.
base::SourceLocation place(const std::filesystem::path& path);

/// "cannot write result.csv: No space left on device", with what is safe and what to do about it.
base::ComputationError write_error(const std::filesystem::path& path, const std::string& reason,
                                   size_t safe_rows);

// ---- Why a result cannot be continued (UserError)
[[noreturn]] void fail_other_signals(const std::filesystem::path& path);
[[noreturn]] void fail_too_few_rows(const std::filesystem::path& path, size_t there, size_t needed);
[[noreturn]] void fail_other_rows(const std::filesystem::path& path);

class Destination {
 public:
  /// Creates the temporary file, empty. UserError: exists and not `overwrite`, no such folder,
  /// read-only, …
  Destination(const std::filesystem::path& path, bool overwrite);

  const std::filesystem::path& path() const { return path_; }        // as the user says it
  const std::filesystem::path& working() const { return working_; }  // what is open
  bool is_regular() const {
    return working_ != final_;
  }  // no: a device or a pipe, written directly
  /// Gives the file its name, once.
  void publish();

 private:
  std::filesystem::path path_, final_, working_;
  std::optional<base::TemporaryFile> file_;  // removes itself when it was never published
  bool overwrite_ = false;
  bool published_ = false;
};

}  // namespace couplet::results
