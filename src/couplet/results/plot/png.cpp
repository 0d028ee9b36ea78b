#include "couplet/results/plot/png.hpp"

#include <fmt/format.h>

#include <system_error>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/files.hpp"
#include "couplet/base/program.hpp"
#include "couplet/results/destination.hpp"

namespace couplet::results {

std::optional<std::string> find_png_converter() {
  const base::ProgramOutput output = base::run_program({"rsvg-convert", "--version"});
  return output.status == 0 ? std::optional(output.text) : std::nullopt;
}

void write_png(const std::string& svg, const std::filesystem::path& path, double scale) {
  if (!find_png_converter())
    throw base::UserError(place(path),
                          "PNG pictures need the program rsvg-convert, which is not installed",
                          "install it (apt install librsvg2-bin), or write a .svg");
  const auto cannot = [&](const std::string& reason) {
    return base::UserError(place(path), "the picture cannot be written: " + reason,
                           "check the folder, or write elsewhere with `out`");
  };
  try {
    base::TemporaryFile file(path);
    const base::ProgramOutput output =
        base::run_program({"rsvg-convert", "--format=png", fmt::format("--zoom={}", scale),
                           "--output", file.path().string()},
                          svg);
    if (output.status != 0) throw cannot(output.text);
    file.publish();
  } catch (const std::system_error& error) {
    throw cannot(error.code().message());
  }
}

}  // namespace couplet::results
