#include "couplet/symbolic/name.hpp"

#include <algorithm>
#include <array>

namespace couplet::symbolic {
namespace {

constexpr std::array<std::string_view, 9> keyword_list{"pi",  "true", "false", "and", "or",
                                                       "not", "if",   "then",  "else"};

// After a dot nothing can be mistaken for a number or a keyword: chain.2.q needs no quotes.
bool is_plain(std::string_view segment, bool is_first) {
  const auto ok = [](char c) { return is_letter(c) || is_digit(c); };
  if (segment.empty() || !std::ranges::all_of(segment, ok)) return false;
  return !is_first || (is_letter(segment[0]) && !is_keyword(segment));
}

std::string quote_segment(std::string_view segment, bool is_first) {
  if (is_plain(segment, is_first)) return std::string(segment);
  std::string text = "'";
  for (const char c : segment) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

}  // namespace

std::span<const std::string_view> keywords() { return keyword_list; }

bool is_keyword(std::string_view word) {
  return std::ranges::find(keyword_list, word) != keyword_list.end();
}

std::string join_path(std::span<const std::string> segments) {
  std::string text;
  for (const std::string& segment : segments) {
    const bool is_first = &segment == segments.data();
    if (!is_first) text += '.';
    text += quote_segment(segment, is_first);
  }
  return text;
}

std::vector<std::string> split_path(std::string_view name) {
  std::vector<std::string> segments;
  size_t i = 0;
  while (true) {
    std::string segment;
    if (i < name.size() && name[i] == '\'') {
      for (++i; i < name.size() && name[i] != '\''; ++i) {
        if (name[i] == '\\' && ++i == name.size()) return {};
        segment += name[i];
      }
      if (i == name.size()) return {};
      ++i;
    } else {
      while (i < name.size() && (is_letter(name[i]) || is_digit(name[i]))) segment += name[i++];
      if (!is_plain(segment, segments.empty())) return {};
    }
    segments.push_back(std::move(segment));
    if (i == name.size()) return segments;
    if (name[i++] != '.') return {};
  }
}

std::string canonical_name(std::string_view name) {
  if (is_plain(name, true)) return std::string(name);
  const std::vector<std::string> segments = split_path(name);
  return segments.empty() ? quote_segment(name, true) : join_path(segments);
}

}  // namespace couplet::symbolic
