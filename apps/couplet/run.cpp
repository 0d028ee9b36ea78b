// couplet run: simulates a mechanism, records it, and says what happened.
#include "couplet/workbench/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "couplet/base/text.hpp"
#include "couplet/integrate/rule.hpp"
#include "couplet/workbench/modelica.hpp"
#include "interrupts.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "remarks.hpp"
#include "run.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

using integrate::Ending;
using workbench::RunReport;
using workbench::RunRequest;

const char* word(Ending ending) {
  switch (ending) {
    case Ending::reached:
      return "done";
    case Ending::terminated:
      return "ended by a rule of the model";
    case Ending::interrupted:
      return "interrupted";
    case Ending::failed:
      return "failed";
  }
  return "";
}

bool stdout_is_taken = false;  // by rows, or by the state at the end
std::FILE* summary_file() { return stdout_is_taken ? stderr : stdout; }

void print_json(const RunReport& report) {
  const simulate::Summary& s = report.summary;
  workbench::JsonWriter json;
  json.begin_object();
  json.members("ending", word(s.outcome.ending), "message", s.outcome.message, "t_end", s.t_end,
               "degrees_of_freedom", report.about.degrees_of_freedom, "formalism",
               report.about.formalism, "integrator", report.integrator);
  write_counts(s.counts, json);
  json.members("warnings", report.warnings, "energy_start", s.energy_start, "energy_end",
               s.energy_end, "energy_changes", report.energy_changes, "position_residual",
               s.residuals.position, "velocity_residual", s.residuals.velocity, "seconds",
               s.seconds, "overruns", s.overruns, "result", report.result, "rows", s.rows);
  std::vector<std::string> names;
  for (const results::Signal& signal : report.signals) names.push_back(signal.name);
  json.key("signals").value(names);
  json.key("rests").begin_array();
  for (const simulate::Note& note : s.notes) {
    if (note.what != "at rest") continue;
    json.begin_object();
    json.members("stop", note.element, "t", note.t);
    json.end_object();
  }
  json.end_array();
  json.objects("notes", s.notes, [&](const simulate::Note& note) {
    json.members("what", note.what, "element", note.element, "t", note.t, "advice", note.advice);
  });
  json.end_object();
  fmt::print(summary_file(), "{}\n", json.text());
}

void print_line(const char* label, const std::string& text) {
  fmt::print(summary_file(), "  {:<14}{}\n", label, text);
}

std::string describe_changes(const std::vector<integrate::Start::Change>& changes) {
  constexpr size_t most = 6;
  double largest = 0;
  for (const auto& change : changes) largest = std::max(largest, std::abs(change.to - change.from));
  std::string text = fmt::format("{:.3g}:", largest);
  for (size_t i = 0; i < std::min(changes.size(), most); ++i)
    text +=
        fmt::format("{} {} {:.9g} → {:.9g}{}", i > 0 ? "," : "", changes[i].name, changes[i].from,
                    changes[i].to, changes[i].unit.empty() ? "" : " " + changes[i].unit);
  return text + (changes.size() > most ? ", …" : "");
}

void print_start(const integrate::Start& start) {
  if (!start.positions.empty())
    print_line("assembled:",
               fmt::format("loops were open by {:.2e}; the initial position was moved by up to {}",
                           start.gap, describe_changes(start.positions)));
  if (!start.speeds.empty())
    print_line(
        "assembled:",
        fmt::format("initial speeds do not fit the constraints; they were changed by up to {}",
                    describe_changes(start.speeds)));
}

/// What happens to an element again and again, as rest at a stop, is one line.
void print_notes(const std::vector<simulate::Note>& notes) {
  const auto is_same = [](const simulate::Note& a) {
    return [&a](const simulate::Note& b) { return a.what == b.what && a.element == b.element; };
  };
  for (auto note = notes.begin(); note != notes.end(); ++note) {
    if (std::find_if(notes.begin(), note, is_same(*note)) != note) continue;  // said
    const auto again = std::count_if(note + 1, notes.end(), is_same(*note));
    const auto last = std::find_if(notes.rbegin(), notes.rend(), is_same(*note));
    print_line((note->what + ":").c_str(),
               fmt::format("{} at t = {:.9g} s{}{}{}", note->element, note->t,
                           again > 0 ? fmt::format(" and {} later, the last at {:.9g} s",
                                                   counted(again, "time"), last->t)
                                     : "",
                           note->advice.empty() ? "" : ": ", note->advice));
  }
}

