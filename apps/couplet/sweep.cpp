// couplet sweep: the same run for many values of parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/recording.hpp"
#include "interrupts.hpp"
#include "model_options.hpp"
#include "run.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

using base::UserError;
using workbench::RunReport;
using workbench::RunRequest;

/// A parameter and the texts of its values.
struct Variation {
  std::string name;
  std::vector<std::string> values;
};

struct SweepOptions {
  ModelOptions model;
  RunRequest request;
  std::vector<std::string> vary;
  bool overwrite = false;
};

// "0:20:5" is five values from 0 to 20.
std::optional<std::vector<std::string>> read_range(const std::string& text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
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

/// The values of run number k of all combinations; the last parameter changes fastest.
std::vector<std::string> values_of(size_t k, const std::vector<Variation>& vary) {
  std::vector<std::string> values(vary.size());
  for (size_t i = vary.size(); i-- > 0;) {
    values[i] = vary[i].values[k % vary[i].values.size()];
    k /= vary[i].values.size();
  }
  return values;
}

// Numbers as they are, all else in quotes.
std::string cell(const std::string& text) {
  return base::parse_double(text) ? text : "\"" + text + "\"";
}

// The names of the parameters and of what is recorded; a row of their values at the end of each
// run.
class Table {
 public:
  explicit Table(const std::vector<Variation>& vary) {
    for (const Variation& each : vary) names_.push_back(each.name);
  }
  void add(const std::vector<std::string>& values, const std::string& file) {
    const results::Recording run = results::read_result(file);
    std::vector<std::string> row;
    for (const std::string& value : values) row.push_back(cell(value));
    for (size_t k = 0; k < run.columns(); ++k)
      row.push_back(fmt::format("{}", run.at(run.rows() - 1, k)));
    if (header_.empty()) {
      header_ = names_;
      for (const results::Signal& signal : run.signals)
        header_.push_back(signal.name + (signal.unit.empty() ? "" : " [" + signal.unit + "]"));
    }
    row.push_back(file);
    rows_.push_back(std::move(row));
  }
  std::string text() const {
    std::string out;
    for (const std::string& name : header_)
      out += (name.find(',') == std::string::npos ? name : "\"" + name + "\"") + ",";
    out += "result\n";
    for (const auto& row : rows_) out += fmt::format("{}\n", fmt::join(row, ","));
    return out;
  }

 private:
  std::vector<std::string> names_, header_;
  std::vector<std::vector<std::string>> rows_;
};

int sweep(const SweepOptions& options) {
  if (options.vary.empty())
    throw UserError({}, "nothing is varied", "write --vary d=2,6,10 or --vary d=0:20:5");
  std::vector<Variation> vary;
  size_t runs = 1;
  constexpr size_t most = 100000;
  for (const std::string& text : options.vary) {
    vary.push_back(read_variation(text));
    runs *= vary.back().values.size();
    if (runs > most) throw UserError({}, fmt::format("more than {} runs", most), "vary less");
  }
  RunRequest request = options.request;
  request.model = options.model.path;
  if (request.out == "-")
    throw UserError({}, "many results do not go to standard output", "give a name with --out");
  const std::string stem = request.out.empty() ? workbench::result_path(request) : request.out;
  const size_t dot = stem.rfind('.');
  const std::string name = stem.substr(0, dot), ending = stem.substr(dot);
  const base::Output output{name + "_table.csv", "the table", options.overwrite};
  base::check_output(output);
  catch_interrupts("\n  results so far are whole\n");
  Table table(vary);
  workbench::RunControl control;
  control.overwrite = options.overwrite;
  control.watch = [](double) { return !interrupted(); };
  for (size_t k = 0; k < runs && !interrupted(); ++k) {
    const std::vector<std::string> values = values_of(k, vary);
    request.load = make_load_options(options.model);
    std::string said;
    for (size_t i = 0; i < vary.size(); ++i) {
      request.load.set.emplace_back(vary[i].name, values[i]);
      said += fmt::format("{}{} = {}", i > 0 ? ", " : "", vary[i].name, values[i]);
    }
    request.out = fmt::format("{}_{}{}", name, k + 1, ending);
    control.about = {{"command", command_line(request)}};
    const RunReport report = workbench::run(request, control);
    const integrate::Outcome& outcome = report.summary.outcome;
    if (outcome.ending == integrate::Ending::failed)
      throw base::ComputationError(fmt::format("{}: {}", said, outcome.message));
    if (outcome.ending == integrate::Ending::interrupted) break;
    table.add(values, request.out);
    if (!options.model.quiet)
      fmt::print("{}: {}, t = {:.9g} s, {}\n", request.out, said, report.summary.t_end,
                 counted(report.summary.counts.steps, "step"));
  }
  if (interrupted()) return status_of_interrupt();
  base::save_file(output, table.text());
  if (!options.model.quiet) fmt::print("{}: the last row of each\n", output.path.string());
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<SweepOptions>();
  add_model(arguments, options->model);
  arguments
      .add("--vary", "NAME=VALUES", options->vary,
           "a parameter and its values, d=2,6,10 or d=0:20:5; of several all combinations")
      .once();
  arguments.add("--until", "T", options->request.until, "end time in s (10)");
  add_run_options(arguments, options->request);
  arguments
      .add("--out", "NAME.csv", options->request.out,
           "results are NAME_1.csv, …, and NAME_table.csv (the model's name)")
      .with_letter('o')
      .of_files();
  arguments.add_switch("--overwrite", options->overwrite, "replace results that exist");
  return [options] { return sweep(*options); };
}

}  // namespace

extern const Verb sweep_verb;
const Verb sweep_verb{
    "sweep",
    "the same run for many values of parameters",
    "All options of run apply. The table has a row for each run: the values, and the last row of "
    "the "
    "result.",
    {"couplet sweep models/recipes/study.yaml --vary d=2,6,10,16 --until 2 --record x.q",
     "couplet plot study_?.csv x.q"},
    declare};

}  // namespace couplet::app
