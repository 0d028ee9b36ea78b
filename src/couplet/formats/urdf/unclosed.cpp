#include "couplet/formats/urdf/unclosed.hpp"

#include <algorithm>
#include <vector>

namespace couplet::formats::urdf {
namespace {

struct Bracket {
  std::string_view open, close;
};
constexpr Bracket not_elements[] = {
    {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}};

/// Where the tag that starts at `start` ends: its '>' outside of quotes.
size_t end_of_tag(std::string_view text, size_t start) {
  char quote = 0;
  for (size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && c == '>') return i;
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
  }
  return text.npos;
}

}  // namespace

std::optional<OpenElement> find_unclosed(std::string_view text) {
  std::vector<OpenElement> open;
  for (size_t i = text.find('<'); i != text.npos; i = text.find('<', i)) {
    const std::string_view rest = text.substr(i);
    const auto other = std::find_if(std::begin(not_elements), std::end(not_elements),
                                    [&](const Bracket& b) { return rest.starts_with(b.open); });
    if (other != std::end(not_elements)) {
      i = text.find(other->close, i + other->open.size());
      continue;
    }
    const size_t end = end_of_tag(text, i);
    if (end == text.npos) break;
    const bool closes = rest.starts_with("</");
    const std::string_view inside = text.substr(i + 1 + closes, end - i - 1 - closes);
    const std::string_view name = inside.substr(0, inside.find_first_of(" \t\r\n/"));
    if (!closes) {
      if (!inside.ends_with('/')) open.push_back({name, i});
    } else if (open.empty() || open.back().name != name) {
      break;
    } else {
      open.pop_back();
    }
    i = end;
  }
  if (open.empty()) return std::nullopt;
  return open.back();
}

}  // namespace couplet::formats::urdf
