#include "couplet/simulate/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::simulate {
namespace {

constexpr const char* first_line = "couplet checkpoint 2";

uint64_t fnv(std::string_view text, uint64_t hash = 14695981039346656037ull) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

// One line per text: line ends and backslashes escaped.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\' && i + 1 < text.size())
      out += text[++i] == 'n' ? '\n' : text[i];
    else
      out += text[i];
  return out;
}

[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw base::UserError({},
                        fmt::format("{} is damaged or no checkpoint", base::quoted(path.string())),
                        "start the run again");
}

}  // namespace

std::filesystem::path checkpoint_path(const std::filesystem::path& result) {
  return result.string() + ".checkpoint";
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  std::string text = fmt::format("{}\nmodel {}\nrows {}\nt {:a}\n", first_line,
                                 checkpoint.model_hash, checkpoint.rows, checkpoint.t);
  for (const auto& [key, value] : checkpoint.request)
    text += "request " + key + " " + escaped(value) + "\n";
  text += fmt::format("numbers {}\n", checkpoint.numbers.size());
  for (const double number : checkpoint.numbers) text += fmt::format("{:a}\n", number);
  text += fmt::format("end {:016x}\n", fnv(text));

  const std::string temporary = path.string() + ".new";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = file >= 0;
  for (size_t done = 0; good && done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    good = n > 0;
    if (good) done += static_cast<size_t>(n);
  }
  if (file >= 0) good = ::close(file) == 0 && good;
  good = good && std::rename(temporary.c_str(), path.c_str()) == 0;
  if (good) return;
  const std::string reason = std::strerror(errno);
  ::unlink(temporary.c_str());
  throw base::ComputationError(
      fmt::format("cannot write the checkpoint {}: {}\n  the one before it is untouched",
                  base::quoted(path.string()), reason));
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw base::UserError({}, fmt::format("there is no checkpoint {}", base::quoted(path.string())),
                          "runs write one with `checkpoint`, and when they are interrupted");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const size_t end = text.rfind("end ");
  if (!text.starts_with(first_line) || end == std::string::npos ||
      text.substr(end) != fmt::format("end {:016x}\n", fnv(text.substr(0, end))))
    refuse(path);
  Checkpoint out;
  size_t count = 0;
  for (size_t at = 0; at < end;) {
    const size_t stop = text.find('\n', at);
    const std::string line = text.substr(at, stop - at);
    at = stop + 1;
    const size_t space = std::min(line.find(' '), line.size());
    const std::string key = line.substr(0, space),
                      value = space < line.size() ? line.substr(space + 1) : "";
    if (key == "model")
      out.model_hash = value;
    else if (key == "rows")
      out.rows = std::strtoull(value.c_str(), nullptr, 10);
    else if (key == "t")
      out.t = std::strtod(value.c_str(), nullptr);
    else if (key == "request") {
      const size_t gap = std::min(value.find(' '), value.size());
      out.request.emplace_back(value.substr(0, gap),
                               unescaped(value.substr(std::min(gap + 1, value.size()))));
    } else if (key == "numbers")
      count = std::strtoull(value.c_str(), nullptr, 10);
    else if (line != first_line)
      out.numbers.push_back(std::strtod(line.c_str(), nullptr));
  }
  if (out.numbers.size() != count) refuse(path);
  return out;
}

std::string hash_files(const std::vector<std::string>& paths) {
  uint64_t hash = fnv("");
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    hash = fnv(text, fnv("\n", hash));
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace couplet::simulate
