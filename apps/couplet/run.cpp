// couplet run: simulates a mechanism, records it, and says what happened. couplet resume: goes on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/constraints/analysis.hpp"
#include "couplet/integrate/rule.hpp"
#include "couplet/mechanics/simulation.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

namespace fs = std::filesystem;
using integrate::Ending;
using model::Mechanism;

mechanics::RunOptions make_run_options(const RunVerbOptions& verb) {
  if (verb.interval && !(*verb.interval > 0))
    throw base::UserError({}, fmt::format("an interval of {} s is not possible", *verb.interval),
                          "give --interval DT, DT > 0, or --every-step");
  if (!(verb.until >= 0 && std::isfinite(verb.until)))
    throw base::UserError({}, fmt::format("the end time {} s is not possible", verb.until),
                          "give --until T, T ≥ 0");
  if (verb.checkpoint < 0 || !std::isfinite(verb.checkpoint))
    throw base::UserError({},
                          fmt::format("checkpoints every {} s are not possible", verb.checkpoint),
                          "give --checkpoint DT in simulated seconds, DT > 0");
  mechanics::RunOptions options;
  options.formalism = verb.formalism;
  options.integrator = !verb.integrator.empty() ? verb.integrator : verb.step ? "rk4" : "dopri5";
  options.equations = verb.equations;
  options.t_end = verb.until;
  options.step = verb.step;
  options.tolerance = {verb.tolerance, verb.absolute.value_or(verb.tolerance)};
  options.interval =
      verb.every_step ? 0 : verb.interval.value_or(verb.until > 0 ? verb.until / 1000 : 1);
  options.record = verb.record;
  options.checkpoint_interval = verb.checkpoint;
  options.pace = verb.pace;
  return options;
}

fs::path result_path(const RunVerbOptions& verb) {
  return verb.out.empty() ? fs::path(verb.model.path).stem().string() + ".csv" : verb.out;
}

