// couplet assemble: a state that closes all loops, from a rough guess.
#include <fmt/format.h>

#include <fstream>
#include <optional>

#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/constraints/open_rows.hpp"
#include "couplet/model/cut_joint.hpp"
#include "json.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

using base::quoted;

/// The freedoms of a joint, or one of them.
std::vector<int> find_freedoms(const model::Mechanism& mechanism, const std::string& name) {
  std::vector<int> found;
  for (int i = 0; i < mechanism.nv; ++i) {
    const std::string& freedom = mechanism.dof_names[static_cast<size_t>(i)];
    if (freedom == name || freedom.starts_with(name + ".")) found.push_back(i);
  }
  if (!found.empty()) return found;
  model::check_has_coordinates(mechanism, name);
  throw base::UserError({}, fmt::format("there is no joint {}", quoted(name)),
                        base::suggest(name, mechanism.dof_names));
}

/// The link of a freedom whose motion is prescribed.
const model::Link* find_prescribed(const model::Mechanism& mechanism, int freedom) {
  for (const model::Link& link : mechanism.links)
    if (link.prescribed && link.iv == freedom) return &link;
  return nullptr;
}

/// Freedoms that the state file gives but that follow a motion: how far the motion is from what was
/// given.
void add_prescribed(const model::Mechanism& mechanism, const StateFile& given,
                    const model::State& state, dynamics::AssemblyReport& report) {
  for (const model::Link& link : mechanism.links) {
    if (!link.prescribed) continue;
    if (given.has_q[static_cast<size_t>(link.iv)])
      report.moved[link.iv] = state.q[link.iq] - given.state.q[link.iq];
    if (given.has_v[static_cast<size_t>(link.iv)])
      report.speed_change[link.iv] = state.v[link.iv] - given.state.v[link.iv];
  }
}

double number_of(const std::string& text, const std::string& option) {
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  if (used != text.size() || text.empty() || !(value > 0))
    throw base::UserError({}, fmt::format("{} is not a weight", quoted(option)),
                          "give --weight joint=10, a number > 0");
  return value;
}

dynamics::AssemblyOptions make_options(const AssembleOptions& verb,
                                       const model::Mechanism& mechanism) {
  dynamics::AssemblyOptions options;
  options.weights = math::VecX::Ones(mechanism.nv);
  options.locked.assign(static_cast<size_t>(mechanism.nv), 0);
  for (const std::string& name : verb.lock)
    for (const int i : find_freedoms(mechanism, name)) {
      if (find_prescribed(mechanism, i))
        throw base::UserError(
            {}, fmt::format("{} follows its prescribed motion and cannot be locked", quoted(name)),
            fmt::format("leave out --lock {}, or remove `motion` at this joint", name));
      options.locked[static_cast<size_t>(i)] = 1;
    }
  for (const std::string& option : verb.weight) {
    const size_t equals = option.find('=');
    const std::string name = option.substr(0, equals);
    const double weight =
        number_of(equals == std::string::npos ? "" : option.substr(equals + 1), option);
    for (const int i : find_freedoms(mechanism, name)) options.weights[i] = weight;
  }
  return options;
}

/// A state file: q and v by joint, as --state reads it.
void write_state(const model::Mechanism& mechanism, const model::State& state, JsonWriter& json) {
  for (const bool speeds : {false, true}) {
    json.key(speeds ? "v" : "q").begin_object();
    for (const model::TreeJoint& slot : mechanism.joints) {
      const model::Joint& joint = mechanism.model->joints[slot.joint];
      const model::JointInfo& type = info(joint.type);
      if (type.nv == 0 || joint.mimic) continue;
      json.key(joint.name);
      const math::VecX& from = speeds ? state.v : state.q;
      const int first = speeds ? slot.iv : slot.iq, n = speeds ? type.nv : type.nq;
      if (n == 1)
        json.value(from[first]);
      else
        json.value(math::VecX(from.segment(first, n)));
    }
    json.end_object();
  }
  if (mechanism.nx == 0) return;
  json.key("x").begin_object();
  for (int i = 0; i < mechanism.nx; ++i)
    json.key(mechanism.model->states[static_cast<size_t>(i)].name).value(state.x[i]);
  json.end_object();
}

void print_report(const model::Mechanism& mechanism, const dynamics::AssemblyReport& report) {
  fmt::print("residuals before: {:.3e} of positions, {:.3e} of speeds\n", report.before.position,
             report.before.velocity);
  fmt::print("residuals after:  {:.3e} of positions, {:.3e} of speeds, {} iterations\n",
             report.after.position, report.after.velocity, report.iterations);
  bool any = false;
  for (int i = 0; i < mechanism.nv; ++i) {
    if (std::abs(report.moved[i]) < 1e-12 && std::abs(report.speed_change[i]) < 1e-12) continue;
    if (!any) fmt::print("{:<28} {:>16} {:>16}\n", "freedom", "moved", "speed changed");
    any = true;
    fmt::print("{:<28} {:>16.9g} {:>16.9g}{}\n", mechanism.dof_names[static_cast<size_t>(i)],
               report.moved[i], report.speed_change[i],
               find_prescribed(mechanism, i) ? "  follows its prescribed motion" : "");
  }
  if (!any) fmt::print("nothing had to move\n");
}

}  // namespace

int assemble(const AssembleOptions& options) {
  const auto mechanism = load_mechanism(options.model);
  dynamics::System system(mechanism);
  const dynamics::AssemblyOptions willing = make_options(options, *mechanism);
  std::optional<StateFile> given;
  if (!options.state.empty()) given = read_state_file(options.state, *mechanism);
  model::State state = given ? given->state : mechanism->default_state();
  system.make_consistent(state);
  dynamics::AssemblyReport report = dynamics::assemble(system, state, willing);
  if (given) add_prescribed(*mechanism, *given, state, report);
  JsonWriter json;
  json.begin_object();
  write_state(*mechanism, state, json);
  if (options.model.json) {
    JsonWriter all;
    all.begin_object();
    all.key("closed").value(report.closed());
    all.key("position_residual").value(report.after.position);
    all.key("velocity_residual").value(report.after.velocity);
    all.key("dofs").value(mechanism->dof_names);
    all.key("moved").value(report.moved);
    all.key("speed_change").value(report.speed_change);
    write_state(*mechanism, state, all);
    all.end_object();
    fmt::print("{}\n", all.text());
  } else {
    print_report(*mechanism, report);
  }
  json.end_object();
  if (!report.closed()) {
    const bool speeds = only_speeds_open(report);
    std::string message = speeds ? "positions close, but speeds have no solution:"
                                 : "there is no solution near this position:";
    for (size_t i = 0; i < std::min<size_t>(report.open.size(), 5); ++i)
      message += "\n  " + describe_open(report, i);
    throw base::ComputationError(
        message + (speeds
                       ? "\n  check how the prescribed motions change with time, or unlock joints"
                       : "\n  check the lengths, unlock joints, or start from another position"));
  }
  if (!options.out.empty()) {
    std::ofstream file(options.out);
    file << json.text() << "\n";
    if (!file.flush())
      throw base::UserError({}, fmt::format("{} cannot be written", quoted(options.out)),
                            "choose another place");
    fmt::print("written: {}\n", options.out);
  }
  return 0;
}

}  // namespace couplet::app
