// A lock between processes: a file that one of them at a time holds. It ends with its process,
// however that ends.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

namespace couplet::base {

class FileLock {
 public:
  struct Holder {
    std::string process;  // its number; empty: unknown
  };
  /// The lock, or who has it. The file is made where it is missing, not through links. Throws
  /// std::system_error when that is not possible, or there is a file with other content.
  static std::variant<FileLock, Holder> try_take(const std::filesystem::path& path);

  ~FileLock();  // removes the file
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

  /// For a child process that is to have the lock as long as it lives.
  int descriptor() const { return file_; }
  /// From now on the lock is that child's, who also removes the file.
  void hand_over();

 private:
  FileLock(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}

  std::filesystem::path path_;
  int file_;
};

}  // namespace couplet::base
