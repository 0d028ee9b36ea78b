// Files and their text, as suspicious input: sizes and types first, then the bytes.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/tree.hpp"

namespace couplet::formats::yaml {

std::string read_text_file(const std::string& path, const base::SourceLocation& where) {
  namespace fs = std::filesystem;
  const auto fail = [&](const std::string& what, const std::string& fix) -> void {
    base::SourceLocation place = where;
    if (!place.file) place.file = std::make_shared<const std::string>(path);
    throw base::UserError(place, what, fix);
  };
  const std::string name = where.file ? "file " + base::quoted(path) : "the file";

  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::not_found)
    fail(name + " does not exist",
         where.file ? "paths are relative to the file that names them" : "check the path");
  if (status.type() == fs::file_type::directory)
    fail(name + " is a directory", "give the model file in it");
  if (problem) fail(name + " cannot be read: " + problem.message(), "check the path");
  if (status.type() != fs::file_type::regular)
    fail(name + " is not a regular file", "give a text file");

  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem) fail(name + " cannot be read: " + problem.message(), "check the path");
  if (size > static_cast<std::uintmax_t>(max_file_bytes))
    fail(fmt::format("{} has {} bytes; the limit is {} MB", name, size, max_file_bytes >> 20),
         "split the model into subsystem files");

  std::ifstream stream(path, std::ios::binary);
  std::string text(static_cast<size_t>(size), '\0');
  if (!stream || (size > 0 && !stream.read(text.data(), static_cast<std::streamsize>(size))))
    fail(name + " cannot be read: " + std::strerror(errno), "check its permissions");
  return text;
}

}  // namespace couplet::formats::yaml
