#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace couplet::app {
namespace {

/// The bytes so far may end inside a character.
struct Guard {
  int file;
  bool after_c2 = false;  // in UTF-8, c2 80 to c2 9f are control characters, too
};

std::string escaped(const char* bytes, size_t n, Guard& guard) {
  std::string out;
  for (size_t i = 0; i < n; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (guard.after_c2) {
      guard.after_c2 = false;
      if (c >= 0x80 && c < 0xa0) {
        out += fmt::format("\\x{:02x}", c);
        continue;
      }
      out += '\xc2';
    }
    if (c == 0xc2)
      guard.after_c2 = true;
    else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
      out += fmt::format("\\x{:02x}", c);
    else
      out += static_cast<char>(c);
  }
  return out;
}

ssize_t write_escaped(void* cookie, const char* bytes, size_t n) {
  Guard& guard = *static_cast<Guard*>(cookie);
  const std::string text = escaped(bytes, n, guard);
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(guard.file, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return 0;
    if (written > 0) done += static_cast<size_t>(written);
  }
  return static_cast<ssize_t>(n);
}

void guard_stream(std::FILE*& stream, int file, int buffering) {
  if (!::isatty(file)) return;
  std::FILE* guarded =
      ::fopencookie(new Guard{file}, "w", {nullptr, write_escaped, nullptr, nullptr});
  if (!guarded) return;
  std::setvbuf(guarded, nullptr, buffering, BUFSIZ);
  stream = guarded;
}

}  // namespace

void guard_terminal() {
  guard_stream(stdout, STDOUT_FILENO, _IOLBF);
  guard_stream(stderr, STDERR_FILENO, _IONBF);
}

}  // namespace couplet::app
