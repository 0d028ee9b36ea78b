#include "couplet/base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::base {
namespace {

namespace fs = std::filesystem;
using Kind = ReadTrouble::Kind;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

constexpr const char* standard_input = "standard input";  // in messages

bool is_open_already(const fs::path& path) {
  const std::string name = path.string();
  return name == "/dev/stdin" || name == "/dev/stdout" || name == "/dev/stderr" ||
         name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

[[noreturn]] void fail(const fs::path& path, int error = errno) {
  throw std::system_error(error, std::generic_category(), path.string());
}

std::variant<std::string, ReadTrouble> read_all(int file, std::uintmax_t expected,
                                                std::uintmax_t most) {
  std::string text;
  text.reserve(static_cast<size_t>(expected));
  for (std::array<char, 1 << 16> piece{};;) {
    const ssize_t n = ::read(file, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ReadTrouble{Kind::unreadable, std::strerror(errno)};
    if (n == 0) return text;
    text.append(piece.data(), static_cast<size_t>(n));
    if (text.size() > most) return ReadTrouble{Kind::too_large, "it is too large", text.size()};
  }
}

void write_all(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(path, n < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace

std::variant<std::string, ReadTrouble> try_read_file(const fs::path& path,
                                                     std::uintmax_t most_bytes) {
  const bool is_open = is_open_already(path);
  // Opening a pipe that nobody writes to would wait.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (is_open ? 0 : O_NONBLOCK)));
  if (file < 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return ReadTrouble{missing          ? Kind::missing
                       : errno == ENXIO ? Kind::special
                                        : Kind::unreadable,
                       std::strerror(errno)};
  }
  struct stat about {};
  if (::fstat(file, &about) != 0) return ReadTrouble{Kind::unreadable, std::strerror(errno)};
  if (S_ISDIR(about.st_mode)) return ReadTrouble{Kind::directory, "it is a directory"};
  if (!S_ISREG(about.st_mode) && !is_open)
    return ReadTrouble{Kind::special, "it is not a regular file"};
  const auto size = S_ISREG(about.st_mode) ? static_cast<std::uintmax_t>(about.st_size) : 0;
  if (size > most_bytes) return ReadTrouble{Kind::too_large, "it is too large", size};
  return read_all(file, size, most_bytes);
}

const std::string& read_standard_input(const std::string& role, std::uintmax_t most_bytes) {
  static const std::string first_role = role;
  static const auto read = read_all(STDIN_FILENO, 0, most_bytes);
  if (role != first_role)
    throw UserError(
        {}, fmt::format("standard input is {} already and cannot be {}, too", first_role, role),
        "put one of them into a file");
  if (const auto* trouble = std::get_if<ReadTrouble>(&read))
    throw explain(*trouble, standard_input, most_bytes);
  return std::get<std::string>(read);
}

UserError explain(const ReadTrouble& trouble, const fs::path& path, std::uintmax_t most_bytes,
                  SourceLocation where) {
  const std::string name = where.file ? "file " + quoted(path.string()) : "the file";
  const bool is_named = bool(where.file);
  if (!is_named) where.file = path.string();
  switch (trouble.kind) {
    case Kind::missing:
      return {
          where, "file " + quoted(path.string()) + " does not exist",
          is_named ? "check the path; it is relative to the file that names it" : "check the path"};
    case Kind::directory:
      return {where, name + " is a directory", "name a file in it"};
    case Kind::special:
      return {where, name + " is not a regular file", "give a file on a disk"};
    case Kind::too_large:
      return {where,
              fmt::format("{} has {} bytes{}; the limit is {} MB", name, trouble.size,
                          path == standard_input ? " or more" : "", most_bytes >> 20),
              "check that this is the file you meant"};
    case Kind::unreadable:
      break;
  }
  return {where, name + " cannot be read: " + trouble.reason, "check its permissions"};
}

TemporaryFile::TemporaryFile(const fs::path& target) : target_(target) {
  static std::atomic<int> count{0};
  for (int attempt = 0; file_ < 0; ++attempt) {
    path_ = target;
    path_ += fmt::format(".{}-{}.part", ::getpid(), count++);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0 && (errno != EEXIST || attempt == 1000)) fail(path_);
  }
}

TemporaryFile::~TemporaryFile() {
  if (file_ >= 0) ::close(file_);
  if (!kept_) ::unlink(path_.c_str());
}

void TemporaryFile::write(std::string_view bytes) { write_all(file_, bytes, path_); }

void TemporaryFile::publish(Existing existing) {
  // Some file systems know no fsync (EINVAL): what they promise without is all there is.
  if (::fsync(file_) != 0 && errno != EINVAL) fail(path_);
  if (::close(std::exchange(file_, -1)) != 0) fail(path_);
  // A file that appeared meanwhile is somebody else's: rename would destroy it. Some network file
  // systems do not know RENAME_NOREPLACE.
  const int flags = existing == Existing::refuse ? RENAME_NOREPLACE : 0;
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), flags) != 0 &&
      (errno != EINVAL || std::rename(path_.c_str(), target_.c_str()) != 0))
    fail(target_);
  kept_ = true;
}

void write_file(const fs::path& path, std::string_view content, Existing existing) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  if (is_open_already(path) || (fs::exists(status) && fs::is_other(status))) {
    // A pipe that nobody reads is an error (ENXIO), not something to wait for.
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC));
    if (file < 0) fail(path);
    ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
    return write_all(file, content, path);
  }
  TemporaryFile file(path);
  file.write(content);
  file.publish(existing);
}

