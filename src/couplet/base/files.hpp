// Files are read whole, and written under a temporary name that becomes theirs: whoever opens one
// finds all of it, or what was there before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "couplet/base/diagnostics.hpp"

namespace couplet::base {

/// Why a file was not read.
struct ReadTrouble {
  enum class Kind { missing, directory, special, too_large, unreadable } kind;
  std::string reason;       // in words, e.g. "Permission denied"
  std::uintmax_t size = 0;  // bytes; when too large
};

/// The content of a regular file of at most so many bytes. A pipe is read when it is open already
/// (/dev/stdin, /dev/fd/…); one with a name is special, as is a device: nobody waits for it.
std::variant<std::string, ReadTrouble> try_read_file(const std::filesystem::path& path,
                                                     std::uintmax_t most_bytes);

/// What to say of it, in the same words whatever file it is. `where` is the place that names the
/// file; nowhere: the user does.
UserError explain(const ReadTrouble& trouble, const std::filesystem::path& path,
                  std::uintmax_t most_bytes, SourceLocation where = {});

/// All of standard input, read once. `role`: what it is, "the model"; throws UserError where it is
/// something else already, and where it has more than so many bytes.
const std::string& read_standard_input(const std::string& role,
                                       std::uintmax_t most_bytes = 64 << 20);

/// What becomes of a file that is there already.
enum class Existing { replace, refuse };

/// A new file beside the one that it is going to be. Nobody else has its name, links are not
/// followed.
class TemporaryFile {
 public:
  /// Throws std::system_error.
  explicit TemporaryFile(const std::filesystem::path& target);
  ~TemporaryFile();  // removes it, unless it was published or kept
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Throws std::system_error.
  void write(std::string_view bytes);
  /// Gives it the target's name, when it is safe on the disk. Throws std::system_error: EEXIST when
  /// there is such a file and `refuse`.
  void publish(Existing existing = Existing::replace);
  /// It stays, under its temporary name.
  void keep() { kept_ = true; }

 private:
  std::filesystem::path target_, path_;
  int file_ = -1;
  bool kept_ = false;
};

/// Replaces a file as a whole; a link is replaced, not what it leads to. Devices and pipes, which
/// have nothing to lose, are written to directly. Throws std::system_error.
void write_file(const std::filesystem::path& path, std::string_view content,
                Existing existing = Existing::replace);

/// A file that a user asked for.
struct Output {
  std::filesystem::path path;
  std::string what;                                // "the picture"
  bool overwrite = false;                          // it may replace one that is there,
  std::vector<std::filesystem::path> inputs = {};  // but never one of these, which it is made from
};
/// Throws UserError when there is a file that may not be replaced: for those who compute long
/// before they write.
void check_output(const Output& output);
/// Writes it; throws UserError that says why that is not possible.
void save_file(const Output& output, std::string_view content);
/// The same where something else writes: what `write` throws as std::system_error is explained.
void save_file(const Output& output,
               const std::function<void(const std::filesystem::path&, Existing)>& write);

/// The user's folder for what can be computed again: $XDG_CACHE_HOME/couplet/<purpose>, or in
/// ~/.cache. Made if it is missing, for the user alone (0700). Throws std::runtime_error when there
/// is none, or others can write to it.
std::filesystem::path make_cache_folder(std::string_view purpose);

}  // namespace couplet::base
