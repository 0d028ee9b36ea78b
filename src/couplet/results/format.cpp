#include "couplet/results/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/destination.hpp"

namespace couplet::results {
namespace {

using base::UserError;

const std::array formats{&csv_format, &hdf5_format};

std::string lower_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

void check_signals(const std::vector<Signal>& signals) {
  base::ensure(!signals.empty() && signals[0] == Signal{"t", "s"}, "signal 0 of a result is time");
}

}  // namespace

const Format& format_of(const std::filesystem::path& path) {
  if (path == "-") return csv_format;  // standard output
  const std::string ending = lower_ending(path);
  std::string known;
  for (const Format* format : formats) {
    for (const std::string_view each : format->endings) {
      if (ending == each) return *format;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", each);
    }
  }
  throw UserError(place(path),
                  ending.empty() ? "the name of a result needs an ending that says its format"
                                 : fmt::format("{} is not a result format", base::quoted(ending)),
                  "choose one of " + known);
}

const Format& recognise(const std::filesystem::path& path) {
  using Kind = base::ReadTrouble::Kind;
  std::error_code ignored;
  const auto refuse = [&](Kind kind, const char* reason = "") {
    throw base::explain({kind, reason}, path, 0);
  };
  if (std::filesystem::is_directory(path, ignored)) refuse(Kind::directory);
  if (std::filesystem::is_other(path, ignored)) refuse(Kind::special);  // a pipe could wait
  std::ifstream file(path, std::ios::binary);
  if (!file)
    refuse(errno == ENOENT || errno == ENOTDIR ? Kind::missing : Kind::unreadable,
           std::strerror(errno));
  constexpr std::string_view hdf5_signature("\x89HDF\r\n\x1a\n", 8);
  std::array<char, 8> start{};
  file.read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == hdf5_signature ? hdf5_format : csv_format;
}

std::unique_ptr<ResultWriter> make_writer(const std::filesystem::path& path,
                                          const std::vector<Signal>& signals, const About& about,
                                          bool overwrite) {
  check_signals(signals);
  return format_of(path).make(path, signals, about, overwrite);
}

std::unique_ptr<ResultWriter> reopen_writer(const std::filesystem::path& path,
                                            const std::vector<Signal>& signals, const About& about,
                                            size_t rows, std::uint64_t fingerprint) {
  check_signals(signals);
  return recognise(path).reopen(path, signals, about, rows, fingerprint);
}

}  // namespace couplet::results