void print_work(const simulate::Summary& s) {
  print_line("steps:", fmt::format("{} accepted, {} rejected, {} evaluations", s.counts.steps,
                                   s.counts.rejections, s.counts.evaluations));
  if (s.counts.residuals > 0)
    print_line("implicit:", fmt::format("{}, {}, {}", counted(s.counts.residuals, "residual"),
                                        counted(s.counts.jacobians, "Jacobian"),
                                        counted(s.counts.factorizations, "factorization")));
  if (s.counts.events > 0) print_line("events:", fmt::format("{}", s.counts.events));
  print_notes(s.notes);
}

/// 0.523, 42.1, 4500: three digits, without a power of ten.
std::string factor_text(double x) {
  if (!(x >= 1000 && x < 1e15)) return fmt::format("{:.3g}", x);
  const double unit = std::pow(10, std::floor(std::log10(x)) - 2);
  return fmt::format("{:.0f}", std::round(x / unit) * unit);
}

void print_summary(const RunReport& report, const std::string& more) {
  const simulate::Summary& s = report.summary;
  const RunRequest& request = report.request;
  const integrate::Description& about = report.about;
  const std::string how =
      request.step ? fmt::format("{} with steps of {:g} s", report.integrator, *request.step)
                   : fmt::format("{} with tolerance {:g}", report.integrator, request.tolerance);
  fmt::print(summary_file(), "{}: {}, {} formalism, {}\n",
             about.name.empty() ? request.model : about.name,
             freedoms_text(about.degrees_of_freedom), about.formalism, how);
  const double ran = s.t_end - report.t_start;
  const std::string at_end =
      s.outcome.ending == Ending::reached ? "" : fmt::format("at t = {:.9g} s, ", s.t_end);
  print_line(
      (std::string(word(s.outcome.ending)) + ":").c_str(),
      fmt::format(
          "{}simulated {:.9g} s in {:.3g} s{}", at_end, ran, s.seconds,
          s.seconds > 0 ? fmt::format(" ({}× real time)", factor_text(ran / s.seconds)) : ""));
  print_work(s);
  if (!about.note.empty())
    print_line("formalism:", about.note.substr(0, 100) + (about.note.size() > 100 ? "…" : ""));
  if (std::isfinite(s.energy_start))
    print_line(
        "energy:",
        fmt::format("{:.9g} J at the start, {:.9g} J at the end, difference {:.2e} J{}",
                    s.energy_start, s.energy_end, s.energy_end - s.energy_start,
                    report.energy_changes.empty()
                        ? ""
                        : fmt::format(", changed by {}", fmt::join(report.energy_changes, ", "))));
  print_start(s.start);
  if (about.constrained)
    print_line("constraints:",
               fmt::format("largest residuals {:.2e} of positions, {:.2e} of speeds",
                           s.residuals.position, s.residuals.velocity));
  if (request.real_time > 0)
    print_line("real time:", fmt::format("{} late by more than 1 ms, longest delay {:.2g} ms",
                                         counted(s.overruns, "step"), 1e3 * s.longest_delay));
  std::string names;
  for (size_t i = 1; i < report.signals.size() && names.size() < 60; ++i)
    names += (i > 1 ? ", " : "") + report.signals[i].name;
  print_line("recorded:",
             fmt::format("{} of t and {} ({}{})", counted(static_cast<long>(s.rows), "row"),
                         counted(static_cast<long>(report.signals.size()) - 1, "signal"), names,
                         names.size() >= 60 ? ", …" : ""));
  print_line("result:", report.result);
  print_line("repeat:", command_line(request) + more + (request.out == "-" ? "" : " --overwrite"));
}