std::string command_line(const std::vector<std::string>& arguments) {
  std::string text = "couplet";
  for (const std::string& argument : arguments) {
    const bool plain =
        !argument.empty() && argument.find_first_not_of(
                                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_-+./=,:%@") == std::string::npos;
    std::string quoted;
    for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += plain ? " " + argument : " '" + quoted + "'";
  }
  return text;
}

/// The arguments as a checkpoint keeps them.
simulate::Request make_request(const std::vector<std::string>& arguments) {
  simulate::Request request{{"folder", fs::current_path().string()}};
  for (const std::string& argument : arguments) request.emplace_back("argument", argument);
  return request;
}

std::vector<std::string> find_values(const simulate::Request& request, std::string_view key) {
  std::vector<std::string> values;
  for (const auto& [each, value] : request)
    if (each == key) values.push_back(value);
  return values;
}

/// Arguments that may not change when a run goes on, in any order.
std::vector<std::string> lasting(std::vector<std::string> arguments) {
  std::erase(arguments, "--resume");
  std::erase(arguments, "--overwrite");
  std::sort(arguments.begin(), arguments.end());
  return arguments;
}

std::string model_hash(const RunVerbOptions& verb, const model::Model& model) {
  std::vector<std::string> files{verb.model.path};
  for (const model::Subsystem& subsystem : model.subsystems)
    if (!subsystem.file.empty()) files.push_back(subsystem.file);
  return simulate::hash_files(files);
}

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

void print_json(const simulate::Summary& s, const mechanics::RunOptions& options,
                const fs::path& out, const std::vector<results::Signal>& signals) {
  JsonWriter json;
  json.begin_object();
  json.key("ending").value(std::string(word(s.outcome.ending)));
  json.key("message").value(s.outcome.message);
  json.key("t_end").value(s.t_end);
  json.key("formalism").value(options.formalism);
  json.key("integrator").value(options.integrator);
  write_counts(s.counts, json);
  json.key("energy_start").value(s.energy_start);
  json.key("energy_end").value(s.energy_end);
  json.key("position_residual").value(s.residuals.position);
  json.key("velocity_residual").value(s.residuals.velocity);
  json.key("seconds").value(s.seconds);
  json.key("overruns").value(static_cast<double>(s.overruns));
  json.key("result").value(out.string());
  json.key("rows").value(static_cast<double>(s.rows));
  std::vector<std::string> names;
  for (const results::Signal& signal : signals) names.push_back(signal.name);
  json.key("signals").value(names);
  json.key("rests").begin_array();
  for (const simulate::Note& note : s.notes) {
    json.begin_object();
    json.key("stop").value(note.element);
    json.key("t").value(note.t);
    json.end_object();
  }
  json.end_array().end_object();
  fmt::print("{}\n", json.text());
}

void print_start(const integrate::Start& start) {
  const auto list = [](const std::vector<integrate::Start::Change>& changes) {
    constexpr size_t most = 6;
    double largest = 0;
    for (const auto& change : changes)
      largest = std::max(largest, std::abs(change.to - change.from));
    std::string text = fmt::format("{:.3g}:", largest);
    for (size_t i = 0; i < std::min(changes.size(), most); ++i)
      text +=
          fmt::format("{} {} {:.9g} → {:.9g}{}", i > 0 ? "," : "", changes[i].name, changes[i].from,
                      changes[i].to, changes[i].unit.empty() ? "" : " " + changes[i].unit);
    return text + (changes.size() > most ? ", …" : "");
  };
  if (!start.positions.empty())
    fmt::print("  {:<14}loops were open by {:.2e}; the initial position was moved by up to {}\n",
               "assembled:", start.gap, list(start.positions));
  if (!start.speeds.empty())
    fmt::print("  {:<14}initial speeds do not fit the constraints; they were changed by up to {}\n",
               "assembled:", list(start.speeds));
}

void print_summary(const simulate::Summary& s, const mechanics::RunOptions& options,
                   const RunVerbOptions& verb, const fs::path& out,
                   simulate::Simulation& simulation) {
  const integrate::Description about = simulation.problem().describe();
  const std::vector<results::Signal>& signals = simulation.signals();
  const int freedoms = about.degrees_of_freedom;
  const std::string how =
      options.step
          ? fmt::format("{} with steps of {:g} s", options.integrator, *options.step)
          : fmt::format("{} with tolerance {:g}", options.integrator, options.tolerance.relative);
  fmt::print("{}: {} freedom{}, {} formalism, {}\n",
             about.name.empty() ? verb.model.path : about.name, freedoms, freedoms == 1 ? "" : "s",
             about.formalism, how);
  fmt::print("  {:<14}t = {:.9g} s in {:.3g} s of the clock{}\n",
             std::string(word(s.outcome.ending)) + ":", s.t_end, s.seconds,
             s.seconds > 0 ? fmt::format(", {:.4g} times real time", s.t_end / s.seconds) : "");
  fmt::print("  {:<14}{} accepted, {} rejected, {} evaluations\n", "steps:", s.counts.steps,
             s.counts.rejections, s.counts.evaluations);
  if (s.counts.residuals > 0)
    fmt::print("  {:<14}{} residuals, {} Jacobians, {} factorizations\n",
               "implicit:", s.counts.residuals, s.counts.jacobians, s.counts.factorizations);
  if (s.counts.events > 0) fmt::print("  {:<14}{}\n", "events:", s.counts.events);
  for (const simulate::Note& note : s.notes)
    fmt::print("  {:<14}{} at t = {:.9g} s\n", note.what + ":", note.element, note.t);
  if (!about.note.empty())
    fmt::print("  {:<14}{}{}\n", "formalism:", about.note.substr(0, 100),
               about.note.size() > 100 ? "…" : "");
  fmt::print("  {:<14}{:.9g} J at the start, {:.9g} J at the end, difference {:.2e} J\n",
             "energy:", s.energy_start, s.energy_end, s.energy_end - s.energy_start);
  print_start(s.start);
  if (about.constrained)
    fmt::print("  {:<14}largest residuals {:.2e} of positions, {:.2e} of speeds\n",
               "constraints:", s.residuals.position, s.residuals.velocity);
  if (options.pace > 0)
    fmt::print("  {:<14}{} steps late by more than 1 ms, longest delay {:.2g} ms\n",
               "real time:", s.overruns, 1e3 * s.longest_delay);
  std::string names;
  for (size_t i = 1; i < signals.size() && names.size() < 60; ++i)
    names += (i > 1 ? ", " : "") + signals[i].name;
  fmt::print("  {:<14}{} rows of t and {} signals ({}{})\n", "recorded:", s.rows,
             signals.size() - 1, names, names.size() >= 60 ? ", …" : "");
  fmt::print("  {:<14}{}\n", "result:", out.string());
  fmt::print("  {:<14}{}\n", "repeat:", command_line(verb.arguments));
}

// A URDF says no initial positions; where zero is beyond a limit, the motion begins at the limit.
model::State state_within_limits(const Mechanism& mechanism) {
  model::State state = mechanism.default_state();
  for (const model::TreeJoint& slot : mechanism.joints) {
    const std::vector<model::Limits>& limits =
        mechanism.model->joints[static_cast<size_t>(slot.joint)].limits;
    for (size_t k = 0; k < limits.size(); ++k) {
      double& q = state.q[slot.iq + static_cast<int>(k)];
      q = std::clamp(q, limits[k].lower, limits[k].upper);
    }
  }
  return state;
}

// Where a state file says.
void start_at(const RunVerbOptions& verb, const Mechanism& mechanism,
              simulate::Simulation& simulation) {
  const StateFile file = read_state_file(verb.state, mechanism);
  if (file.tau.squaredNorm() > 0 || file.inverse)
    throw base::UserError({},
                          fmt::format("{} gives {}", base::quoted(verb.state),
                                      file.inverse ? "accelerations `vdot`" : "forces `tau`"),
                          "a run takes its forces from the model; leave that out");
  if (file.state.t > verb.until)
    throw base::UserError({},
                          fmt::format("{} begins at t = {:g} s, after the end at {:g} s",
                                      base::quoted(verb.state), file.state.t, verb.until),
                          "give a later end time");
  simulation.start_at(file.state.t, mechanics::make_y(file.state));
}

void list_signals(simulate::Simulation& simulation) {
  for (const results::Signal& signal : simulate::make_catalogue(simulation.observables()))
    fmt::print("{}{}\n", signal.name, signal.unit.empty() ? "" : " [" + signal.unit + "]");
}

}  // namespace

