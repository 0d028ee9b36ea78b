// couplet bench integrators: work and precision of every integrator on a model, as a table, a CSV
// file and a picture.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "couplet/base/text.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/workbench/precision.hpp"
#include "interrupts.hpp"
#include "model_options.hpp"
#include "remarks.hpp"
#include "result_files.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct BenchOptions {
  std::string what;  // integrators
  ModelOptions model;
  workbench::PrecisionOptions precision;
  std::string out;  // picture; the table is beside it
  bool overwrite = false;
};

namespace fs = std::filesystem;
using integrate::WorkPoint;
using workbench::describe;
using workbench::PrecisionLine;
using workbench::PrecisionReport;

// On a terminal: what is being measured.
void say(const std::string& what, bool wanted) {
  if (!wanted || !isatty(STDERR_FILENO)) return;
  complain("\r{}\033[K", what);
  std::fflush(stderr);
}

// ---- The table

void print_points(const PrecisionReport& measured) {
  fmt::print("\n{:<20}{:<14}{:>10}{:>10}{:>11}{:>9}{:>9}{:>10}{:>10}{:>8}{:>9}\n", "integrator",
             "setting", "error q", "error v", "time, ms", "steps", "rejected", "evals", "residuals",
             "Jacob.", "factor.");
  for (const PrecisionLine& line : measured.lines)
    for (const WorkPoint& p : line.points) {
      if (!p.counts_as_point()) continue;
      fmt::print("{:<20}{:<14}{:>10.2e}{:>10.2e}{:>11.4g}{:>9}{:>9}{:>10}{:>10}{:>8}{:>9}\n",
                 p.rule, describe(p.setting), p.errors.position, p.errors.speed, 1e3 * p.seconds,
                 p.counts.steps, p.counts.rejections, p.counts.evaluations, p.counts.residuals,
                 p.counts.jacobians, p.counts.factorizations);
    }
}

// Milliseconds that each rule needs for an error, the fastest in the middle column first.
void print_times(const PrecisionReport& measured) {
  constexpr std::array errors{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  constexpr size_t sorted_by = 4;
  struct Row {
    std::string name;
    std::vector<std::optional<double>> seconds;
  };
  std::vector<Row> rows;
  for (const PrecisionLine& line : measured.lines) {
    Row row{line.integrator, {}};
    for (const double error : errors)
      row.seconds.push_back(integrate::find_work_at(line.points, error,
                                                    [](const WorkPoint& p) { return p.seconds; }));
    rows.push_back(std::move(row));
  }
  const auto key = [](const Row& row) { return row.seconds[sorted_by].value_or(1e9); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Row& a, const Row& b) { return key(a) < key(b); });
  fmt::print("\nmilliseconds for an error of positions of\n{:<20}", "integrator");
  for (const double error : errors) fmt::print("{:>9.0e}", error);
  fmt::print("\n");
  for (const Row& row : rows) {
    fmt::print("{:<20}", row.name);
    for (const std::optional<double>& seconds : row.seconds)
      fmt::print("{:>9}", seconds ? fmt::format("{:.3g}", 1e3 * *seconds) : "-");
    fmt::print("\n");
  }
}

// A reason without the time at which it came up.
std::string_view kind(std::string_view reason) { return reason.substr(0, reason.find(" at t = ")); }

// Points that do not count, those of a rule with the same kind of reason in one line.
void print_omitted(const PrecisionReport& measured) {
  bool any = false;
  const auto head = [&] {
    if (!std::exchange(any, true)) fmt::print("\nleft out:\n");
  };
  for (const PrecisionLine& line : measured.lines)
    for (size_t i = 0; i < line.points.size();) {
      size_t end = i + 1;
      const std::string& reason = line.points[i].omitted;
      while (end < line.points.size() && kind(line.points[end].omitted) == kind(reason)) ++end;
      if (!reason.empty()) {
        head();
        const std::string range = end - i > 1 ? " … " + describe(line.points[end - 1].setting) : "";
        fmt::print("  {:<20}{}{}: {}\n", line.integrator, describe(line.points[i].setting), range,
                   end - i > 1 ? kind(reason) : reason);
      }
      i = end;
    }
  for (const std::string& note : measured.does_not_apply) head(), fmt::print("  {}\n", note);
}

