// The text of an SVG picture, and its looks: colours that people tell apart on paper and on
// screens, bright and dark, also when they do not see all colours (after Okabe and Ito).
#pragma once

#include <string>
#include <string_view>

namespace couplet::results {

enum class Theme { automatic, light, dark };  // automatic: as the page that shows it

constexpr int colours = 7;

/// The style sheet: classes bg (background), t (text), m (muted text), g (grid), a (axis), s0 … s6
/// (curves), f0 … f6 (marks, with o for their outline).
std::string style_sheet(Theme theme);

/// Text as XML: markup escaped, control characters and invalid UTF-8 replaced.
std::string escaped(std::string_view text);

/// How wide a text is at most, in pixels, in any of the fonts that the style sheet names.
double text_width(std::string_view text, double font_size);

/// The text with its middle replaced by … when it has more than `most` characters.
std::string shortened(std::string_view text, size_t most);

}  // namespace couplet::results
