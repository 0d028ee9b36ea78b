// Files and their text, as suspicious input: sizes and types first, then the bytes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/reader.hpp"
#include "couplet/formats/yaml/tree.hpp"

namespace couplet::formats::yaml {

std::string read_text_file(const std::string& path, const base::SourceLocation& where) {
  auto read = base::try_read_file(path, max_file_bytes);
  if (auto* text = std::get_if<std::string>(&read)) return std::move(*text);
  throw base::explain(std::get<base::ReadTrouble>(read), path, max_file_bytes, where);
}

std::optional<std::string> find_file(const std::string& name, const base::SourceLocation& where,
                                     Reading& reading) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(reading.open_files.back().path).parent_path();
  const std::string path = (folder / name).lexically_normal().string();
  if (reading.outside) return path;
  // Through links, of both: what counts is where the file is.
  std::error_code failed;
  const fs::path top = fs::path(reading.open_files.front().path).parent_path();
  const fs::path home = fs::weakly_canonical(top.empty() ? "." : top, failed);
  const fs::path file = fs::weakly_canonical(fs::absolute(path), failed);  // there, or not
  const auto [end, ignored] = std::mismatch(home.begin(), home.end(), file.begin(), file.end());
  if (!failed && end == home.end()) return path;
  reading.diagnostics.error(
      where, fmt::format("file {} lies outside the folder of the model", base::quoted(path)),
      "move it there, or allow it with `trust` when the model is from somebody you know");
  return std::nullopt;
}

void check_text_file(const std::string& path, const base::SourceLocation& where) {
  read_text_file(path, where);
}

}  // namespace couplet::formats::yaml
