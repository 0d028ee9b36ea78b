// couplet run: simulates a mechanism, records it, and says what happened. couplet resume: goes on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/constraints/analysis.hpp"
#include "couplet/integrate/rule.hpp"
#include "couplet/simulate/simulation.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

namespace fs = std::filesystem;
using integrate::Ending;
using model::Mechanism;

simulate::RunOptions make_run_options(const RunVerbOptions& verb) {
  if (verb.interval && !(*verb.interval > 0))
    throw base::UserError({}, fmt::format("an interval of {} s is not possible", *verb.interval),
                          "give --interval DT, DT > 0, or --every-step");
  simulate::RunOptions options;
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

void print_json(const simulate::Summary& s, const simulate::RunOptions& options,
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
  for (const simulate::Rest& rest : s.rests) {
    json.begin_object();
    json.key("stop").value(rest.stop);
    json.key("t").value(rest.t);
    json.end_object();
  }
  json.end_array().end_object();
  fmt::print("{}\n", json.text());
}

void print_summary(const simulate::Summary& s, const simulate::RunOptions& options,
                   const RunVerbOptions& verb, const fs::path& out,
                   const std::vector<results::Signal>& signals, const dynamics::System& system) {
  const Mechanism& mechanism = system.mechanism();
  const std::string note = system.formalism().note();
  const int freedoms = dynamics::count_freedoms(system);
  const std::string how =
      options.step
          ? fmt::format("{} with steps of {:g} s", options.integrator, *options.step)
          : fmt::format("{} with tolerance {:g}", options.integrator, options.tolerance.relative);
  fmt::print("{}: {} freedom{}, {} formalism, {}\n",
             mechanism.model->name.empty() ? verb.model.path : mechanism.model->name, freedoms,
             freedoms == 1 ? "" : "s", options.formalism, how);
  fmt::print("  {:<14}t = {:.9g} s in {:.3g} s of the clock{}\n",
             std::string(word(s.outcome.ending)) + ":", s.t_end, s.seconds,
             s.seconds > 0 ? fmt::format(", {:.4g} times real time", s.t_end / s.seconds) : "");
  fmt::print("  {:<14}{} accepted, {} rejected, {} evaluations\n", "steps:", s.counts.steps,
             s.counts.rejections, s.counts.evaluations);
  if (s.counts.residuals > 0)
    fmt::print("  {:<14}{} residuals, {} Jacobians, {} factorizations\n",
               "implicit:", s.counts.residuals, s.counts.jacobians, s.counts.factorizations);
  if (s.counts.events > 0) fmt::print("  {:<14}{}\n", "events:", s.counts.events);
  for (const simulate::Rest& rest : s.rests)
    fmt::print("  {:<14}{} at t = {:.9g} s\n", "at rest:", rest.stop, rest.t);
  if (!note.empty())
    fmt::print("  {:<14}{}{}\n", "formalism:", note.substr(0, 100), note.size() > 100 ? "…" : "");
  fmt::print("  {:<14}{:.9g} J at the start, {:.9g} J at the end, difference {:.2e} J\n",
             "energy:", s.energy_start, s.energy_end, s.energy_end - s.energy_start);
  if (s.assembled)
    fmt::print(
        "  {:<14}loops were open by {:.2e}; the initial position was moved by up to {:.3g}\n",
        "assembled:", s.gap, s.moved);
  if (s.speed_change > 1e-9)
    fmt::print(
        "  {:<14}initial speeds do not fit the constraints; they were changed by up to {:.3g}\n",
        "assembled:", s.speed_change);
  if (mechanism.constrained())
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

void list_signals(simulate::Simulation& simulation) {
  for (const results::Signal& signal : simulate::SignalSet::catalogue(simulation.problem()))
    fmt::print("{}{}\n", signal.name, signal.unit.empty() ? "" : " [" + signal.unit + "]");
}

}  // namespace

int run(const RunVerbOptions& verb) {
  const auto mechanism = load_mechanism(verb.model);
  simulate::RunOptions options = make_run_options(verb);
  simulate::Simulation simulation(mechanism, options);
  options.formalism = simulation.problem().system().formalism_name();
  if (verb.list) return list_signals(simulation), 0;

  const fs::path out = result_path(verb), checkpoint_file = simulate::checkpoint_path(out);
  const results::About about = {{"model", verb.model.path},
                                {"command", command_line(verb.arguments)},
                                {"formalism", options.formalism},
                                {"integrator", options.integrator},
                                {"couplet", verb.version}};
  simulate::Checkpoint header{
      verb.arguments, fs::current_path().string(), model_hash(verb, *mechanism->model), 0, 0, {}};
  double t_start = 0;
  if (!verb.state.empty())
    simulation.start_at(read_state_file(verb.state, *mechanism).state);
  else if (verb.model.path.ends_with(".urdf"))
    simulation.start_at(state_within_limits(*mechanism));
  if (verb.resume) {
    const simulate::Checkpoint checkpoint = simulate::read_checkpoint(checkpoint_file);
    if (checkpoint.model_hash != header.model_hash)
      throw base::UserError({},
                            fmt::format("{} has changed since the checkpoint was written",
                                        base::quoted(verb.model.path)),
                            "undo the change, or start the run again without --resume");
    if (lasting(checkpoint.arguments) != lasting(verb.arguments))
      throw base::UserError(
          {},
          "the run that wrote the checkpoint had other options: " +
              command_line(checkpoint.arguments),
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
    print_summary(summary, options, verb, out, simulation.signals(), simulation.problem().system());
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
  std::error_code error;
  fs::current_path(checkpoint.directory, error);
  if (error)
    throw base::UserError(
        {},
        fmt::format("the run was started in {}, which is not there",
                    base::quoted(checkpoint.directory)),
        "repeat the command of the run with --resume: " + command_line(checkpoint.arguments));
  std::vector<std::string> arguments = checkpoint.arguments;
  std::erase(arguments, "--resume");
  arguments.push_back("--resume");
  return arguments;
}

}  // namespace couplet::app
