#include "couplet/modelica/syntax/source.hpp"

#include <algorithm>

namespace couplet::modelica {
namespace {

size_t line_begin(std::string_view text, size_t offset) {
  const size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }  // UTF-8

}  // namespace

base::SourceLocation Source::locate(uint32_t offset) const {
  const size_t at = std::min<size_t>(offset, text.size());
  const size_t begin = line_begin(text, at);
  const auto line = std::count(text.begin(), text.begin() + static_cast<long>(at), '\n') + 1;
  const auto column = std::count_if(text.begin() + static_cast<long>(begin),
                                    text.begin() + static_cast<long>(at), starts_character) +
                      1;
  return {path, static_cast<int>(line), static_cast<int>(column)};
}

std::string Source::excerpt(Range range) const {
  constexpr size_t before = 60, width = 100;  // of a long line, only the neighbourhood is shown
  const size_t at = std::min<size_t>(range.begin, text.size());
  size_t begin = line_begin(text, at);
  const size_t end = std::min(text.find('\n', at), text.size());
  if (at - begin > before) begin = at - before;
  while (begin < at && !starts_character(text[begin])) ++begin;

  std::string line, mark;
  for (size_t i = begin; i < end && i - begin < width; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    line += c < 0x20 || c == 0x7f ? ' ' : text[i];
    if (!starts_character(text[i])) continue;
    if (i < at) mark += ' ';
    if (i > at && i < range.end) mark += '~';
    if (i == at) mark += '^';
  }
  if (at >= end) mark += '^';
  return "\n    " + line + "\n    " + mark;
}

void report(base::Diagnostics& diagnostics, const Source& source, Range range, std::string what,
            std::string fix) {
  if (diagnostics.full()) return;
  diagnostics.error(source.locate(range.begin), std::move(what) + source.excerpt(range),
                    std::move(fix));
}

}  // namespace couplet::modelica
