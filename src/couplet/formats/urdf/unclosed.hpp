// Which element of an XML text is not closed: pugixml knows only where it noticed.
#pragma once

#include <optional>
#include <string_view>

namespace couplet::formats::urdf {

struct OpenElement {
  std::string_view name;
  size_t offset;  // of its '<'
};

/// The innermost element that is open where the first end tag does not fit, or at the end.
std::optional<OpenElement> find_unclosed(std::string_view text);

}  // namespace couplet::formats::urdf
