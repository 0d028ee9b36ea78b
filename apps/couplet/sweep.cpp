// couplet sweep: the same run for many values of parameters.
#include "couplet/workbench/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>

#include "couplet/base/text.hpp"
#include "couplet/workbench/json.hpp"
#include "interrupts.hpp"
#include "model_options.hpp"
#include "remarks.hpp"
#include "run.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

using base::UserError;
using workbench::RunRequest;
using workbench::Variation;

struct SweepOptions {
  ModelOptions model;
  RunRequest request;
  std::optional<double> until;  // absent: what the model says
  std::vector<std::string> vary;
  bool overwrite = false;
};

// "0:20:5" is five values from 0 to 20.
std::optional<std::vector<std::string>> read_range(const std::string& text) {
  const size_t first = text.find(':');
  if (first == std::string::npos) return std::nullopt;
  const size_t second = std::min(text.find(':', first + 1), text.size() - 1);
  const auto from = base::parse_double(text.substr(0, first)),
             to = base::parse_double(text.substr(first + 1, second - first - 1)),
             count = base::parse_double(text.substr(second + 1));
  constexpr double most = 10000;
  if (!from || !to || !count || *count != std::floor(*count) || *count < 2 || *count > most)
    throw UserError({}, fmt::format("{} is not a range", base::quoted(text)),
                    "write from:to:count, as in --vary d=0:20:5, or values: d=2,6,10");
  std::vector<std::string> values;
  for (int i = 0; i < static_cast<int>(*count); ++i)
    values.push_back(fmt::format("{}", *from + (*to - *from) * i / (*count - 1)));
  return values;
}

Variation read_variation(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UserError({}, fmt::format("--vary {} has no values", base::quoted(text)),
                    "write --vary d=2,6,10 or --vary d=0:20:5");
  Variation out{text.substr(0, equals), {}};
  const std::string values = text.substr(equals + 1);
  if (const auto range = read_range(values)) {
    out.values = *range;
    return out;
  }
  for (size_t at = 0; at <= values.size();) {
    const size_t end = std::min(values.find(',', at), values.size());
    if (end > at) out.values.push_back(values.substr(at, end - at));
    at = end + 1;
  }
  if (out.values.empty())
    throw UserError({}, fmt::format("--vary {} has no values", base::quoted(text)),
                    "write --vary d=2,6,10 or --vary d=0:20:5");
  return out;
}

void print_json(const std::vector<std::string>& results, const workbench::SweepReport& report) {
  workbench::JsonWriter json;
  json.begin_object();
  json.members("runs", report.runs, "results", results, "table", report.table, "failures",
               report.failures);
  json.end_object();
  fmt::print("{}\n", json.text());
}

/// Of a value that does not fit, it says that it is varied.
workbench::SweepReport run_all(const workbench::SweepRequest& request,
                               const workbench::SweepControl& control) {
  try {
    return workbench::sweep(request, control);
  } catch (const UserError& error) {
    std::vector<base::Diagnostic> errors = error.diagnostics();
    for (base::Diagnostic& each : errors)
      for (const Variation& varied : request.vary)
        if (const std::string set = "`set` " + varied.name + "=";
            (*each.where.file).starts_with(set))
          each.where.file =
              "`vary` " + (*each.where.file).substr(std::string_view("`set` ").size());
    throw UserError(errors);
  }
}

int sweep(const SweepOptions& options) {
  if (options.vary.empty())
    throw UserError({}, "nothing is varied", "write --vary d=2,6,10 or --vary d=0:20:5");
  workbench::SweepRequest request{options.request, {}};
  request.run.model = options.model.path;
  request.run.load = make_load_options(options.model);
  for (const std::string& text : options.vary) request.vary.push_back(read_variation(text));
  request.run.until = options.until.value_or(workbench::find_end(request).value_or(10));
  catch_interrupts("\n  results so far are whole\n");
  const bool text = !options.model.quiet && !options.model.json;
  std::vector<std::string> results;
  workbench::SweepControl control;
  control.overwrite = options.overwrite;
  control.watch = [] { return !interrupted(); };
  control.about = [](const RunRequest& run) {
    return results::About{{"command", command_line(run)}};
  };
  control.ran = [&](const workbench::SweptRun& run) {
    const simulate::Summary& summary = run.report.summary;
    results.push_back(run.report.result);
    std::string values;
    for (size_t i = 0; i < run.values.size(); ++i)
      values += fmt::format("{} = {}, ", request.vary[i].name, run.values[i]);
    if (text)
      fmt::print("{}: {}t = {:.9g} s, {}\n", run.report.result, values, summary.t_end,
                 counted(summary.counts.steps, "step"));
  };
  const workbench::SweepReport report = run_all(request, control);
  if (options.model.json) print_json(results, report);
  if (report.interrupted) {
    say(fmt::format(
        "interrupted after {}, whose results are whole; {}",
        counted(static_cast<long>(report.runs), "run"),
        report.table.empty() ? "there is no table" : report.table + " has the last row of each"));
    return status_of_interrupt();
  }
  if (text) fmt::print("{}: the last row of each\n", report.table);
  if (!report.failures.empty())
    throw base::ComputationError(fmt::format("{} of {} failed\n  {}", report.failures.size(),
                                             counted(static_cast<long>(report.runs), "run"),
                                             fmt::join(report.failures, "\n  ")));
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<SweepOptions>();
  add_model(arguments, options->model, any_model);
  arguments
      .add("--vary", "NAME=VALUES", options->vary,
           "a parameter and its values, d=2,6,10 or d=0:20:5; of several all combinations")
      .once();
  arguments.add("--until", "T", options->until,
                "end time in s (10, or what a Modelica class says)");
  add_run_options(arguments, options->request);
  arguments.add_output("--out", "NAME.csv", options->request.out,
                       "results are NAME_1.csv, …, and NAME_table.csv (the model's name)",
                       options->overwrite, "results");
  return [options] { return sweep(*options); };
}

}  // namespace

extern const Verb sweep_verb;
const Verb sweep_verb{
    "sweep",
    "repeats a run for many values of parameters",
    "The options of run choose integrator, tolerance, state and what is recorded. The table has a "
    "row "
    "for each run: the values, and the last row of the result. plot writes the values beside the "
    "curves.",
    {"couplet sweep models/recipes/study.yaml --vary d=2,6,10,16 --until 2 --record x.q",
     "couplet plot study_?.csv x.q"},
    declare};

}  // namespace couplet::app
