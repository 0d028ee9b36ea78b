#include "result_files.hpp"

#include <fmt/format.h>

#include "couplet/results/plot/png.hpp"
#include "remarks.hpp"

namespace couplet::app {

results::Recording load_result(const std::string& path) {
  results::Recording recording = results::read_result(path);
  if (!recording.complete) remark({base::Severity::warning, {path}, recording.note, {}});
  return recording;
}

void write_picture(const std::string& svg, const base::Output& output, double scale) {
  if (output.path.extension() == ".png") return results::write_png(svg, output, scale);
  base::save_file(output, svg);
}

}  // namespace couplet::app
