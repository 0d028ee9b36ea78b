#include "result_verbs.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace couplet::app {
namespace {

void add_diff(CLI::App& app, std::function<int()>& chosen) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* verb =
      app.add_subcommand("diff", "the largest difference of two results, signal by signal");
  verb->add_option("first", options->first, "a result: .csv or .h5")->required();
  verb->add_option("second", options->second, "the result to compare it with")->required();
  verb->add_option(
          "--tolerance", options->tolerance,
          "half the width of the tube, relative to the largest magnitude of the signal (1e-6)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--absolute", options->absolute,
                   "added to it, in the unit of the signal (1e-12)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--time-tolerance", options->time_tolerance,
                   "events so far apart are the same event, relative to the time compared (1e-9)")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--signals", options->signals, "names with * and ?; all when not given");
  verb->add_flag("--strict", options->strict,
                 "signals or times that only one has are a difference, too");
  verb->add_flag("--all", options->all, "one line for every signal, however many");
  verb->add_flag("--json", options->json, "machine-readable output");
  verb->footer(
      "Exit status: 0 inside the tube, 1 outside, 2 the input is wrong.\nExamples:\n"
      "  couplet diff rk4.csv dopri5.h5 --tolerance 1e-4\n"
      "  couplet diff a.csv b.csv --signals '*.q' energy --json");
  verb->callback([options, &chosen] { chosen = [options] { return diff(*options); }; });
}

void add_plot(CLI::App& app, std::function<int()>& chosen) {
  const auto options = std::make_shared<PlotVerbOptions>();
  CLI::App* verb = app.add_subcommand("plot", "signals of one or several results as a picture");
  verb->add_option(
          "words", options->words,
          "results (.csv, .h5), then signals: names with * and ?; without them the positions")
      ->required();
  verb->add_option("--out", options->out,
                   "picture.svg or picture.png; - writes SVG to standard output");
  verb->add_option("--against", options->plot.against,
                   "the signal of the horizontal axis, instead of time");
  verb->add_option("--from", options->plot.from, "first time, s");
  verb->add_option("--to", options->plot.to, "last time, s");
  verb->add_option("--title", options->plot.title, "instead of the name of the result");
  verb->add_option("--width", options->plot.width, "in pixels (760)")
      ->check(CLI::Range(300, 10000));
  verb->add_option("--height", options->plot.height, "in pixels")->check(CLI::Range(100, 10000));
  verb->add_option("--scale", options->scale, "pixels of a .png for one of the drawing (2)")
      ->check(CLI::Range(0.1, 10.0));
  const std::map<std::string, results::Theme> themes{{"auto", results::Theme::automatic},
                                                     {"light", results::Theme::light},
                                                     {"dark", results::Theme::dark}};
  verb->add_option("--theme", options->plot.theme,
                   "auto (as the page that shows it), light or dark")
      ->transform(CLI::CheckedTransformer(themes));
  verb->footer(
      "Several results are drawn over each other, with their largest difference.\nExamples:\n"
      "  couplet plot result.h5 '*.q' energy --out motion.svg\n"
      "  couplet plot rk4.csv dopri5.csv pivot.q --out compare.png\n"
      "  couplet plot result.csv pivot.v --against pivot.q");
  verb->callback([options, &chosen] { chosen = [options] { return plot(*options); }; });
}

void add_doctor(CLI::App& app, std::function<int()>& chosen) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* verb =
      app.add_subcommand("doctor", "versions, optional parts, what is missing and how to get it");
  verb->add_flag("--json", *json, "machine-readable output");
  verb->footer("Examples:\n  couplet doctor\n  couplet doctor --json");
  verb->callback([json, &chosen] { chosen = [json] { return doctor(*json); }; });
}

}  // namespace

void add_result_verbs(CLI::App& app, std::function<int()>& chosen) {
  add_diff(app, chosen);
  add_plot(app, chosen);
  add_doctor(app, chosen);
}

}  // namespace couplet::app
