// Small text helpers for messages: numbers as people write them, and the nearest valid name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace couplet::base {

/// The candidate that `name` was probably meant to be; absent when none is near.
std::optional<std::string> find_nearest(std::string_view name,
                                        const std::vector<std::string>& candidates);

/// "did you mean 'x'?", or the list of what is valid, for the fix of a diagnostic.
std::string suggest(std::string_view name, const std::vector<std::string>& candidates);

/// A name as a message shows it: control characters escaped, long names cut, in single quotes.
struct Quoted {
  std::string operator()(std::string_view name) const;
};
inline constexpr Quoted quoted;  // an object, since a function would lose against std::quoted

/// Reads a whole decimal number (no locale, no trailing characters); absent when it is not one.
std::optional<double> parse_double(std::string_view text);

}  // namespace couplet::base
