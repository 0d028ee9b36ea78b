#include "result_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "couplet/base/diagnostics.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/results/plot/png.hpp"

namespace couplet::app {

namespace fs = std::filesystem;
using base::UserError;

results::Recording load_result(const std::string& path) {
  results::Recording recording = results::read_result(path);
  if (!recording.complete) fmt::print(stderr, "{}: warning: {}\n", path, recording.note);
  return recording;
}

void write_picture(const std::string& svg, const std::string& path, double scale) {
  if (fs::path(path).extension() == ".png") return results::write_png(svg, path, scale);
  std::ofstream file(path, std::ios::binary);
  file << svg;
  file.close();
  if (!file)
    throw UserError(results::place(path),
                    fmt::format("the picture cannot be written: {}", std::strerror(errno)),
                    "check the folder, or write elsewhere with --out");
}

}  // namespace couplet::app
