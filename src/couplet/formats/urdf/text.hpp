// What attribute values are made of: words between blanks, characters in UTF-8.
#pragma once

#include <string_view>
#include <vector>

namespace couplet::formats::urdf {

/// The words between blanks, tabs and line ends.
std::vector<std::string_view> words(std::string_view text);

/// Whole characters in UTF-8 (RFC 3629: no overlong forms, no surrogates), as names must be that
/// end up in JSON.
bool is_utf8(std::string_view text);

}  // namespace couplet::formats::urdf
