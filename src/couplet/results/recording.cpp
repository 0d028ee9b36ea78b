#include "couplet/results/recording.hpp"

#include <fstream>
#include <memory>

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

// What a stream gives, as a file: a reader may go back in it.
Recording read_standard_input() {
  namespace fs = std::filesystem;
  const base::TemporaryFile file(fs::temp_directory_path() / "couplet-input");
  std::ofstream(file.path(), std::ios::binary) << base::read_standard_input("a result");
  try {
    return recognise(file.path()).read(file.path());
  } catch (const base::UserError& error) {
    std::vector<base::Diagnostic> said = error.diagnostics();
    for (base::Diagnostic& each : said)
      each.where.file = std::make_shared<const std::string>("standard input");
    throw base::UserError(said);
  }
}

}  // namespace

Recording read_result(const std::filesystem::path& path) {
  return path == "-" ? read_standard_input() : recognise(path).read(path);
}

}  // namespace couplet::results
