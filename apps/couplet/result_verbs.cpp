#include "result_verbs.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace couplet::app {
namespace {

void add_diff(CLI::App& app, std::function<int()>& chosen) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* verb = app.add_subcommand("diff", "the largest difference of two results, signal by signal");
  verb->add_option("first", options->first, "a result: .csv or .h5")->required();
  verb->add_option("second", options->second, "the result to compare it with")->required();
  verb->add_option("--tolerance", options->tolerance,
                   "half the width of the tube, relative to the largest magnitude of the signal (1e-6)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--absolute", options->absolute, "added to it, in the unit of the signal (1e-12)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--time-tolerance", options->time_tolerance,
                   "events so far apart are the same event, relative to the time compared (1e-9)")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--signals", options->signals, "names with * and ?; all when not given");
  verb->add_flag("--strict", options->strict, "signals or times that only one has are a difference, too");
  verb->add_flag("--all", options->all, "one line for every signal, however many");
  verb->add_flag("--json", options->json, "machine-readable output");
  verb->footer("Exit status: 0 inside the tube, 1 outside, 2 the input is wrong.\nExamples:\n"
               "  couplet diff rk4.csv dopri5.h5 --tolerance 1e-4\n"
               "  couplet diff a.csv b.csv --signals '*.q' energy --json");
  verb->callback([options, &chosen] { chosen = [options] { return diff(*options); }; });
}

}  // namespace

void add_result_verbs(CLI::App& app, std::function<int()>& chosen) { add_diff(app, chosen); }

}  // namespace couplet::app