int run(const RunVerbOptions& verb) {
  const auto mechanism = load_mechanism(verb.model);
  mechanics::RunOptions options = make_run_options(verb);
  simulate::Simulation simulation = mechanics::make_simulation(mechanism, options);
  options.formalism = simulation.problem().describe().formalism;
  if (verb.list) return list_signals(simulation), 0;

  const fs::path out = result_path(verb), checkpoint_file = simulate::checkpoint_path(out);
  const results::About about = {{"model", verb.model.path},
                                {"command", command_line(verb.arguments)},
                                {"formalism", options.formalism},
                                {"integrator", options.integrator},
                                {"couplet", verb.version}};
  simulate::Checkpoint header{
      make_request(verb.arguments), model_hash(verb, *mechanism->model), 0, 0, {}};
  double t_start = 0;
  if (!verb.state.empty())
    start_at(verb, *mechanism, simulation);
  else if (verb.model.path.ends_with(".urdf"))
    simulation.start_at(0, mechanics::make_y(state_within_limits(*mechanism)));
  if (verb.resume) {
    const simulate::Checkpoint checkpoint = simulate::read_checkpoint(checkpoint_file);
    if (checkpoint.model_hash != header.model_hash)
      throw base::UserError({},
                            fmt::format("{} has changed since the checkpoint was written",
                                        base::quoted(verb.model.path)),
                            "undo the change, or start the run again without --resume");
    const std::vector<std::string> arguments = find_values(checkpoint.request, "argument");
    if (lasting(arguments) != lasting(verb.arguments))
      throw base::UserError(
          {}, "the run that wrote the checkpoint had other options: " + command_line(arguments),
          fmt::format("go on with: couplet resume {}, or start again without --resume",
                      out.string()));
    simulation.record_to(results::reopen_writer(out, simulation.signals(), about, checkpoint.rows));
    simulation.resume(checkpoint);
    t_start = checkpoint.t;
  } else {
    simulation.record_to(results::make_writer(out, simulation.signals(), about, verb.overwrite));
  }
  simulation.keep_checkpoints(checkpoint_file, header);

  catch_interrupts();
  simulate::Summary summary;
  {
    Progress progress(t_start, verb.until, !verb.model.json);
    summary = simulation.run([&](double t) {
      progress.update(t);
      return !interrupted();
    });
  }
  const Ending ending = summary.outcome.ending;
  if (ending == Ending::reached || ending == Ending::terminated) {
    std::error_code ignored;
    fs::remove(checkpoint_file, ignored);
  }
  if (verb.model.json)
    print_json(summary, options, out, simulation.signals());
  else
    print_summary(summary, options, verb, out, simulation);
  if (ending == Ending::failed)
    throw base::ComputationError(fmt::format("{}\n  what was computed up to there is in {}",
                                             summary.outcome.message, out.string()));
  if (ending == Ending::interrupted) {
    fmt::print(stderr, "interrupted at t = {:.9g} s; go on with: couplet resume {}\n",
               summary.t_end, out.string());
    return 1;
  }
  return 0;
}

std::vector<std::string> prepare_resume(const std::string& result) {
  const fs::path path = fs::absolute(result);
  simulate::Checkpoint checkpoint = simulate::read_checkpoint(simulate::checkpoint_path(path));
  const std::vector<std::string> folders = find_values(checkpoint.request, "folder");
  const std::string folder = folders.empty() ? "" : folders.front();
  std::error_code error;
  fs::current_path(folder, error);
  if (error)
    throw base::UserError(
        {}, fmt::format("the run was started in {}, which is not there", base::quoted(folder)),
        "repeat the command of the run with --resume: " +
            command_line(find_values(checkpoint.request, "argument")));
  std::vector<std::string> arguments = find_values(checkpoint.request, "argument");
  std::erase(arguments, "--resume");
  arguments.push_back("--resume");
  return arguments;
}

}  // namespace couplet::app
