#include "couplet/simulate/checkpoint.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/files.hpp"
#include "couplet/base/hash.hpp"
#include "couplet/base/text.hpp"

namespace couplet::simulate {
namespace {

constexpr const char* first_words = "couplet checkpoint ";
constexpr const char* first_line = "couplet checkpoint 6";
constexpr std::uintmax_t largest = std::uintmax_t{1} << 32;  // bytes

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
  std::string text =
      fmt::format("{}\nmodel {}\nrows {}\nfingerprint {:016x}\nt {:a}\n", first_line,
                  checkpoint.model_hash, checkpoint.rows, checkpoint.fingerprint, checkpoint.t);
  for (const auto& [key, value] : checkpoint.request)
    text += "request " + key + " " + escaped(value) + "\n";
  text += fmt::format("numbers {}\n", checkpoint.numbers.size());
  for (const double number : checkpoint.numbers) text += fmt::format("{:a}\n", number);
  text += fmt::format("end {:016x}\n", base::hash(text));

  try {
    base::write_file(path, text);
  } catch (const std::system_error& error) {
    throw base::ComputationError(
        fmt::format("cannot write the checkpoint {}: {}\n  the one before it is untouched",
                    base::quoted(path.string()), error.code().message()));
  }
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const auto read = base::try_read_file(path, largest);
  if (const auto* trouble = std::get_if<base::ReadTrouble>(&read)) {
    if (trouble->kind == base::ReadTrouble::Kind::missing)
      throw base::UserError({},
                            fmt::format("there is no checkpoint {}", base::quoted(path.string())),
                            "runs write one with `checkpoint`, and when they are interrupted");
    throw base::UserError({},
                          fmt::format("the checkpoint {} cannot be read: {}",
                                      base::quoted(path.string()), trouble->reason),
                          "check its permissions, or start the run again");
  }
  const std::string& text = std::get<std::string>(read);
  const size_t end = text.rfind("end ");
  if (text.starts_with(first_words) && !text.starts_with(first_line))
    throw base::UserError({},
                          fmt::format("the checkpoint {} is of another version of Couplet",
                                      base::quoted(path.string())),
                          "go on with that version, or start the run again");
  if (!text.starts_with(first_line) || end == std::string::npos ||
      text.substr(end) != fmt::format("end {:016x}\n", base::hash(text.substr(0, end))))
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
    else if (key == "fingerprint")
      out.fingerprint = std::strtoull(value.c_str(), nullptr, 16);
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
  uint64_t hash = base::hash_start;
  for (const std::string& path : paths) {
    const auto read = base::try_read_file(path, largest);
    const auto* text = std::get_if<std::string>(&read);
    hash = base::hash(text ? *text : path, base::hash(text ? "\n" : "\n?", hash));
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace couplet::simulate