void check_output(const Output& output) {
  if (output.path == "-") return;
  std::error_code ignored;
  const base::SourceLocation where{output.path.string(), 0, 0};
  for (const fs::path& input : output.inputs)
    if (fs::equivalent(input, output.path, ignored))
      throw UserError(where, fmt::format("{} is made from this file", output.what),
                      "choose another name with `out`");
  const fs::file_status status = fs::symlink_status(output.path, ignored);
  if (fs::is_directory(output.path, ignored))
    throw UserError(where, "this is a folder", "name a file in it");
  if (!output.overwrite && fs::exists(status) && !fs::is_other(fs::status(output.path, ignored)) &&
      !is_open_already(output.path))
    throw UserError(where, "there is a file of this name already",
                    "replace it with `overwrite`, or choose another name with `out`");
}

void save_file(const Output& output, std::string_view content) {
  if (output.path == "-") {
    std::fwrite(content.data(), 1, content.size(), stdout);  // main sees whether it leaves
    return;
  }
  save_file(output,
            [&](const fs::path& path, Existing existing) { write_file(path, content, existing); });
}

void save_file(const Output& output, const std::function<void(const fs::path&, Existing)>& write) {
  check_output(output);
  try {
    write(output.path, output.overwrite ? Existing::replace : Existing::refuse);
  } catch (const std::system_error& error) {
    if (error.code().value() == EEXIST) check_output(output);  // it appeared meanwhile
    const SourceLocation where{output.path.string(), 0, 0};
    const std::string folder =
        output.path.has_parent_path() ? output.path.parent_path().string() : ".";
    if (error.code().value() == ENOENT || error.code().value() == ENOTDIR)  // as of results
      throw UserError(
          where, fmt::format("there is no folder {}", quoted(folder)),
          fmt::format("create it (mkdir -p {}), or write elsewhere with `out`", folder));
    throw UserError(where,
                    fmt::format("{} cannot be written: {}", output.what, error.code().message()),
                    "check the folder, or write elsewhere with `out`");
  }
}

fs::path make_cache_folder(std::string_view purpose) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (cache && *cache == '/')
    folder = cache;
  else if (home && *home == '/')
    folder = fs::path(home) / ".cache";
  else
    throw std::runtime_error("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set");
  folder /= "couplet";
  fs::create_directories(folder.parent_path());
  for (const bool is_inner : {false, true}) {
    if (is_inner) folder /= purpose;
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
      throw std::runtime_error(fmt::format("cannot make the cache folder {}: {}", folder.string(),
                                           std::strerror(errno)));
    struct stat about {};
    const mode_t forbidden = is_inner ? 0077 : 0022;  // others may look into the outer one
    if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) ||
        about.st_uid != ::geteuid() || (about.st_mode & forbidden) != 0)
      throw std::runtime_error(
          fmt::format("the cache folder {} is not private: chmod {} it, or remove it",
                      folder.string(), is_inner ? "0700" : "go-w"));
  }
  return folder;
}

}  // namespace couplet::base
