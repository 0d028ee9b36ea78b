// Tables in files: text as the library defines it, CSV, MATLAB.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/modelica/tables/matlab.hpp"

namespace couplet::modelica::tables {
namespace {

base::SourceLocation in_file(const std::string& file, int line = 0) { return {file, line, 0}; }

std::string read_bytes(const std::string& file) {
  constexpr uintmax_t largest = 512u << 20;
  auto read = base::try_read_file(file, largest);
  if (auto* text = std::get_if<std::string>(&read)) return std::move(*text);
  throw base::explain(std::get<base::ReadTrouble>(read), file, largest);
}

double to_number(std::string_view word, const base::SourceLocation& where) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size())
    throw base::UserError(where, fmt::format("{} is no number", base::quoted(std::string(word))));
  return value;
}

std::vector<std::string_view> split(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(separators, at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(separators, begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

// The lines of a text, without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  std::optional<std::string_view> next() {
    if (rest_.empty()) return {};
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    return line;
  }
  int number = 0;  // of the line last read

 private:
  std::string_view rest_;
};

struct Title {  // double tab1(5,2)
  std::string name;
  size_t rows = 0, columns = 0;
};

std::optional<Title> title_of(std::string_view line) {
  const std::vector<std::string_view> words = split(line, " \t(),");
  if (words.size() < 4 || (words[0] != "double" && words[0] != "float")) return {};
  Title t{std::string(words[1])};
  const auto size = [](std::string_view word, size_t& into) {
    return std::from_chars(word.data(), word.data() + word.size(), into).ec == std::errc();
  };
  if (!size(words[2], t.rows) || !size(words[3], t.columns)) return {};
  return t;
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

Matrix read_text(const TableSource& source, const std::string& text) {
  Lines lines(text);
  const auto first = lines.next();
  if (!first || !first->starts_with("#1"))
    throw base::UserError(in_file(source.file, 1), "a file of tables starts with the line '#1'");
  std::vector<std::string> names;
  while (const auto line = lines.next()) {
    const auto title = title_of(without_comment(*line));
    if (title) names.push_back(title->name);
    if (!title || title->name != source.name) continue;
    if (title->rows > text.size() || title->columns > text.size())  // each number takes a byte
      throw base::UserError(in_file(source.file, lines.number),
                            "the table is larger than the file");
    Matrix m{title->rows, title->columns};
    while (m.values.size() < m.rows * m.columns) {
      const auto data = lines.next();
      if (!data || title_of(without_comment(*data)))
        throw base::UserError(
            in_file(source.file, lines.number),
            fmt::format("table {} has {} numbers, and {} by {} are announced",
                        base::quoted(title->name), m.values.size(), m.rows, m.columns));
      for (const std::string_view word : split(without_comment(*data), " \t,;"))
        m.values.push_back(to_number(word, in_file(source.file, lines.number)));
    }
    m.values.resize(m.rows * m.columns);
    return m;
  }
  throw base::UserError(in_file(source.file),
                        fmt::format("there is no table {}", base::quoted(source.name)),
                        base::suggest(source.name, names));
}

Matrix read_csv(const TableSource& source, const std::string& text) {
  Lines lines(text);
  Matrix m;
  while (const auto line = lines.next()) {
    if (lines.number <= source.header_lines) continue;
    const std::vector<std::string_view> words = split(*line, source.delimiter + " \t\"");
    if (words.empty()) continue;
    if (m.rows == 0) m.columns = words.size();
    if (words.size() != m.columns)
      throw base::UserError(
          in_file(source.file, lines.number),
          fmt::format("this line has {} numbers, the first one {}", words.size(), m.columns));
    for (const std::string_view word : words)
      m.values.push_back(to_number(word, in_file(source.file, lines.number)));
    ++m.rows;
  }
  return m;
}

bool is_given(const std::string& name) {
  return name != "NoName" && name.find_first_not_of(' ') != std::string::npos;
}

}  // namespace

bool names_file(const TableSource& source) {
  if (!is_given(source.name)) return false;
  if (!is_given(source.file))
    throw base::UserError({},
                          fmt::format("table {} has no file: tables compiled into a program "
                                      "(usertab.c) are not supported",
                                      base::quoted(source.name)),
                          "give the name of a file, or the table itself");
  return true;
}

Matrix read_table(const TableSource& source) {
  const std::string text = read_bytes(source.file);
  const std::string ending = std::filesystem::path(source.file).extension().string();
  if (ending == ".csv") return read_csv(source, text);
  if (ending != ".mat") return read_text(source, text);
  try {
    if (auto found = find_matlab_matrix(text, source.name)) return std::move(*found);
  } catch (const base::UserError& error) {
    const base::Diagnostic& d = error.diagnostics().front();
    throw base::UserError(in_file(source.file), d.what, d.fix);
  }
  throw base::UserError(in_file(source.file),
                        fmt::format("there is no matrix {}", base::quoted(source.name)));
}

}  // namespace couplet::modelica::tables