void print_json(const PrecisionReport& measured, const fs::path& picture, const fs::path& table) {
  workbench::JsonWriter json;
  json.begin_object();
  json.members("model", measured.model, "formalism", measured.formalism, "degrees_of_freedom",
               measured.freedoms);
  json.key("reference")
      .object("first", measured.reference.first, "second", measured.reference.second,
              "agreement_position", measured.reference.agreement.position, "agreement_speed",
              measured.reference.agreement.speed);
  json.key("points").begin_array();
  for (const PrecisionLine& line : measured.lines)
    for (const WorkPoint& p : line.points) {
      json.begin_object();
      json.key("integrator").value(p.rule);
      if (p.setting.step)
        json.key("step").value(*p.setting.step);
      else
        json.key("tolerance").value(p.setting.tolerance);
      json.members("error_position", p.errors.position, "error_speed", p.errors.speed, "seconds",
                   p.seconds);
      write_counts(p.counts, json);
      json.key("left_out").value(p.omitted);
      json.end_object();
    }
  json.end_array();
  json.members("picture", picture.string(), "table", table.string());
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_text(const PrecisionReport& measured) {
  const integrate::EndErrors& agreement = measured.reference.agreement;
  fmt::print("{}: {}, {} formalism, {:g} s\n", measured.model, freedoms_text(measured.freedoms),
             measured.formalism, measured.until);
  fmt::print("  {:<14}{}; {} agrees with it to {:.1e} of positions, {:.1e} of speeds\n",
             "reference:", measured.reference.first, measured.reference.second, agreement.position,
             agreement.speed);
  print_points(measured);
  print_times(measured);
  print_omitted(measured);
}

void check_picture(const fs::path& out) {
  if (out.extension() != ".svg" && out.extension() != ".png")
    throw base::UserError(
        results::place(out),
        fmt::format("{} is not a picture format", base::quoted(out.extension().string())),
        "choose .svg or .png");
}

int bench_integrators(const BenchOptions& options) {
  if (options.out == "-")
    throw base::UserError({}, "a picture and its table do not go to standard output",
                          "name the picture, as in --out precision.svg");
  const std::string stem =
      options.model.path == "-" ? "model" : fs::path(options.model.path).stem().string();
  const fs::path out = options.out.empty() ? stem + "_work_precision.svg" : options.out;
  const fs::path table = fs::path(out).replace_extension(".csv");
  workbench::PrecisionOptions wanted = options.precision;
  check_precision_options(wanted);
  check_picture(out);
  const workbench::LoadedModel model = load_mechanism(options.model);
  const std::vector<fs::path> inputs(model.files.begin(), model.files.end());
  const base::Output picture{out, "the picture", options.overwrite, inputs},
      numbers{table, "the table", options.overwrite, inputs};
  base::check_output(picture);
  base::check_output(numbers);

  catch_interrupts("; nothing was written\n");
  wanted.go_on = [] { return !interrupted(); };
  const bool shows = !options.model.json && !options.model.quiet;
  wanted.begin = [&](const std::string& what) { say(what, shows); };
  const PrecisionReport measured = measure_precision(model, wanted);
  say("", shows);

  write_picture(measured.picture(), picture, 2);
  base::save_file(numbers, measured.csv());
  if (options.model.json) {
    print_json(measured, out, table);
  } else if (!options.model.quiet) {
    print_text(measured);
    fmt::print("\n{}\n{}\n", out.string(), table.string());
  }
  if (!interrupted()) return 0;
  app::say(fmt::format("interrupted: what was measured until then is in {}", table.string()));
  return status_of_interrupt();
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<BenchOptions>();
  arguments
      .add_word("what", options->what,
                "integrators: work and precision of every one that applies, as table and picture")
      .with_choices({"integrators"});
  add_model(arguments, options->model);
  arguments.add("--until", "T", options->precision.until, "end time in s (1)");
  arguments.add("--formalism", "NAME", options->precision.formalism, "as for run");
  arguments
      .add("--integrators", "NAME", options->precision.integrators,
           "as in dop853,radau5 (all that apply)")
      .split_at(',');
  arguments.add("--budget", "S", options->precision.budget, "seconds that a run may take (2)");
  arguments.add_output(
      "--out", "FILE", options->out,
      "picture: .svg or .png; the table is beside it as .csv (MODEL_work_precision.svg)",
      options->overwrite, "files");
  return [options] { return bench_integrators(*options); };
}

}  // namespace

extern const Verb bench_verb;
const Verb bench_verb{
    "bench",
    "measures what precision costs with each integrator",
    "",
    {"couplet bench integrators models/double_pendulum.yaml --until 3",
     "couplet bench integrators models/benchmarks/andrews_squeezer.yaml --until 0.03 --integrators "
     "hem5,mexx,ida,radau5"},
    declare};

}  // namespace couplet::app
