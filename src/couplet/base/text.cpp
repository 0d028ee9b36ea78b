#include "couplet/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace couplet::base {
namespace {

// Edit distance with adjacent swaps (optimal string alignment), lower case = upper case.
int edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> find_nearest(std::string_view name,
                                        const std::vector<std::string>& candidates) {
  constexpr size_t longest = 200;  // nobody misspells longer names by a letter or two
  if (name.size() > longest) return std::nullopt;
  const int allowed = std::max<int>(1, static_cast<int>(name.size()) / 3);
  int best = allowed + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    const size_t gap =
        std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size());
    if (candidate.size() > longest || gap > static_cast<size_t>(allowed)) continue;
    const int distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string suggest(std::string_view name, const std::vector<std::string>& candidates) {
  if (const auto nearest = find_nearest(name, candidates))
    return fmt::format("did you mean {}?", quoted(*nearest));
  if (candidates.empty()) return "there is none to choose from";
  std::string text = "choose one of ";
  constexpr size_t shown = 20;
  for (size_t i = 0; i < candidates.size() && i < shown; ++i)
    text += (i ? ", " : "") + candidates[i];
  if (candidates.size() > shown) text += fmt::format(", … ({} in all)", candidates.size());
  return text;
}

std::string Quoted::operator()(std::string_view name) const {
  std::string text = "'";
  constexpr size_t longest = 120;
  for (size_t i = 0; i < name.size() && i < longest; ++i) {
    const unsigned char c = static_cast<unsigned char>(name[i]);
    if (c < 0x20 || c == 0x7f)
      text += fmt::format("\\x{:02x}", c);
    else
      text += static_cast<char>(c);
  }
  if (name.size() > longest) text += "…";
  return text + "'";
}

std::optional<double> parse_double(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (status == std::errc::result_out_of_range) return std::nullopt;
  if (status != std::errc()) return std::nullopt;
  return value;
}

}  // namespace couplet::base
