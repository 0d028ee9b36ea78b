#include "couplet/workbench/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/results/format.hpp"
#include "couplet/symbolic/substitute.hpp"
#include "couplet/workbench/modelica_run.hpp"
#include "couplet/workbench/moves.hpp"
#include "couplet/workbench/state_file.hpp"

namespace couplet::workbench {
namespace {

namespace fs = std::filesystem;
using integrate::Ending;
using simulate::Simulation;

std::vector<std::string> list_inputs(const LoadedModel& model, const RunRequest& request) {
  std::vector<std::string> files = model.files;
  if (!request.state.empty() && request.state != "-")
    files.push_back(split_state_place(resolve(request, request.state)).path);
  return files;
}

/// Its name is chosen with another option than that of the result.
void check_end_state(const RunControl& control, const std::vector<fs::path>& inputs) {
  try {
    base::check_output({control.end_state, "the state", control.overwrite, inputs});
  } catch (const base::UserError& error) {
    std::vector<base::Diagnostic> said = error.diagnostics();
    for (base::Diagnostic& each : said)
      if (const size_t at = each.fix.find("`out`"); at != std::string::npos)
        each.fix.replace(at, 5, "`end_state`");
    throw base::UserError(said);
  }
}

/// Before anything is computed: neither the result nor the state at the end replaces what the run
/// is made from, nor each other.
void check_outputs(const RunReport& report, const RunControl& control,
                   std::vector<fs::path> inputs) {
  base::check_output({report.result, "the result", true, inputs});  // whether it may: make_writer
  if (control.end_state.empty()) return;
  check_end_state(control, inputs);
  std::error_code ignored;
  if (report.result == "-" && control.end_state == "-")
    throw base::UserError({}, "standard output is the result already and cannot be the state, too",
                          "put one of them into a file");
  if (report.result != "-" && fs::weakly_canonical(report.result, ignored) ==
                                  fs::weakly_canonical(control.end_state, ignored))
    throw base::UserError({control.end_state, 0, 0},
                          "the result and the state at the end have the same name",
                          "choose another name for the state");
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

/// What of a model gives energy or takes it, besides weights and springs; stops if one was hit or
/// held, rules if there were any events.
std::vector<std::string> list_energy_changes(const model::Model& model, bool stopped, bool events) {
  const auto is_zero = [](const model::Value& value) {
    if (const auto* one = std::get_if<symbolic::Expr>(&value)) return one->is_constant(0);
    if (const auto* three = std::get_if<std::array<symbolic::Expr, 3>>(&value))
      return std::ranges::all_of(*three, [](const auto& e) { return e.is_constant(0); });
    return value.index() == 0;
  };
  const auto any_force = [&](std::initializer_list<std::string_view> keys) {
    return std::ranges::any_of(model.forces, [&](const model::Element& force) {
      return std::ranges::any_of(keys, [&](std::string_view key) {
        return force.type->find_key(key) && !is_zero(force.value(key));
      });
    });
  };
  std::vector<std::string> found;
  const auto add = [&](bool is_there, const char* what) {
    if (is_there) found.emplace_back(what);
  };
  const auto any_joint = [&](auto has) { return std::ranges::any_of(model.joints, has); };
  add(any_force({"damping", "angular-damping"}), "damping");
  add(any_force({"force", "torque"}), "forces");
  add(any_force({"plugin"}), "plug-ins");
  add(any_joint([](const model::Joint& j) { return !j.motion.empty(); }), "prescribed motions");
  add(any_joint([](const model::Joint& j) { return j.friction && !j.friction->none(); }),
      "friction");
  const auto stops = [](const model::Limits& l) {
    return l.restitution < 1 && (std::isfinite(l.lower) || std::isfinite(l.upper));
  };
  add(stopped &&
          any_joint([&](const model::Joint& j) { return std::ranges::any_of(j.limits, stops); }),
      "stops");
  add(events && std::ranges::any_of(model.rules,
                                    [](const model::EventRule& rule) {
                                      return !rule.resets.empty() || !rule.switches.empty();
                                    }),
      "rules");
  add(std::ranges::any_of(model.constraints,
                          [&](const model::Element& each) {
                            const auto used = symbolic::find_symbols(find_expressions(model, each));
                            return std::ranges::find(used, "t") != used.end();
                          }),
      "moving constraints");
  return found;
}

/// What of a class is recorded when nothing is said: states, outputs, and of an inverse problem
/// what is prescribed and what is found.
std::vector<std::string> list_usual(const LoadedModelica& loaded, const RunRequest& request) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  const auto& variables = loaded.model->dae.variables;
  for (const int s : loaded.model->states)
    if (!variables[static_cast<size_t>(s)].hidden) add(variables[static_cast<size_t>(s)].name);
  for (const auto& [name, text] : request.load.prescribe) add(name);
  for (const equations::Variable& v : variables) {
    const bool is_found = v.is_input && v.kind != equations::Kind::parameter;
    if (v.is_output || is_found ||
        std::ranges::find(request.load.solve_for, v.name) != request.load.solve_for.end())
      add(v.name);
  }
  return names;
}

/// A simulation at its start.
Simulation make_simulation(const LoadedModel& model, const RunRequest& request,
                           mechanics::RunOptions options, const std::string& end_state = {}) {
  if (model.modelica) {
    for (const auto& [name, text] : {std::pair("state", request.state),
                                     {"formalism", request.formalism},
                                     {"equations", request.equations},
                                     {"end_state", end_state}})
      if (!text.empty())
        throw base::UserError({}, fmt::format("a Modelica model has no option `{}`", name),
                              "leave it out");
    if (request.integrator.empty() && !request.step) options.integrator = "ida";
    if (options.record.empty()) options.record = list_usual(*model.modelica, request);
    const double t = model.modelica->experiment.start;
    if (t > request.until)
      throw base::UserError(
          {},
          fmt::format("the model begins at t = {:g} s, after the end at {:g} s", t, request.until),
          "give `until` a later time");
    Simulation simulation(make_subject(*model.modelica), options);
    if (t != 0) simulation.start_at(t, {});
    return simulation;
  }
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
  if (model.modelica) return {};
  const auto& problem = dynamic_cast<const mechanics::MechanismProblem&>(simulation.problem());
  std::vector<integrate::Start::Change> changes = start.positions;
  changes.insert(changes.end(), start.speeds.begin(), start.speeds.end());
  return list_broken(*model.mechanism, problem.given(), changes);
}

/// Refuses what the disk cannot hold, where the number of rows is known before.
void check_room(const std::string& result, const mechanics::RunOptions& options, size_t columns,
                double t_start) {
  const double h = options.interval > 0 ? options.interval : options.step.value_or(0);
  if (h <= 0) return;
  const bool as_text = fs::path(result).extension() == ".csv";
  const double rows = (options.t_end - t_start) / h;
  const double bytes = rows * static_cast<double>(columns) * (as_text ? 12 : 8);
  std::error_code unknown;
  if (fs::is_other(result, unknown)) return;
  const fs::space_info disk = fs::space(fs::absolute(result).parent_path(), unknown);
  if (unknown || bytes <= static_cast<double>(disk.available)) return;
  throw base::UserError(
      {result, 0, 0},
      fmt::format("{:.3g} rows of {} numbers need about {:.3g} GB, and the disk has {:.3g} GB",
                  rows, columns, 1e-9 * bytes, 1e-9 * static_cast<double>(disk.available)),
      "give a longer `interval`, or fewer signals with `record`");
}

/// The checkpoint of a result that was there before is removed; what is none stays.
void check_checkpoint(const std::string& path) {
  if (!fs::is_directory(path)) return;
  throw base::UserError({path, 0, 0}, "this folder is in the way of the checkpoint",
                        "remove it, or write the result elsewhere with `out`");
}

void check_goes_on(const simulate::Checkpoint& checkpoint, const std::string& hash,
                   const RunRequest& request) {
  if (checkpoint.model_hash != hash)
    throw base::UserError(
        {},
        fmt::format("{}, or a file that it uses, has changed since the checkpoint was written",
                    base::quoted(request.model)),
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

std::vector<fs::path> list_inputs(const RunRequest& request) {
  const auto files = list_inputs(load(resolve(request, request.model), request.load), request);
  return {files.begin(), files.end()};
}

std::optional<double> find_end(const LoadedModel& model) {
  return model.modelica ? model.modelica->experiment.stop : std::nullopt;
}

bool RunReport::done() const {
  return summary.outcome.ending == Ending::reached || summary.outcome.ending == Ending::terminated;
}

namespace {

/// Where rows go, from the beginning.
void begin_result(Simulation& simulation, const RunReport& report, const results::About& about,
                  bool overwrite) {
  check_checkpoint(report.checkpoint);
  simulation.record_to(results::make_writer(report.result, simulation.signals(), about, overwrite));
  if (report.request.out != "-")
    fs::remove(report.checkpoint);  // of a result that was there before
}

/// The same, and the state, from where a checkpoint stands.
void continue_result(Simulation& simulation, const RunReport& report, const results::About& about,
                     const simulate::Checkpoint& checkpoint) {
  simulation.record_to(results::reopen_writer(report.result, simulation.signals(), about,
                                              checkpoint.rows, checkpoint.fingerprint));
  simulation.resume(checkpoint);
}

results::About describe_run(Simulation& simulation, const RunReport& report,
                            const RunControl& control) {
  results::About about = {{"model", report.request.model}};
  about.insert(about.end(), control.about.begin(), control.about.end());
  about.emplace_back("formalism", simulation.problem().describe().formalism);
  about.emplace_back("integrator", report.integrator);
  return about;
}

void write_end_state(const LoadedModel& model, const RunReport& report, const RunControl& control) {
  if (control.end_state.empty() || report.summary.end.size() == 0) return;
  const model::Mechanism& m = *model.mechanism;
  const math::VecX& y = report.summary.end;
  write_state_file(m, {report.summary.t_end, y.head(m.nq), y.segment(m.nq, m.nv), y.tail(m.nx)},
                   {control.end_state, "the state", control.overwrite});
}

/// What it was asked for, and where its result goes.
RunReport make_report(const LoadedModel& model, const RunRequest& asked,
                      const std::string& usual_integrator) {
  RunReport report;
  report.request = asked;
  RunRequest& request = report.request;
  if (request.folder.empty()) request.folder = fs::current_path().string();
  report.integrator =
      model.modelica && request.integrator.empty() && !request.step ? "ida" : usual_integrator;
  report.result = result_path(request);
  report.checkpoint = simulate::checkpoint_path(report.result).string();
  return report;
}

}  // namespace

RunReport run(const LoadedModel& model, const RunRequest& asked, const RunControl& control) {
  const mechanics::RunOptions options = make_run_options(asked);
  if (asked.out == "-" && (asked.checkpoint > 0 || control.resume))
    throw base::UserError({}, "what goes to standard output has no checkpoint",
                          "write the result to a file with `out`");
  RunReport report = make_report(model, asked, options.integrator);
  const RunRequest& request = report.request;
  simulate::Checkpoint header;
  header.request = to_options(request);
  const std::vector<std::string> inputs = list_inputs(model, request);
  header.model_hash = simulate::hash_files(inputs);

  const std::optional<base::FileLock> claim = results::claim_result(report.result);
  std::optional<simulate::Checkpoint> checkpoint;
  if (control.resume) {
    checkpoint = simulate::read_checkpoint(report.checkpoint);
    check_goes_on(*checkpoint, header.model_hash, request);
  }
  check_plugins(model);  // not before it is clear that they are the same
  Simulation simulation = make_simulation(model, request, options, control.end_state);
  report.signals = simulation.signals();
  report.t_start = checkpoint       ? checkpoint->t
                   : model.modelica ? model.modelica->experiment.start
                                    : 0;
  check_room(report.result, options, report.signals.size(), report.t_start);

  check_outputs(report, control, {inputs.begin(), inputs.end()});

  const results::About about = describe_run(simulation, report, control);
  if (checkpoint)
    continue_result(simulation, report, about, *checkpoint);
  else
    begin_result(simulation, report, about, control.overwrite);
  if (request.out != "-") simulation.keep_checkpoints(report.checkpoint, header);

  if (control.begin) control.begin(report.t_start, request);
  report.summary = simulation.run(control.watch);
  report.about = simulation.problem().describe();
  write_end_state(model, report, control);
  if (!model.modelica)
    report.energy_changes = list_energy_changes(
        *model.mechanism->model,
        dynamic_cast<const mechanics::MechanismProblem&>(simulation.problem()).stopped(),
        report.summary.counts.events > 0);
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
  // Whoever goes on decides anew whom to trust: the checkpoint may be a stranger's. The result may
  // have another name by now; that of another run is not its business.
  request.load.trust = false;
  if (result_path(request) != result) request.out = fs::absolute(result).string();
  return request;
}

results::Recording record(const LoadedModel& model, const RunRequest& request,
                          simulate::Summary* summary) {
  check_plugins(model);
  Simulation simulation = make_simulation(model, request, make_run_options(request));
  return simulate::record(simulation, summary);
}

std::vector<results::Signal> list_signals(const LoadedModel& model, const RunRequest& request) {
  if (model.modelica) return simulate::make_catalogue(*make_subject(*model.modelica).observables);
  Simulation simulation = mechanics::make_simulation(model.mechanism, make_run_options(request));
  return simulate::make_catalogue(simulation.observables());
}

}  // namespace couplet::workbench
