#include "couplet/results/recording.hpp"

#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "couplet/base/files.hpp"
#include "couplet/results/format.hpp"

namespace couplet::results {

std::vector<double> Recording::column(size_t index) const {
  std::vector<double> out;
  out.reserve(rows());
  for (size_t i = index; i < values.size(); i += signals.size()) out.push_back(values[i]);
  return out;
}

std::optional<size_t> Recording::find(std::string_view name) const {
  for (size_t i = 0; i < signals.size(); ++i)
    if (signals[i].name == name) return i;
  return std::nullopt;
}

std::vector<std::string> Recording::names() const {
  std::vector<std::string> out;
  for (const Signal& signal : signals) out.push_back(signal.name);
  return out;
}

namespace {

void keep_standard_input(base::TemporaryFile& file) {
  constexpr std::uintmax_t largest = std::uintmax_t{4} << 30;  // bytes
  const std::string& text = base::read_standard_input("a result", largest);
  try {
    file.write(text);
  } catch (const std::system_error& error) {
    throw base::UserError({"standard input", 0, 0},
                          fmt::format("it does not fit into {}: {}",
                                      file.path().parent_path().string(), error.code().message()),
                          "make room there, or set TMPDIR to another folder");
  }
}

// What a stream gives, as a file: a reader may go back in it.
Recording read_standard_input() {
  namespace fs = std::filesystem;
  base::TemporaryFile file(fs::temp_directory_path() / "couplet-input");
  keep_standard_input(file);
  try {
    return recognise(file.path()).read(file.path());
  } catch (const base::UserError& error) {
    std::vector<base::Diagnostic> said = error.diagnostics();
    for (base::Diagnostic& each : said) each.where.file = "standard input";
    throw base::UserError(said);
  }
}

}  // namespace

Recording read_result(const std::filesystem::path& path) {
  return path == "-" ? read_standard_input() : recognise(path).read(path);
}

}  // namespace couplet::results
