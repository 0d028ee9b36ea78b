// couplet plot: signals of one or several results as an SVG or PNG picture.
#include "couplet/results/plot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <numeric>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/workbench/json.hpp"
#include "couplet/workbench/sweep.hpp"
#include "remarks.hpp"
#include "result_files.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct PlotVerbOptions {
  std::vector<std::string> words;  // results and patterns of signals
  std::string out;  // .svg or .png; empty: the name of the first result, .svg; - standard output
  bool overwrite = false, json = false, quiet = false;
  double scale = 2;  // of a .png
  std::string theme = "auto";
  results::PlotOptions plot;
};

using base::UserError;
namespace fs = std::filesystem;

// A word is a file when there is one, or when it looks like one.
bool is_result(const std::string& word) {
  const std::string ending = fs::path(word).extension().string();
  std::error_code ignored;
  return word == "-" || ending == ".csv" || ending == ".h5" || ending == ".hdf5" ||
         fs::is_regular_file(word, ignored);
}

// Names for the legend: what was varied, if they are of a sweep, else files without folders and
// endings, where that tells them apart.
std::vector<std::string> short_names(const std::vector<std::string>& files) {
  if (files.size() > 1)
    if (auto swept = workbench::find_swept_values(files); !swept.empty()) return swept;
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

// d = 2 before d = 10, run_2 before run_10: numbers in names count as what they are.
bool comes_before(std::string_view a, std::string_view b) {
  const auto take_number = [](std::string_view& text) -> std::optional<double> {
    double number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc() || !std::isfinite(number)) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
  };
  while (!a.empty() && !b.empty()) {
    std::string_view rest_a = a, rest_b = b;
    const auto x = take_number(rest_a), y = take_number(rest_b);
    if (x && y) {
      if (*x != *y) return *x < *y;
      a = rest_a, b = rest_b;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1), b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

// Of many results colours tell the order, and a shell lists run_10 before run_2.
void sort_for_scale(std::vector<std::string>& files) {
  if (files.size() < results::least_of_study) return;
  const std::vector<std::string> names = short_names(files);
  std::vector<size_t> order(files.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order,
                           [&](size_t i, size_t j) { return comes_before(names[i], names[j]); });
  std::vector<std::string> sorted;
  for (const size_t i : order) sorted.push_back(files[i]);
  files = std::move(sorted);
}

int plot(const PlotVerbOptions& options) {
  std::vector<std::string> files;
  results::PlotOptions plot_options = options.plot;
  for (const std::string& word : options.words)
    (is_result(word) ? files : plot_options.signals).push_back(word);
  if (files.empty())
    throw UserError({}, fmt::format("there is no result {}", base::quoted(options.words[0])),
                    "name a .csv or .h5 file first, then signals");
  const std::string out = !options.out.empty() ? options.out
                          : files[0] == "-"    ? "-"
                                               : fs::path(files[0]).stem().string() + ".svg";
  const std::string ending = fs::path(out).extension().string();
  if (out != "-" && ending != ".svg" && ending != ".png")
    throw UserError(results::place(out),
                    fmt::format("{} is not a picture format", base::quoted(ending)),
                    "choose .svg or .png");

  const base::Output output{out, "the picture", options.overwrite, {files.begin(), files.end()}};
  if (out != "-") base::check_output(output);

  sort_for_scale(files);
  std::deque<results::Recording> recordings;
  std::vector<results::PlotInput> inputs;
  const std::vector<std::string> names = short_names(files);
  for (size_t i = 0; i < files.size(); ++i)
    inputs.push_back({names[i], &recordings.emplace_back(load_result(files[i]))});
  if (ending == ".png" && plot_options.theme == results::Theme::automatic)
    plot_options.theme = results::Theme::light;
  const results::Plot picture = results::draw_plot(inputs, plot_options);
  for (const std::string& note : picture.notes)
    if (!options.quiet) remark("note", note);
  if (out == "-") {
    std::fwrite(picture.svg.data(), 1, picture.svg.size(), stdout);
    return 0;
  }
  write_picture(picture.svg, output, options.scale);
  if (options.json)
    fmt::print(
        "{}\n",
        workbench::JsonWriter().begin_object().key("picture").value(out).end_object().text());
  else if (!options.quiet)
    fmt::print("{}\n", out);
  return 0;
}

results::Theme theme_of(const std::string& name) {
  return name == "light"  ? results::Theme::light
         : name == "dark" ? results::Theme::dark
                          : results::Theme::automatic;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<PlotVerbOptions>();
  arguments.add_words("result", options->words, "one or several results: .csv or .h5").of_files();
  arguments.add_words("signal", options->words, "names, with * and ?; without them the positions")
      .required = false;
  arguments.add_output("--out", "FILE", options->out,
                       "picture.svg or picture.png; - writes SVG to standard output",
                       options->overwrite, "a picture");
  results::PlotOptions& plot_options = options->plot;
  arguments.add("--against", "SIGNAL", plot_options.against,
                "the signal of the horizontal axis, instead of time");
  arguments.add("--from", "T", plot_options.from, "first time, s");
  arguments.add("--to", "T", plot_options.to, "last time, s");
  arguments.add("--title", "TEXT", plot_options.title, "instead of the name of the result");
  arguments.add_number("--width", "N", plot_options.width, 300, 10000, "in pixels (760)");
  arguments.add_number("--height", "N", plot_options.height, 100, 10000, "in pixels");
  arguments.add_number("--scale", "X", options->scale, 0.1, 10,
                       "pixels of a .png for one of the drawing (2)");
  arguments
      .add("--theme", "THEME", options->theme, "auto (as the page that shows it), light or dark")
      .with_choices({"auto", "light", "dark"});
  arguments.add_switch("--json", options->json, "the answer, errors and warnings as JSON");
  arguments.add_switch("--quiet", options->quiet, "errors only").with_letter('q');
  return [options] {
    options->plot.theme = theme_of(options->theme);
    return plot(*options);
  };
}

}  // namespace

extern const Verb plot_verb;
const Verb plot_verb{"plot",
                     "draws signals of one or several results",
                     "Several results are drawn over each other, with their largest difference.",
                     {"couplet plot result.h5 '*.q' energy --out motion.svg",
                      "couplet plot rk4.csv dopri5.csv pivot.q --out compare.png",
                      "couplet plot result.csv pivot.v --against pivot.q"},
                     declare};

}  // namespace couplet::app
