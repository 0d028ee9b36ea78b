#include "couplet/workbench/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/csv_text.hpp"
#include "couplet/workbench/modelica.hpp"
#include "couplet/workbench/modelica_run.hpp"

namespace couplet::workbench {
namespace {

using base::UserError;

constexpr size_t most_runs = 100000;

size_t count_runs(const std::vector<Variation>& vary) {
  if (vary.empty()) throw UserError({}, "nothing is varied", "give a parameter and its values");
  size_t runs = 1;
  for (const Variation& each : vary) {
    if (each.values.empty())
      throw UserError({}, fmt::format("{} has no values", base::quoted(each.name)),
                      "give at least one");
    runs *= each.values.size();
    if (runs > most_runs)
      throw UserError({}, fmt::format("more than {} runs", most_runs), "vary less");
  }
  return runs;
}

/// Those of run number k.
std::vector<std::string> values_of(size_t k, const std::vector<Variation>& vary) {
  std::vector<std::string> values(vary.size());
  for (size_t i = vary.size(); i-- > 0;) {
    values[i] = vary[i].values[k % vary[i].values.size()];
    k /= vary[i].values.size();
  }
  return values;
}

std::string describe(const std::vector<Variation>& vary, const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < vary.size(); ++i)
    parts.push_back(fmt::format("{} = {}", vary[i].name, values[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
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
    if (header_.empty()) header_ = names_;
    std::vector<std::string> row = values;
    for (size_t k = 0; k < run.columns(); ++k) {
      const results::Signal& signal = run.signals[k];
      const std::string name = signal.name + (signal.unit.empty() ? "" : " [" + signal.unit + "]");
      const auto found =
          std::find(header_.begin() + static_cast<long>(names_.size()), header_.end(), name);
      const auto at = static_cast<size_t>(found - header_.begin());
      if (found == header_.end()) header_.push_back(name);  // parameters may shape a model
      row.resize(std::max(row.size(), at + 1));
      row[at] = fmt::format("{}", run.at(run.rows() - 1, k));
    }
    rows_.push_back({std::move(row), file});
  }
  bool empty() const { return rows_.empty(); }
  std::string text() const {
    std::string out;
    const auto add = [&](const std::vector<std::string>& cells, std::string_view end) {
      for (const std::string& cell : cells)
        out += (&cell == cells.data() ? "" : ",") + results::csv_cell(cell);
      out += end;
    };
    add(header_, ",result\n");
    for (const auto& [cells, file] : rows_) {
      std::vector<std::string> row = cells;
      row.resize(header_.size());
      row.push_back(file);
      add(row, "\n");
    }
    return out;
  }

 private:
  std::vector<std::string> names_, header_;
  std::vector<std::pair<std::vector<std::string>, std::string>> rows_;  // cells, file
};

// Runs one after the other. A Modelica class is translated once, and again where values of its
// parameters shape it.
class Runner {
 public:
  RunReport run(const RunRequest& request, size_t fixed, const RunControl& control) {
    const auto& set = request.load.set;
    if (!is_modelica(request.model)) return workbench::run(request, control);
    if (first_) {
      LoadedModel model = *first_;
      model.modelica =
          try_change(*first_->modelica, {set.begin() + static_cast<long>(fixed), set.end()});
      if (model.modelica) {
        RunReport report = workbench::run(model, request, control);
        if (report.summary.outcome.ending != integrate::Ending::failed) return report;
        RunControl again = control;
        again.overwrite = true;  // what it has just written
        return workbench::run(request, again);
      }
    }
    const LoadedModel model = load(resolve(request, request.model), request.load);
    RunReport report = workbench::run(model, request, control);
    if (!first_) first_ = model;
    return report;
  }

 private:
  std::optional<LoadedModel> first_;
};

}  // namespace

std::optional<double> find_end(const SweepRequest& request) {
  if (!is_modelica(request.run.model)) return {};
  return find_end(load(resolve(request.run, request.run.model), request.run.load));
}

SweepReport sweep(const SweepRequest& asked, const SweepControl& control) {
  const size_t runs = count_runs(asked.vary);
  if (asked.run.out == "-")
    throw UserError({}, "many results do not go to standard output", "name a file with `out`");
  const std::filesystem::path out = asked.run.out.empty() ? result_path(asked.run) : asked.run.out;
  const std::string name = (out.parent_path() / out.stem()).string(), ending = out.extension();
  const auto request_of = [&](size_t k) {
    RunRequest request = asked.run;
    const std::vector<std::string> values = values_of(k, asked.vary);
    for (size_t i = 0; i < values.size(); ++i)
      request.load.set.emplace_back(asked.vary[i].name, values[i]);
    request.out = fmt::format("{}_{}{}", name, k + 1, ending);
    return request;
  };
  const std::vector<std::filesystem::path> inputs = list_inputs(request_of(0));
  for (size_t k = 0; k < runs; ++k)
    base::check_output({request_of(k).out, "the result", control.overwrite, inputs});
  const base::Output output{name + "_table.csv", "the table", control.overwrite, inputs};
  base::check_output(output);
  Table table(asked.vary);
  Runner runner;
  SweepReport report;
  for (; report.runs < runs; ++report.runs) {
    report.interrupted = control.watch && !control.watch();
    if (report.interrupted) break;
    SweptRun ran{values_of(report.runs, asked.vary), {}};
    const RunRequest request = request_of(report.runs);
    RunControl each;
    each.overwrite = control.overwrite;
    if (control.watch) each.watch = [&](double) { return control.watch(); };
    if (control.about) each.about = control.about(request);
    try {
      ran.report = runner.run(request, asked.run.load.set.size(), each);
    } catch (const base::ComputationError& error) {  // it could not even begin
      report.failures.push_back(describe(asked.vary, ran.values) + ": " + error.what());
      continue;
    }
    const integrate::Outcome& outcome = ran.report.summary.outcome;
    if (outcome.ending == integrate::Ending::failed)
      report.failures.push_back(
          fmt::format("{}: {}", describe(asked.vary, ran.values), outcome.message));
    report.interrupted = outcome.ending == integrate::Ending::interrupted;
    if (report.interrupted) break;
    table.add(ran.values, request.out);
    if (control.ran) control.ran(ran);
  }
  if (report.interrupted && table.empty()) return report;
  base::save_file(output, table.text());
  report.table = output.path.string();
  return report;
}

std::vector<std::string> find_swept_values(const std::vector<std::string>& results) {
  const std::filesystem::path first = results.empty() ? "" : results.front();
  const std::string stem = first.stem().string();
  const auto read = base::try_read_file(
      first.parent_path() / (stem.substr(0, stem.rfind('_')) + "_table.csv"), 64 << 20);
  const auto* text = std::get_if<std::string>(&read);
  if (!text) return {};
  std::string_view rest = *text;
  const auto take = [&]() -> std::optional<std::vector<std::string>> {
    const auto record = results::take_csv_record(rest);
    return record ? std::optional(results::split_csv_record(*record)) : std::nullopt;
  };
  const auto header = take();
  if (!header || header->back() != "result") return {};
  std::vector<Variation> vary;  // the columns before the time
  for (const std::string& name : *header)
    if (name == "t [s]")
      break;
    else
      vary.push_back({name, {}});
  std::map<std::string, std::string> of;  // by the name of the file
  while (const auto row = take())
    if (row->size() == header->size())
      of[std::filesystem::path(row->back()).filename()] = describe(vary, *row);
  std::vector<std::string> labels;
  for (const std::string& result : results)
    if (const auto found = of.find(std::filesystem::path(result).filename()); found != of.end())
      labels.push_back(found->second);
  return labels.size() == results.size() ? labels : std::vector<std::string>();
}

}  // namespace couplet::workbench