std::string quoted_for_shell(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+./=,:%@") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

struct RunVerbOptions {
  ModelOptions model;
  RunRequest request;
  std::optional<double> until;  // absent: what the model says
  bool overwrite = false, resume = false, list = false;
  std::string end_state;
  std::vector<std::string> prescribe;
};

int run(const RunVerbOptions& verb, bool inverse) {
  RunRequest request = verb.request;
  if (inverse && verb.prescribe.empty())
    throw base::UserError({}, "nothing is prescribed",
                          "write --prescribe NAME=F, as in --prescribe 'phi=sin(t)'");
  if (verb.until) request.until = *verb.until;
  request.model = verb.model.path;
  const std::vector<std::string> unknowns = verb.request.load.solve_for;
  request.load = make_load_options(verb.model);
  request.load.solve_for = unknowns;
  for (const std::string& text : verb.prescribe) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::UserError({}, fmt::format("--prescribe {} says nothing", base::quoted(text)),
                            "write --prescribe NAME=F, as in --prescribe 'phi=sin(t)'");
    request.load.prescribe.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  const workbench::LoadedModel model = with_warnings(
      workbench::load(workbench::resolve(request, request.model), request.load), verb.model.quiet);
  if (!verb.until) request.until = workbench::find_end(model).value_or(RunRequest().until);
  if (!verb.list) {
    workbench::RunControl control;
    control.overwrite = verb.overwrite;
    control.end_state = verb.end_state;
    control.resume = verb.resume;
    return run_request(model, request, verb.model, control);
  }
  const std::vector<results::Signal> signals = workbench::list_signals(model, request);
  if (verb.model.json) {
    workbench::JsonWriter json;
    json.begin_object().objects("signals", signals, [&](const results::Signal& signal) {
      json.members("name", signal.name, "unit", signal.unit);
    });
    fmt::print("{}\n", json.end_object().text());
    return 0;
  }
  for (const results::Signal& signal : signals)
    fmt::print("{}{}\n", signal.name, signal.unit.empty() ? "" : " [" + signal.unit + "]");
  return 0;
}

std::function<int()> declare(Arguments& arguments) { return declare_run(arguments, false); }

}  // namespace

std::function<int()> declare_run(Arguments& arguments, bool inverse) {
  const auto options = std::make_shared<RunVerbOptions>();
  RunRequest& request = options->request;
  add_model(arguments, options->model,
            inverse ? "File.mo, File.mo:Package.Class or Qualified.Name" : any_model);
  if (inverse) {
    arguments
        .add("--prescribe", "NAME=F", options->prescribe,
             "what a variable is to be, as in r1.q[1]=sin(2*t)")
        .once();
    arguments
        .add("--solve-for", "NAME", request.load.solve_for,
             "as many inputs or parameters, to be found (the inputs of the class)")
        .split_at(',');
  }
  arguments.add("--until", "T", options->until,
                "end time in s (10, or what a Modelica class says)");
  add_run_options(arguments, request);
  arguments.add_switch("--list", options->list, "names of all that can be recorded");
  arguments.add_output(
      "--out", "FILE", request.out,
      "result: .csv or .h5 (the model's name with .csv); - writes CSV to standard output",
      options->overwrite, "a result");
  arguments.add("--checkpoint", "DT", request.checkpoint,
                "save the state every so many simulated seconds");
  arguments
      .add("--end-state", "FILE", options->end_state,
           "the state at the end as JSON, for the --state of another run")
      .of_files();
  arguments.add_switch("--resume", options->resume, "go on from the checkpoint of the result");
  arguments.add("--real-time", "X", request.real_time,
                "simulated seconds per second, as in --real-time 1");
  return [options, inverse] { return run(*options, inverse); };
}

