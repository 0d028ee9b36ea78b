// Choosing signals by name: `pivot.q`, `*.q`, `arm?.tau`, or `pivot` for everything of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace couplet::results {

/// Whether `name` matches `pattern`: * is any text, ? any character; brackets are themselves.
/// O(|name| |pattern|).
bool matches(std::string_view name, std::string_view pattern);

/// The places of the names that the patterns choose: pattern by pattern, each place once. A pattern
/// without * and ? is a name, or the first part of names (`pivot` for `pivot.q`, `pivot.v`).
/// UserError for one that chooses nothing, with the nearest name.
std::vector<size_t> select(const std::vector<std::string>& names,
                           const std::vector<std::string>& patterns);

}  // namespace couplet::results
