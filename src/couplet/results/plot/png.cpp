#include "couplet/results/plot/png.hpp"

#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/results/program.hpp"

namespace couplet::results {

std::optional<std::string> find_png_converter() {
  const ProgramOutput output = run_program({"rsvg-convert", "--version"});
  return output.status == 0 ? std::optional(output.text) : std::nullopt;
}

void write_png(const std::string& svg, const std::filesystem::path& path, double scale) {
  if (!find_png_converter())
    throw base::UserError(place(path),
                          "PNG pictures need the program rsvg-convert, which is not installed",
                          "install it (apt install librsvg2-bin), or write a .svg");
  const ProgramOutput output = run_program(
      {"rsvg-convert", "--format=png", fmt::format("--zoom={}", scale), "--output", path.string()},
      svg);
  if (output.status != 0)
    throw base::UserError(place(path), "the picture cannot be written: " + output.text,
                          "check the folder, or write elsewhere with `out`");
}

}  // namespace couplet::results
