// couplet bench integrators: work and precision of every integrator on a model, as a table, a CSV
// file and a picture.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "couplet/base/text.hpp"
#include "couplet/integrate/work_precision.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "couplet/mechanics/simulation.hpp"
#include "couplet/results/destination.hpp"
#include "couplet/results/plot/axis.hpp"
#include "couplet/results/plot/curves.hpp"
#include "interrupts.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "result_files.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct BenchOptions {
  std::string what;  // integrators
  ModelOptions model;
  std::string formalism;                 // empty: the usual one
  std::vector<std::string> integrators;  // empty: all that apply
  double until = 1;                      // s
  double budget = 2;                     // s of the processor for a run
  std::string out;                       // picture; the table is beside it
  bool overwrite = false;
};

namespace fs = std::filesystem;
using integrate::RuleEntry;
using integrate::StepControl;
using integrate::WorkPoint;

/// What was measured of one rule, coarse to fine.
struct Line {
  const RuleEntry* entry;
  std::vector<WorkPoint> points;
};

struct Measured {
  std::string model, formalism;
  int freedoms = 0;
  integrate::Reference reference;
  std::vector<Line> lines;
  std::vector<std::string> does_not_apply;
};

std::vector<const RuleEntry*> chosen_rules(const std::vector<std::string>& names) {
  std::vector<const RuleEntry*> out;
  for (const std::string& name : names) out.push_back(&integrate::check_rule(name));
  if (names.empty())
    for (const RuleEntry& entry : integrate::rules()) out.push_back(&entry);
  return out;
}

std::string setting_text(const WorkPoint& point) {
  return point.setting.step ? fmt::format("h {:.3e}", *point.setting.step)
                            : fmt::format("tol {:.0e}", point.setting.tolerance);
}

// On a terminal: what is being measured.
void say(const std::string& what, bool wanted) {
  if (!wanted || !isatty(STDERR_FILENO)) return;
  fmt::print(stderr, "\r{}\033[K", what);
  std::fflush(stderr);
}

void measure(const BenchOptions& options, integrate::WorkBench& bench, Measured& out) {
  for (const RuleEntry* entry : chosen_rules(options.integrators)) {
    if (interrupted()) break;
    Line line{entry, {}};
    try {
      say(entry->name, !options.model.json);
      bench.sweep(*entry, [&](const WorkPoint& point) {
        say(fmt::format("{}, {}", point.rule, setting_text(point)), !options.model.json);
        line.points.push_back(point);
      });
      out.lines.push_back(std::move(line));
    } catch (const base::UserError& error) {
      if (!options.integrators.empty()) throw;
      out.does_not_apply.push_back(
          fmt::format("{}: {}", entry->name, error.diagnostics().front().what));
    }
  }
  say("", !options.model.json);
}

// ---- The table

void print_points(const Measured& measured) {
  fmt::print("\n{:<20}{:<14}{:>10}{:>10}{:>11}{:>9}{:>9}{:>10}{:>10}{:>8}{:>9}\n", "integrator",
             "setting", "error q", "error v", "time, ms", "steps", "rejected", "evals", "residuals",
             "Jacob.", "factor.");
  for (const Line& line : measured.lines)
    for (const WorkPoint& p : line.points) {
      if (!p.counts_as_point()) continue;
      fmt::print("{:<20}{:<14}{:>10.2e}{:>10.2e}{:>11.4g}{:>9}{:>9}{:>10}{:>10}{:>8}{:>9}\n",
                 p.rule, setting_text(p), p.errors.position, p.errors.speed, 1e3 * p.seconds,
                 p.counts.steps, p.counts.rejections, p.counts.evaluations, p.counts.residuals,
                 p.counts.jacobians, p.counts.factorizations);
    }
}

