#include "couplet/workbench/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/results/format.hpp"
#include "couplet/workbench/moves.hpp"
#include "couplet/workbench/state_file.hpp"

namespace couplet::workbench {
namespace {

namespace fs = std::filesystem;
using integrate::Ending;
using simulate::Simulation;

std::string model_hash(const RunRequest& request, const model::Model& model) {
  std::vector<std::string> files{resolve(request, request.model)};
  for (const model::Subsystem& subsystem : model.subsystems)
    if (!subsystem.file.empty()) files.push_back(subsystem.file);
  return simulate::hash_files(files);
}

/// Of the file that says where the run begins; absent: the model does.
std::optional<StateInput> read_start(const LoadedModel& model, const RunRequest& request) {
  if (request.state.empty()) return {};
  const StateInput input = read_state(resolve(request, request.state), *model.mechanism);
  if (input.tau.squaredNorm() > 0 || input.inverse)
    throw base::UserError({},
                          fmt::format("{} gives {}", base::quoted(request.state),
                                      input.inverse ? "accelerations \"vdot\"" : "forces \"tau\""),
                          "a run takes its forces from the model; leave that out");
  if (input.state.t > request.until)
    throw base::UserError({},
                          fmt::format("{} begins at t = {:g} s, after the end at {:g} s",
                                      base::quoted(request.state), input.state.t, request.until),
                          "give `until` a later time");
  return input;
}

/// A simulation at its start.
Simulation make_simulation(const LoadedModel& model, const RunRequest& request,
                           mechanics::RunOptions options) {
  const std::optional<StateInput> start = read_start(model, request);
  if (start) options.given = {start->has_q, start->has_v};
  Simulation simulation = mechanics::make_simulation(model.mechanism, options);
  if (start)
    simulation.start_at(start->state.t, mechanics::make_y(start->state));
  else if (model.format == Format::urdf)
    simulation.start_at(0, mechanics::make_y(model.start()));
  return simulation;
}

/// Initial values that were given and had to change.
std::vector<std::string> list_broken_starts(Simulation& simulation, const LoadedModel& model,
                                            const integrate::Start& start) {
  const auto& problem = dynamic_cast<const mechanics::MechanismProblem&>(simulation.problem());
  std::vector<integrate::Start::Change> changes = start.positions;
  changes.insert(changes.end(), start.speeds.begin(), start.speeds.end());
  return list_broken(*model.mechanism, problem.given(), changes);
}

void check_goes_on(const simulate::Checkpoint& checkpoint, const std::string& hash,
                   const RunRequest& request) {
  if (checkpoint.model_hash != hash)
    throw base::UserError(
        {},
        fmt::format("{} has changed since the checkpoint was written", base::quoted(request.model)),
        "undo the change, or start the run again without `resume`");
  const std::vector<std::string> differences =
      list_differences(read_options(checkpoint.request), request);
  if (!differences.empty())
    throw base::UserError({},
                          fmt::format("the run that wrote the checkpoint had other options: {}",
                                      fmt::join(differences, "; ")),
                          "go on with the same options, or start again without `resume`");
}

}  // namespace

bool RunReport::done() const {
  return summary.outcome.ending == Ending::reached || summary.outcome.ending == Ending::terminated;
}

RunReport run(const LoadedModel& model, const RunRequest& asked, const RunControl& control) {
  RunReport report;
  report.request = asked;
  RunRequest& request = report.request;
  if (request.folder.empty()) request.folder = fs::current_path().string();
  const mechanics::RunOptions options = make_run_options(request);
  Simulation simulation = make_simulation(model, request, options);
  report.integrator = options.integrator;
  report.signals = simulation.signals();
  report.result = result_path(request);
  report.checkpoint = simulate::checkpoint_path(report.result).string();

  results::About about = {{"model", request.model},
                          {"formalism", simulation.problem().describe().formalism},
                          {"integrator", options.integrator}};
  about.insert(about.begin() + 1, control.about.begin(), control.about.end());
  const simulate::Checkpoint header{
      to_options(request), model_hash(request, *model.mechanism->model), 0, 0, {}};
  if (control.resume) {
    const simulate::Checkpoint checkpoint = simulate::read_checkpoint(report.checkpoint);
    check_goes_on(checkpoint, header.model_hash, request);
    simulation.record_to(
        results::reopen_writer(report.result, simulation.signals(), about, checkpoint.rows));
    simulation.resume(checkpoint);
    report.t_start = checkpoint.t;
  } else {
    simulation.record_to(
        results::make_writer(report.result, simulation.signals(), about, control.overwrite));
  }
  simulation.keep_checkpoints(report.checkpoint, header);

  if (control.begin) control.begin(report.t_start, request);
  report.summary = simulation.run(control.watch);
  report.about = simulation.problem().describe();
  report.warnings = list_broken_starts(simulation, model, report.summary.start);
  if (report.done()) {
    std::error_code ignored;
    fs::remove(report.checkpoint, ignored);
  }
  if (!fs::exists(report.checkpoint)) report.checkpoint.clear();
  return report;
}

RunReport run(const RunRequest& request, const RunControl& control) {
  return run(load(resolve(request, request.model), request.load), request, control);
}

RunRequest read_request(const std::string& result) {
  const simulate::Checkpoint checkpoint =
      simulate::read_checkpoint(simulate::checkpoint_path(result));
  RunRequest request = read_options(checkpoint.request);
  return request;
}

results::Recording record(const LoadedModel& model, const RunRequest& request,
                          simulate::Summary* summary) {
  Simulation simulation = make_simulation(model, request, make_run_options(request));
  return simulate::record(simulation, summary);
}

std::vector<results::Signal> list_signals(const LoadedModel& model, const RunRequest& request) {
  Simulation simulation = mechanics::make_simulation(model.mechanism, make_run_options(request));
  return simulate::make_catalogue(simulation.observables());
}

}  // namespace couplet::workbench
