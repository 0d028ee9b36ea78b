#include "couplet/base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace couplet::base {
namespace {

std::string read_holder(int file) {
  std::array<char, 20> text{};
  const ssize_t n = ::pread(file, text.data(), text.size(), 0);
  std::string process(text.data(), n > 0 ? static_cast<size_t>(n) : 0);
  const bool plain = process.find_first_not_of("0123456789") == std::string::npos;
  return plain ? process : std::string();
}

bool is_at(const std::filesystem::path& path, int file) {
  struct stat ours {
  }, there{};
  return ::fstat(file, &ours) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

}  // namespace

std::variant<FileLock, FileLock::Holder> FileLock::try_take(const std::filesystem::path& path) {
  while (true) {
    const int file =
        ::open(path.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0) throw std::system_error(errno, std::generic_category(), path.string());
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const Holder holder{read_holder(file)};
      ::close(file);
      if (error == EINTR) continue;
      if (error != EWOULDBLOCK)
        throw std::system_error(error, std::generic_category(), path.string());
      return holder;
    }
    FileLock lock(path, file);
    struct stat about {};
    if (::fstat(file, &about) == 0 && about.st_size > 0 && read_holder(file).empty()) {
      lock.hand_over();  // it is no lock, but somebody's file of this name
      throw std::system_error(EEXIST, std::generic_category(), path.string());
    }
    if (is_at(path, file)) {
      const std::string process = std::to_string(::getpid());
      if (::ftruncate(file, 0) != 0 || ::write(file, process.data(), process.size()) < 0)
        errno = 0;  // the number is for messages only
      return lock;
    }
    lock.hand_over();  // its last holder removed it meanwhile: another may be there already
  }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

FileLock::~FileLock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

void FileLock::hand_over() { ::close(std::exchange(file_, -1)); }

}  // namespace couplet::base
