// couplet plot: signals of one or several results as an SVG or PNG picture.
#include "couplet/results/plot/plot.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/results/plot/png.hpp"
#include "result_verbs.hpp"

namespace couplet::app {
namespace {

using base::UserError;
namespace fs = std::filesystem;

// A word is a file when there is one, or when it looks like one.
bool is_result(const std::string& word) {
  const std::string ending = fs::path(word).extension().string();
  std::error_code ignored;
  return ending == ".csv" || ending == ".h5" || ending == ".hdf5" ||
         fs::is_regular_file(word, ignored);
}

// Names for the legend: without folders and endings, where that tells them apart.
std::vector<std::string> short_names(const std::vector<std::string>& files) {
  for (const auto shorten : {+[](const fs::path& p) { return p.stem().string(); },
                             +[](const fs::path& p) { return p.filename().string(); }}) {
    std::vector<std::string> names;
    bool clear = true;
    for (const std::string& file : files) {
      const std::string name = shorten(file);
      clear = clear && std::find(names.begin(), names.end(), name) == names.end();
      names.push_back(name);
    }
    if (clear) return names;
  }
  return files;
}

}  // namespace

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

int plot(const PlotVerbOptions& options) {
  std::vector<std::string> files;
  results::PlotOptions plot_options = options.plot;
  for (const std::string& word : options.words)
    (is_result(word) ? files : plot_options.signals).push_back(word);
  if (files.empty())
    throw UserError({}, fmt::format("there is no result {}", base::quoted(options.words[0])),
                    "name a .csv or .h5 file first, then signals");
  const std::string out =
      options.out.empty() ? fs::path(files[0]).stem().string() + ".svg" : options.out;
  const std::string ending = fs::path(out).extension().string();
  if (out != "-" && ending != ".svg" && ending != ".png")
    throw UserError(results::place(out),
                    fmt::format("{} is not a picture format", base::quoted(ending)),
                    "choose .svg or .png");

  std::deque<results::Recording> recordings;
  std::vector<results::PlotInput> inputs;
  const std::vector<std::string> names = short_names(files);
  for (size_t i = 0; i < files.size(); ++i)
    inputs.push_back({names[i], &recordings.emplace_back(load_result(files[i]))});
  if (ending == ".png" && plot_options.theme == results::Theme::automatic)
    plot_options.theme = results::Theme::light;
  const results::Plot picture = results::draw_plot(inputs, plot_options);
  for (const std::string& note : picture.notes) fmt::print(stderr, "note: {}\n", note);
  if (out == "-") {
    std::fwrite(picture.svg.data(), 1, picture.svg.size(), stdout);
    return 0;
  }
  write_picture(picture.svg, out, options.scale);
  fmt::print("{}\n", out);
  return 0;
}

}  // namespace couplet::app
