// Files and their text, as suspicious input: sizes and types first, then the bytes.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/tree.hpp"

namespace couplet::formats::yaml {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& path, base::SourceLocation where,
                         const std::string& what, const std::string& fix) {
  const std::string name = where.file ? "file " + base::quoted(path) : "the file";
  if (!where.file) where.file = std::make_shared<const std::string>(path);
  throw base::UserError(where, name + what, fix);
}

}  // namespace

void check_text_file(const std::string& path, const base::SourceLocation& where) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::not_found)
    refuse(path, where, " does not exist",
           where.file ? "paths are relative to the file that names them" : "check the path");
  if (status.type() == fs::file_type::directory)
    refuse(path, where, " is a directory", "give the model file in it");
  if (problem) refuse(path, where, " cannot be read: " + problem.message(), "check the path");
  if (status.type() != fs::file_type::regular)
    refuse(path, where, " is not a regular file", "give a text file");
  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem) refuse(path, where, " cannot be read: " + problem.message(), "check the path");
  if (size > static_cast<std::uintmax_t>(max_file_bytes))
    refuse(path, where,
           fmt::format(" has {} bytes; the limit is {} MB", size, max_file_bytes >> 20),
           "split the model into subsystem files");
}

std::string read_text_file(const std::string& path, const base::SourceLocation& where) {
  check_text_file(path, where);
  std::error_code problem;
  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem) refuse(path, where, " cannot be read: " + problem.message(), "check the path");
  std::ifstream stream(path, std::ios::binary);
  std::string text(static_cast<size_t>(size), '\0');
  if (!stream || (size > 0 && !stream.read(text.data(), static_cast<std::streamsize>(size))))
    refuse(path, where, std::string(" cannot be read: ") + std::strerror(errno),
           "check its permissions");
  return text;
}

}  // namespace couplet::formats::yaml
