// Names of symbols: dotted paths of segments, `left.arm.elbow.q`. A segment that is not made of
// letters, digits and underscores (or begins like a number or is a keyword) is written in single
// quotes, with \' and \\ inside: `left.'lower arm'.q`. The quotes are part of the name, so that a
// name has exactly one meaning.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace couplet::symbolic {

/// Words that cannot be plain names: pi true false and or not if then else.
std::span<const std::string_view> keywords();
bool is_keyword(std::string_view word);

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// {"left", "lower arm", "q"} → left.'lower arm'.q
std::string join_path(std::span<const std::string> segments);

/// left.'lower arm'.q → {"left", "lower arm", "q"}; empty if the text is not a path.
std::vector<std::string> split_path(std::string_view name);

/// The one spelling of a path; any other text is taken as one segment and quoted.
std::string canonical_name(std::string_view name);

}  // namespace couplet::symbolic