// Milliseconds that each rule needs for an error, the fastest in the middle column first.
void print_times(const Measured& measured) {
  constexpr std::array errors{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  constexpr size_t sorted_by = 4;
  struct Row {
    std::string name;
    std::vector<std::optional<double>> seconds;
  };
  std::vector<Row> rows;
  for (const Line& line : measured.lines) {
    Row row{line.entry->name, {}};
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
void print_omitted(const Measured& measured) {
  bool any = false;
  const auto head = [&] {
    if (!std::exchange(any, true)) fmt::print("\nleft out:\n");
  };
  for (const Line& line : measured.lines)
    for (size_t i = 0; i < line.points.size();) {
      size_t end = i + 1;
      const std::string& reason = line.points[i].omitted;
      while (end < line.points.size() && kind(line.points[end].omitted) == kind(reason)) ++end;
      if (!reason.empty()) {
        head();
        const std::string range = end - i > 1 ? " … " + setting_text(line.points[end - 1]) : "";
        fmt::print("  {:<20}{}{}: {}\n", line.entry->name, setting_text(line.points[i]), range,
                   end - i > 1 ? kind(reason) : reason);
      }
      i = end;
    }
  for (const std::string& note : measured.does_not_apply) head(), fmt::print("  {}\n", note);
}

// ---- Files

const char* word(StepControl control) {
  return control == StepControl::fixed ? "fixed" : control == StepControl::own ? "own" : "error";
}

std::string csv_text(const Measured& measured) {
  std::string text =
      "integrator,control,tolerance,step [s],error_position,error_speed,time "
      "[s],steps,rejections,evaluations,residuals,"
      "jacobians,factorizations,left_out\n";
  for (const Line& line : measured.lines)
    for (const WorkPoint& p : line.points) {
      std::string reason;
      for (const char c : p.omitted) reason += c == '"' ? std::string("\"\"") : std::string(1, c);
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", p.rule, word(p.control),
                      p.setting.step ? "" : fmt::format("{}", p.setting.tolerance),
                      p.setting.step ? fmt::format("{}", *p.setting.step) : "", p.errors.position,
                      p.errors.speed, p.seconds, p.counts.steps, p.counts.rejections,
                      p.counts.evaluations, p.counts.residuals, p.counts.jacobians,
                      p.counts.factorizations, reason.empty() ? "" : "\"" + reason + "\"");
    }
  return text;
}

std::string draw(const Measured& measured, double until) {
  results::LogPicture picture;
  picture.title = fmt::format("Work and precision: {}", measured.model);
  picture.subtitle =
      fmt::format("{:g} s of motion, {} formalism; reference {}, which {} agrees with to {}", until,
                  measured.formalism, measured.reference.first, measured.reference.second,
                  results::number_text(measured.reference.agreement.position, 2));
  results::LogPanel time{"all integrators",
                         "processor time [s]",
                         "largest relative error of positions at the end",
                         {}};
  results::LogPanel evaluations{
      "integrators that evaluate accelerations", "evaluations of accelerations", "", {}};
  for (const Line& line : measured.lines) {
    const std::string group =
        line.entry->control == StepControl::fixed ? "fixed steps" : "steps by tolerance";
    results::MarkedCurve by_time{line.entry->name, group, {}}, by_evaluations = by_time;
    for (const WorkPoint& p : line.points) {
      if (!p.counts_as_point()) continue;
      by_time.points.push_back({p.seconds, p.errors.position});
      if (p.counts.residuals == 0)
        by_evaluations.points.push_back(
            {static_cast<double>(p.counts.evaluations), p.errors.position});
    }
    if (!by_time.points.empty()) time.curves.push_back(std::move(by_time));
    if (!by_evaluations.points.empty()) evaluations.curves.push_back(std::move(by_evaluations));
  }
  picture.panels.push_back(std::move(time));
  if (!evaluations.curves.empty()) picture.panels.push_back(std::move(evaluations));
  return draw_curves(picture);
}

void print_json(const Measured& measured, const fs::path& picture, const fs::path& table) {
  workbench::JsonWriter json;
  json.begin_object();
  json.key("model").value(measured.model);
  json.key("formalism").value(measured.formalism);
  json.key("degrees_of_freedom").value(measured.freedoms);
  json.key("reference").begin_object();
  json.key("first").value(measured.reference.first);
  json.key("second").value(measured.reference.second);
  json.key("agreement_position").value(measured.reference.agreement.position);
  json.key("agreement_speed").value(measured.reference.agreement.speed);
  json.end_object();
  json.key("points").begin_array();
  for (const Line& line : measured.lines)
    for (const WorkPoint& p : line.points) {
      json.begin_object();
      json.key("integrator").value(p.rule);
      if (p.setting.step)
        json.key("step").value(*p.setting.step);
      else
        json.key("tolerance").value(p.setting.tolerance);
      json.key("error_position").value(p.errors.position);
      json.key("error_speed").value(p.errors.speed);
      json.key("seconds").value(p.seconds);
      write_counts(p.counts, json);
      json.key("left_out").value(p.omitted);
      json.end_object();
    }
  json.end_array();
  json.key("picture").value(picture.string());
  json.key("table").value(table.string());
  json.end_object();
  fmt::print("{}\n", json.text());
}

void check(const BenchOptions& options, const fs::path& out) {
  chosen_rules(options.integrators);  // names that do not exist
  for (const auto& [name, value] :
       {std::pair("--until", options.until), {"--budget", options.budget}})
    if (!(value > 0 && std::isfinite(value)))
      throw base::UserError({}, fmt::format("{} {} s is not possible", name, value),
                            fmt::format("give {} T, T > 0", name));
  if (out.extension() != ".svg" && out.extension() != ".png")
    throw base::UserError(
        results::place(out),
        fmt::format("{} is not a picture format", base::quoted(out.extension().string())),
        "choose .svg or .png");
}

int bench_integrators(const BenchOptions& options) {
  const fs::path out = options.out.empty()
                           ? fs::path(options.model.path).stem().string() + "_work_precision.svg"
                           : options.out;
  const fs::path table = fs::path(out).replace_extension(".csv");
  check(options, out);
  const workbench::LoadedModel model = load_model(options.model);
  const std::shared_ptr<const model::Mechanism> mechanism = model.mechanism;
  const std::vector<fs::path> inputs(model.files.begin(), model.files.end());
  const base::Output picture{out, "the picture", options.overwrite, inputs},
      numbers{table, "the table", options.overwrite, inputs};
  base::check_output(picture);
  base::check_output(numbers);
  workbench::check_plugins(model);

  Measured measured;
  measured.model = mechanism->model->name.empty() ? fs::path(options.model.path).stem().string()
                                                  : mechanism->model->name;
  mechanics::MechanismProblem first(mechanism, options.formalism);
  first.make_start(0, mechanics::make_y(model.start()));
  measured.formalism = first.describe().formalism;
  measured.freedoms = first.describe().degrees_of_freedom;
  integrate::WorkBench bench(
      [&](math::VecX& y) {
        auto problem = std::make_unique<mechanics::MechanismProblem>(mechanism, options.formalism);
        y = problem->make_y(model.start());
        return problem;
      },
      {.t_end = options.until, .budget = options.budget, .go_on = [] { return !interrupted(); }});

  catch_interrupts("; nothing was written\n");
  say("reference", !options.model.json);
  measured.reference = bench.find_reference();
  measure(options, bench, measured);

  write_picture(draw(measured, options.until), picture, 2);
  base::save_file(numbers, csv_text(measured));
  if (options.model.json) {
    print_json(measured, out, table);
  } else if (!options.model.quiet) {
    const integrate::EndErrors& agreement = measured.reference.agreement;
    fmt::print("{}: {}, {} formalism, {:g} s\n", measured.model, freedoms_text(measured.freedoms),
               measured.formalism, options.until);
    fmt::print("  {:<14}{}; {} agrees with it to {:.1e} of positions, {:.1e} of speeds\n",
               "reference:", measured.reference.first, measured.reference.second,
               agreement.position, agreement.speed);
    print_points(measured);
    print_times(measured);
    print_omitted(measured);
    fmt::print("\n{}\n{}\n", out.string(), table.string());
  }
  if (!interrupted()) return 0;
  fmt::print(stderr, "interrupted: what was measured until then is in {}\n", table.string());
  return status_of_interrupt();
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<BenchOptions>();
  arguments
      .add_word("what", options->what,
                "integrators: work and precision of every one that applies, as table and picture")
      .with_choices({"integrators"});
  add_model(arguments, options->model);
  arguments.add("--until", "T", options->until, "end time in s (1)");
  arguments.add("--formalism", "NAME", options->formalism, "as for run");
  arguments
      .add("--integrators", "NAME", options->integrators, "as in dop853,radau5 (all that apply)")
      .split_at(',');
  arguments.add("--budget", "S", options->budget, "seconds that a run may take (2)");
  arguments
      .add("--out", "FILE", options->out,
           "picture: .svg or .png; the table is beside it as .csv (MODEL_work_precision.svg)")
      .with_letter('o')
      .of_files();
  arguments.add_switch("--overwrite", options->overwrite, "replace files that exist");
  return [options] { return bench_integrators(*options); };
}

}  // namespace

extern const Verb bench_verb;
const Verb bench_verb{
    "bench",
    "what precision costs",
    "",
    {"couplet bench integrators models/double_pendulum.yaml --until 3",
     "couplet bench integrators models/benchmarks/andrews_squeezer.yaml --until 0.03 --integrators "
     "hem5,mexx,ida,radau5"},
    declare};

}  // namespace couplet::app
