// couplet check: what a model is (bodies, freedoms, tree) and what is odd about it.
#include <fmt/format.h>

#include <cmath>

#include "check_loops.hpp"
#include "couplet/base/text.hpp"
#include "couplet/forces/force_set.hpp"
#include "couplet/mechanics/stops.hpp"
#include "couplet/model/state_rates.hpp"
#include "json.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

using base::quoted;

// Joints whose outward bodies weigh nothing: forward dynamics has no answer there.
std::vector<std::string> massless_joints(const model::Mechanism& mechanism) {
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

// At the position where a motion would begin.
std::vector<std::string> outside_limits(const model::Mechanism& mechanism,
                                        const model::State& state) {
  const double rounding = mechanism.constrained() ? mechanics::rounding_of_loops : 0;
  std::vector<std::string> messages;
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    if (info(joint.type).on_quaternion()) continue;
    for (size_t i = 0; i < joint.limits.size(); ++i) {
      const double q = state.q[slot.iq + i];
      const model::Limits& limits = joint.limits[i];
      if (q < limits.lower - rounding || q > limits.upper + rounding)
        messages.push_back(
            fmt::format("joint {} starts at {:.6g}, outside its limits [{:.6g}, {:.6g}]: give "
                        "another position to begin a motion",
                        quoted(joint.name), q, limits.lower, limits.upper));
    }
  }
  return messages;
}

void print_tree(const model::Mechanism& mechanism) {
  std::vector<int> depth(mechanism.bodies.size(), 0);
  constexpr size_t longest = 60;
  for (size_t k = 0; k < mechanism.joints.size(); ++k) {
    const model::TreeJoint& slot = mechanism.joints[k];
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    depth[slot.child_body] = depth[slot.parent_body] + 1;
    if (k == longest) fmt::print("  … and {} more joints\n", mechanism.joints.size() - longest);
    if (k >= longest) continue;
    fmt::print("  {:{}}{} ({}{}{}) → {}\n", "", 2 * (depth[slot.child_body] - 1), joint.name,
               info(joint.type).name, joint.motion.empty() ? "" : ", prescribed",
               joint.mimic ? ", mimic" : "", mechanism.model->bodies[slot.child_body].name);
  }
}

void print_states(const model::Model& model) {
  for (const model::StateVariable& state : model.states)
    fmt::print("state {} = {:.6g}{}{} at the start, rate {}\n", state.name, state.start,
               state.unit.empty() ? "" : " ", state.unit, symbolic::print(state.rate));
}

void write_states(const model::Model& model, JsonWriter& json) {
  json.key("states").begin_object();
  for (const model::StateVariable& state : model.states) {
    json.key(state.name).begin_object();
    json.key("unit").value(state.unit);
    json.key("start").value(state.start);
    json.key("rate").value(symbolic::print(state.rate));
    json.end_object();
  }
  json.end_object();
}

}  // namespace

int check(const ModelOptions& options) {
  const auto mechanism = load_mechanism(options);
  const forces::ForceSet force_set(*mechanism);  // binds every expression and plug-in
  const model::StateRates state_rates(*mechanism);
  const model::Model& model = *mechanism->model;
  const Written written = count_written(model);
  double mass = 0;
  for (const model::Body& body : model.bodies) mass += body.mass.mass;
  std::vector<std::string> warnings;
  for (const std::string& joint : massless_joints(*mechanism))
    warnings.push_back(
        fmt::format("joint {} moves nothing that has mass: forward dynamics has no "
                    "answer; give its body a mass, or weld it",
                    quoted(joint)));
  dynamics::System system(mechanism);
  model::State state = mechanism->default_state();
  system.make_consistent(state);
  const dynamics::AssemblyReport assembly = dynamics::assemble(system, state);
  for (const std::string& fault : assembly_faults(assembly)) warnings.push_back(fault);
  if (assembly.closed())
    for (const std::string& fault : outside_limits(*mechanism, state)) warnings.push_back(fault);
  const dynamics::ConstraintAnalysis analysis = dynamics::analyse_constraints(system, state);
  if (options.json) {
    JsonWriter json;
    json.begin_object();
    json.key("name").value(model.name);
    json.key("bodies").value(written.bodies);
    json.key("joints").value(written.joints);
    json.key("forces").value(static_cast<int>(model.forces.size()));
    json.key("links").value(static_cast<int>(mechanism->links.size()));
    json.key("degrees_of_freedom").value(analysis.freedoms);
    json.key("coordinates").value(mechanism->nq);
    json.key("dofs").value(mechanism->dof_names);
    if (!model.states.empty()) write_states(model, json);
    json.key("mass").value(mass);
    write_loops(*mechanism, json);
    write_analysis(*mechanism, analysis, json);
    json.key("warnings").value(warnings);
    json.end_object();
    fmt::print("{}\n", json.text());
  } else {
    fmt::print("{}: {} bodies, {} joints, {} force elements, {:.6g} kg\n",
               model.name.empty() ? options.path : model.name, written.bodies, written.joints,
               model.forces.size(), mass);
    fmt::print("degrees of freedom {}, coordinates {}, a tree of {} moving links\n",
               analysis.freedoms, mechanism->nq, mechanism->links.size());
    print_tree(*mechanism);
    print_states(model);
    print_loops(*mechanism);
    print_analysis(*mechanism, analysis);
    for (const std::string& warning : warnings) fmt::print("warning: {}\n", warning);
    fmt::print("{}\n",
               warnings.empty() ? "no faults found"
               : assembly.closed()
                   ? "usable, with the warnings above"
                   : fmt::format("not usable: {} cannot be closed; couplet assemble shows more",
                                 quoted(assembly.open.front().element)));
  }
  if (!assembly.closed()) return 1;
  return options.strict && !warnings.empty() ? 2 : 0;
}

}  // namespace couplet::app