void add_run_options(Arguments& arguments, RunRequest& request) {
  std::string rules = "dopri5 (default)";
  std::vector<std::string> names;
  for (const integrate::RuleEntry& entry : integrate::rules()) names.emplace_back(entry.name);
  for (const integrate::RuleEntry& entry : integrate::rules())
    if (std::string_view(entry.name) != "dopri5") rules += fmt::format(", {}", entry.name);
  arguments.add("--formalism", "NAME", request.formalism, formalism_doc())
      .with_hints(formalism_names());
  arguments.add("--integrator", "NAME", request.integrator, rules).with_hints(names);
  arguments
      .add("--equations", "FORM", request.equations,
           "that implicit integrators solve: residual (default) or explicit")
      .with_hints({"residual", "explicit"});
  arguments
      .add("--state", "FILE", request.state,
           "where the motion begins: JSON as for evaluate, or the end of a result, or its row at "
           "a time, as in swing.csv@2.5")
      .of_files();
  arguments.add("--step", "H", request.step,
                "fixed step in s; without it steps follow the tolerance");
  arguments.add("--tolerance", "E", request.tolerance, "relative error of the run (1e-6)");
  arguments.add("--absolute", "E", request.absolute, "absolute error in SI units (as --tolerance)");
  arguments.add("--max-step", "H", request.max_step,
                "longest step in s, so that nothing short is stepped over");
  arguments.add("--interval", "DT", request.interval,
                "time between rows in s (a thousandth of the run)");
  arguments.add_switch("--every-step", request.every_step, "a row for every step instead");
  arguments
      .add("--record", "NAME", request.record,
           "names, globs or expressions, as in pivot.q,tip.position.*,2*pivot.v")
      .split_at(',');
}

std::string command_line(const RunRequest& request) {
  std::string text = (request.load.prescribe.empty() ? "couplet run " : "couplet inverse ") +
                     quoted_for_shell(request.model);
  if (request.until == RunRequest().until && workbench::is_modelica(request.model))
    text += fmt::format(" --until {}", request.until);  // the class may say something else
  for (const auto& [name, value] : workbench::to_options(request)) {
    if (name == "model" || name == "folder") continue;
    std::string flag = "--" + name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    text += " " + flag;
    if (value != "true")
      text += (value.size() > 1 && value.starts_with('-') ? "=" : " ") + quoted_for_shell(value);
  }
  return text;
}

int run_request(const workbench::LoadedModel& model, const RunRequest& request,
                const ModelOptions& options, workbench::RunControl control) {
  const std::string result = workbench::result_path(request);
  catch_interrupts(
      fmt::format("\n  what was written of {} is safe; a run with --checkpoint goes on from the "
                  "last one: couplet "
                  "resume {}\n",
                  result, quoted_for_shell(result)));
  std::unique_ptr<Progress> progress;
  control.about = {{"command", command_line(request)}, {"couplet", "couplet " COUPLET_VERSION}};
  control.begin = [&](double t_start, const RunRequest& asked) {
    progress = std::make_unique<Progress>(t_start, asked.until, !options.json && !options.quiet);
  };
  control.watch = [&](double t) {
    progress->update(t);
    return !interrupted();
  };
  stdout_is_taken = request.out == "-" || control.end_state == "-";
  const RunReport report = workbench::run(model, request, control);
  progress.reset();
  for (const std::string& warning : report.warnings)
    if (!options.quiet) remark("warning", warning);
  if (options.json)
    print_json(report);
  else if (!options.quiet)
    print_summary(report, control.end_state.empty()
                              ? ""
                              : " --end-state " + quoted_for_shell(control.end_state));
  const Ending ending = report.summary.outcome.ending;
  if (ending == Ending::failed)
    throw base::ComputationError(fmt::format("{}\n  what was computed up to there is in {}",
                                             report.summary.outcome.message, report.result));
  if (ending != Ending::interrupted) return 0;
  const std::string when = fmt::format("interrupted at t = {:.9g} s", report.summary.t_end);
  say(report.checkpoint.empty()
          ? when + ", before the first checkpoint"
          : fmt::format("{}; go on with: couplet resume {}{}", when,
                        quoted_for_shell(report.result), request.load.trust ? " --trust" : ""));
  return status_of_interrupt();
}

extern const Verb run_verb;
const Verb run_verb{
    "run",
    "simulates a model and records its motion",
    "A model may also be Modelica: File.mo, File.mo:Package.Class, or a class on MODELICAPATH or "
    "in "
    "Couplet's own library.",
    {"couplet run models/double_pendulum.yaml --until 20 --out swing.h5",
     "couplet run models/spinning_top.yaml --integrator dop853 --tolerance 1e-10 --record "
     "'top.position.*'",
     "couplet run models/bouncing_ball.yaml --until 3 --record ball.q,ball.v"},
    declare};

}  // namespace couplet::app
