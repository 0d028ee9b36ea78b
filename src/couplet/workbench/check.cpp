#include "couplet/workbench/check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "couplet/base/text.hpp"
#include "couplet/forces/force_set.hpp"
#include "couplet/mechanics/stops.hpp"
#include "couplet/model/state_rates.hpp"
#include "couplet/symbolic/print.hpp"
#include "couplet/workbench/loops.hpp"
#include "couplet/workbench/moves.hpp"
#include "couplet/workbench/plausibility.hpp"

namespace couplet::workbench {
namespace {

using base::quoted;
using model::Mechanism;

constexpr size_t longest_rate = 160;  // bytes: points in expressions become long ones

// Joints whose outward bodies weigh nothing: forward dynamics has no answer there.
std::vector<std::string> massless_joints(const Mechanism& mechanism) {
  std::vector<double> carried(mechanism.bodies.size(), 0);
  std::vector<std::string> names;
  for (size_t k = mechanism.joints.size(); k-- > 0;) {
    const model::TreeJoint& slot = mechanism.joints[k];
    const math::MassProperties& mass = mechanism.model->bodies[slot.child_body].mass;
    carried[slot.child_body] += mass.mass + mass.inertia.norm();
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    if (info(joint.type).nv > 0 && carried[slot.child_body] == 0 && joint.motion.empty() &&
        !joint.mimic)
      names.push_back(joint.name);
    carried[slot.parent_body] += carried[slot.child_body];
  }
  return names;
}

void append(const std::vector<std::string>& more, std::vector<std::string>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

// At the position where a motion would begin.
std::vector<std::string> outside_limits(const Mechanism& mechanism, const model::State& state,
                                        Format format) {
  const double rounding = mechanism.constrained() ? mechanics::rounding_of_loops : 0;
  std::vector<std::string> messages;
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    if (info(joint.type).on_quaternion()) continue;
    for (size_t i = 0; i < joint.limits.size(); ++i) {
      const double q = state.q[slot.iq + i];
      const model::Limits& limits = joint.limits[i];
      if (q < limits.lower - rounding || q > limits.upper + rounding)
        messages.push_back(fmt::format(
            "joint {} starts at {:.6g}, outside its limits [{:.6g}, {:.6g}]: {}",
            quoted(joint.name), q, limits.lower, limits.upper,
            format == Format::urdf  // LoadedModel::start
                ? fmt::format("a run begins at {:.6g}", std::clamp(q, limits.lower, limits.upper))
                : "give another position to begin a motion"));
    }
  }
  return messages;
}

std::vector<TreeLine> list_tree(const Mechanism& mechanism) {
  std::vector<int> depth(mechanism.bodies.size(), 0);
  std::vector<TreeLine> lines;
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    depth[slot.child_body] = depth[slot.parent_body] + 1;
    lines.push_back({depth[slot.child_body] - 1, joint.name, info(joint.type).name,
                     mechanism.model->bodies[slot.child_body].name, !joint.motion.empty(),
                     joint.mimic.has_value()});
  }
  return lines;
}

void describe_model(const LoadedModel& loaded, CheckReport& report) {
  const Mechanism& mechanism = *loaded.mechanism;
  const model::Model& model = *mechanism.model;
  const Written written = count_written(model);
  report.name = loaded.name();
  report.bodies = written.bodies;
  report.joints = written.joints;
  report.forces = static_cast<int>(model.forces.size());
  report.links = static_cast<int>(mechanism.links.size());
  report.coordinates = mechanism.nq;
  report.dofs = mechanism.dof_names;
  for (const model::StateVariable& state : mechanism.model->states)
    report.states.push_back(
        {state.name, state.unit, state.start, symbolic::print(state.rate, longest_rate)});
  for (const model::Body& body : model.bodies) report.mass += body.mass.mass;
  report.tree = list_tree(mechanism);
  report.loops = list_loops(mechanism);
  report.split_bodies = list_splits(model);
  report.constraints = list_constraints(model);
  report.plugins = list_plugins(model);
}

}  // namespace

CheckReport check(const LoadedModel& loaded) {
  check_is_mechanism(loaded);
  const Mechanism& mechanism = *loaded.mechanism;
  static_cast<void>(forces::ForceSet(mechanism));  // binds every expression
  static_cast<void>(model::StateRates(mechanism));
  CheckReport report;
  report.warnings = list_implausible(*mechanism.model);
  const std::vector<std::string> massless = massless_joints(mechanism);
  for (const std::string& joint : massless)
    report.warnings.push_back(
        fmt::format("joint {} moves nothing that has mass: forward dynamics has no "
                    "answer; give its body a mass, or weld it",
                    quoted(joint)));
  std::optional<dynamics::System> of_check(loaded.mechanism);
  dynamics::System& system = *of_check;
  model::State state = mechanism.default_state();
  system.make_consistent(state);
  dynamics::AssemblyOptions options;
  options.given = dynamics::given_by_model(mechanism);
  const model::State before = state;
  const dynamics::AssemblyReport assembly = dynamics::assemble(system, state, options);
  append(assembly_faults(assembly), report.warnings);
  if (assembly.closed())
    append(list_broken(mechanism, *options.given,
                       list_changes(mechanism, *options.given, before, state)),
           report.warnings);
  std::vector<std::string> outside;
  if (assembly.closed())
    outside = outside_limits(mechanism, state, loaded.format);
  else
    report.open = assembly.open.front().element;
  append(outside, report.warnings);
  report.analysis = dynamics::analyse_constraints(system, state);
  constexpr int most_bodies = 20'000;  // of more, its parts would take most of the memory
  if (mechanism.bodies.size() <= most_bodies)
    report.assembly = dynamics::summarise_assembly(mechanism, system.constraints());
  of_check.reset();  // the run that is tried now has one of its own
  // A start that is known to fail is not tried: it would only say the same once more.
  append(find_refusal(loaded, assembly.closed() && massless.empty() && outside.empty()),
         report.warnings);
  for (const std::vector<std::string>& motions : report.analysis.dependent_motions)
    report.dependent_motions.push_back(describe_dependent(motions));
  report.friction_not_unique = find_undetermined_friction(mechanism, report.analysis);
  describe_model(loaded, report);  // when the memory of what was tried is free again
  return report;
}

}  // namespace couplet::workbench
