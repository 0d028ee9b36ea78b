#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace couplet::app {
namespace {

/// The bytes so far may end inside a character.
struct Guard {
  int file = -1;
  bool colours = false;
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

// https://no-color.org: any value but an empty one.
bool wants_colours(int file) {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return file == STDERR_FILENO && (!none || !*none) &&
         (!terminal || std::string_view(terminal) != "dumb");
}

// The first of the words that say what a line is.
void colour_line(std::string& line) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {{"error:", "\033[1;31m"},
                                                                     {"warning:", "\033[1;33m"},
                                                                     {"note:", "\033[1;36m"},
                                                                     {"  fix:", "\033[32m"}};
  for (const auto& [word, colour] : words) {
    const size_t at = line.find(word);
    if (at == std::string::npos || (at > 0 && line[at - 1] != ' ')) continue;
    line.insert(at + word.size(), "\033[0m");
    line.insert(at, colour);
    return;
  }
}

std::string coloured(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string line = text.substr(at, end - at);
    colour_line(line);
    out += line;
    at = end;
  }
  return out;
}

ssize_t write_escaped(void* cookie, const char* bytes, size_t n) {
  Guard& guard = *static_cast<Guard*>(cookie);
  std::string text = escaped(bytes, n, guard);
  if (guard.colours) text = coloured(text);
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(guard.file, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return 0;
    if (written > 0) done += static_cast<size_t>(written);
  }
  return static_cast<ssize_t>(n);
}

void guard_stream(std::FILE*& stream, int file, int buffering, Guard& guard) {
  if (!::isatty(file)) return;
  guard = {file, wants_colours(file)};
  std::FILE* guarded = ::fopencookie(&guard, "w", {nullptr, write_escaped, nullptr, nullptr});
  if (!guarded) return;
  std::setvbuf(guarded, nullptr, buffering, BUFSIZ);
  stream = guarded;
}

}  // namespace

void guard_terminal() {
  static Guard of_output, of_errors;  // streams are written to until the program ends
  guard_stream(stdout, STDOUT_FILENO, _IOLBF, of_output);
  guard_stream(stderr, STDERR_FILENO, _IONBF, of_errors);
}

}  // namespace couplet::app
