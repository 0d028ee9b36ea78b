#include "couplet/workbench/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/constraints/open_rows.hpp"
#include "couplet/model/cut_joint.hpp"
#include "couplet/workbench/moves.hpp"

namespace couplet::workbench {
namespace {

using base::quoted;
using model::Mechanism;

/// The freedoms of a joint, or one of them.
std::vector<int> check_freedoms(const Mechanism& mechanism, const std::string& name) {
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
const model::Link* find_prescribed(const Mechanism& mechanism, int freedom) {
  for (const model::Link& link : mechanism.links)
    if (link.prescribed && link.iv == freedom) return &link;
  return nullptr;
}

/// Freedoms that the state gives but that follow a motion: how far the motion is from what was
/// given.
void add_prescribed(const Mechanism& mechanism, const StateInput& given, const model::State& state,
                    dynamics::AssemblyReport& report) {
  for (const model::Link& link : mechanism.links) {
    if (!link.prescribed || given.has_q.empty()) continue;
    if (given.has_q[static_cast<size_t>(link.iv)])
      report.moved[link.iv] = state.q[link.iq] - given.state.q[link.iq];
    if (given.has_v[static_cast<size_t>(link.iv)])
      report.speed_change[link.iv] = state.v[link.iv] - given.state.v[link.iv];
  }
}

dynamics::AssemblyOptions make_willingness(const AssembleOptions& options,
                                           const Mechanism& mechanism) {
  dynamics::AssemblyOptions out;
  const bool by_file = options.state && !options.state->has_q.empty();
  out.given = by_file ? dynamics::Given{options.state->has_q, options.state->has_v}
                      : dynamics::given_by_model(mechanism);
  out.weights = math::VecX::Ones(mechanism.nv);
  out.locked.assign(static_cast<size_t>(mechanism.nv), 0);
  for (const std::string& name : options.lock)
    for (const int i : check_freedoms(mechanism, name)) {
      if (find_prescribed(mechanism, i))
        throw base::UserError(
            {}, fmt::format("{} follows its prescribed motion and cannot be locked", quoted(name)),
            fmt::format("leave out `lock` {}, or remove `motion` at this joint", name));
      out.locked[static_cast<size_t>(i)] = 1;
    }
  for (const auto& [name, weight] : options.weight) {
    if (!(weight > 0))
      throw base::UserError({}, fmt::format("{} is not a weight of {}", weight, quoted(name)),
                            "give a `weight` > 0");
    for (const int i : check_freedoms(mechanism, name)) out.weights[i] = weight;
  }
  return out;
}

std::string describe_fault(const dynamics::AssemblyReport& report) {
  if (report.closed()) return {};
  const bool speeds = only_speeds_open(report);
  std::string message = speeds ? "positions close, but speeds have no solution:"
                               : "there is no solution near this position:";
  for (size_t i = 0; i < std::min<size_t>(report.open.size(), 5); ++i)
    message += "\n  " + describe_open(report, i);
  return message + (speeds
                        ? "\n  check how the prescribed motions change with time, or unlock joints"
                        : "\n  check the lengths, unlock joints, or start from another position");
}

}  // namespace

AssembleReport assemble(const LoadedModel& model, const AssembleOptions& options) {
  check_is_mechanism(model);
  const Mechanism& mechanism = *model.mechanism;
  const dynamics::AssemblyOptions willing = make_willingness(options, mechanism);
  dynamics::System system(model.mechanism);
  AssembleReport out;
  out.state = options.state ? options.state->state : mechanism.default_state();
  system.make_consistent(out.state);
  const model::State before = out.state;
  out.assembly = dynamics::assemble(system, out.state, willing);
  if (out.closed())
    out.warnings = list_broken(mechanism, *willing.given,
                               list_changes(mechanism, *willing.given, before, out.state));
  if (options.state) add_prescribed(mechanism, *options.state, out.state, out.assembly);
  for (int i = 0; i < mechanism.nv; ++i)
    out.changes.push_back({mechanism.dof_names[static_cast<size_t>(i)], out.assembly.moved[i],
                           out.assembly.speed_change[i], find_prescribed(mechanism, i) != nullptr});
  out.fault = describe_fault(out.assembly);
  return out;
}

}  // namespace couplet::workbench
