// PNG pictures, by the program rsvg-convert of librsvg, so that nothing is linked for them.
#pragma once

#include <optional>
#include <string>

#include "couplet/base/files.hpp"

namespace couplet::results {

/// "rsvg-convert version 2.54.7", when that program is installed.
std::optional<std::string> find_png_converter();

/// Renders an SVG text to a PNG file, `scale` pixels for one. UserError when the converter is not
/// installed, or the file cannot be written.
void write_png(const std::string& svg, const base::Output& output, double scale);

}  // namespace couplet::results
