#include "couplet/results/plot/png.hpp"

#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/program.hpp"
#include "couplet/results/destination.hpp"

namespace couplet::results {

std::optional<std::string> find_png_converter() {
  const base::ProgramOutput output = base::run_program({"rsvg-convert", "--version"});
  return output.status == 0 ? std::optional(output.text) : std::nullopt;
}

void write_png(const std::string& svg, const base::Output& output, double scale) {
  if (!find_png_converter())
    throw base::UserError(place(output.path),
                          "PNG pictures need the program rsvg-convert, which is not installed",
                          "install it (apt install librsvg2-bin), or write a .svg");
  base::save_file(output, [&](const std::filesystem::path& path, base::Existing existing) {
    base::TemporaryFile file(path);
    const base::ProgramOutput converted =
        base::run_program({"rsvg-convert", "--format=png", fmt::format("--zoom={}", scale),
                           "--output", file.path().string()},
                          svg);
    if (converted.status != 0)
      throw base::UserError(place(output.path), "the picture cannot be written: " + converted.text,
                            "check the folder, or write elsewhere with `out`");
    file.publish(existing);
  });
}

}  // namespace couplet::results
