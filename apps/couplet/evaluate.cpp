// couplet evaluate: accelerations or torques, mass matrix, bias and energies at one state.
#include "couplet/workbench/evaluate.hpp"

#include <fmt/format.h>

#include <memory>

#include "model_options.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct EvaluateOptions {
  ModelOptions model;
  std::string state;                // file; empty: the model's initial state
  std::string formalism;            // empty: the usual one
  std::vector<std::string> points;  // names
  bool reactions = false, forces = false;
  std::string frame;  // axes of the reactions: a point, or "joint"; empty: the world's
};

using math::Vec3;
using math::VecX;
using workbench::EvaluationReport;
using workbench::FreedomForce;
using workbench::JsonWriter;

void write_reactions(const EvaluationReport& report, JsonWriter& json) {
  json.key("reactions").begin_object();
  for (const workbench::JointReaction& r : report.reactions) {
    json.key(r.joint).object("force", VecX(r.force), "torque", VecX(r.torque));
  }
  for (const workbench::ConstraintReaction& c : report.constraint_reactions) {
    json.key(c.constraint).begin_object();
    for (const workbench::ConstraintAction& action : c.actions) {
      json.key(action.name);
      if (const double* value = std::get_if<double>(&action.value)) {
        json.value(*value);
      } else if (const Vec3* vector = std::get_if<Vec3>(&action.value)) {
        json.value(VecX(*vector));
      } else {
        json.begin_object();
        for (const FreedomForce& each : std::get<std::vector<FreedomForce>>(action.value))
          json.key(each.freedom).value(each.force);
        json.end_object();
      }
    }
    json.end_object();
  }
  json.end_object();
}

void print_json(const EvaluationReport& report) {
  JsonWriter json;
  json.begin_object();
  json.members("dofs", report.dofs, "vdot", report.vdot, "tau", report.tau);
  if (report.mass_matrix.size() > 0 || report.dofs.empty())
    json.members("mass_matrix", report.mass_matrix);
  json.members("bias", report.bias);
  if (report.constraints) {
    json.key("constraints")
        .object("rows", report.constraints->rows, "jacobian", report.constraints->G, "bias",
                report.constraints->bias, "multipliers", report.constraints->lambda);
  }
  json.members("kinetic_energy", report.kinetic_energy, "potential_energy",
               report.potential_energy);
  if (!report.states.empty()) {
    json.key("states").begin_object();
    for (const workbench::StateValue& state : report.states) {
      json.key(state.name).object("value", state.value, "rate", state.rate);
    }
    json.end_object();
  }
  if (!report.forces.empty()) {
    json.key("forces").begin_object();
    for (const workbench::SignalValue& signal : report.forces)
      json.key(signal.name).value(signal.value);
    json.end_object();
  }
  if (!report.points.empty()) {
    json.key("points").begin_object();
    for (const workbench::PointValues& p : report.points) {
      json.key(p.name).object("position", VecX(p.position), "orientation", VecX(p.orientation),
                              "velocity", VecX(p.velocity), "angular_velocity",
                              VecX(p.angular_velocity), "acceleration", VecX(p.acceleration));
    }
    json.end_object();
  }
  if (!report.reactions.empty() || !report.constraint_reactions.empty())
    write_reactions(report, json);
  json.end_object();
  fmt::print("{}\n", json.text());
}

std::string text(const Vec3& x) {
  return fmt::format("({:.9g}, {:.9g}, {:.9g})", x[0], x[1], x[2]);
}

/// "pulls with 3 N", "force (1, 2, 3) N (on its point)", "2 N m on pin, -2 N m on disc"
std::string describe(const workbench::ConstraintAction& action) {
  if (const double* pull = std::get_if<double>(&action.value))
    return fmt::format("pulls with {:.9g} {}", *pull, action.unit);
  if (const Vec3* vector = std::get_if<Vec3>(&action.value))
    return fmt::format("{} {} {}{}", action.name, text(*vector), action.unit,
                       action.name == "force" ? " (on its point)" : "");
  std::string list;
  for (const FreedomForce& each : std::get<std::vector<FreedomForce>>(action.value))
    list += fmt::format("{}{:.9g} {} on {}", list.empty() ? "" : ", ", each.force,
                        each.turns ? "N m" : "N", each.freedom);
  return list;
}

/// "force spring: pull 2 N, length 0.1 m": signals of one element on a line.
void print_forces(const EvaluationReport& report) {
  std::string element;
  for (const workbench::SignalValue& signal : report.forces) {
    const size_t dot = signal.name.rfind('.', signal.name.find_last_not_of("xyz."));
    const bool is_new = element.empty() || signal.name.substr(0, dot) != element;
    if (is_new) fmt::print("{}force {}:", element.empty() ? "" : "\n", signal.name.substr(0, dot));
    fmt::print("{} {} {:.9g} {}", is_new ? "" : ",", signal.name.substr(dot + 1), signal.value,
               signal.unit);
    element = signal.name.substr(0, dot);
  }
  if (!element.empty()) fmt::print("\n");
}

void print_reactions(const EvaluationReport& report) {
  for (const workbench::JointReaction& r : report.reactions)
    fmt::print("joint {}: force {} N, torque {} N m (on {})\n", r.joint, text(r.force),
               text(r.torque), r.body);
  for (const workbench::ConstraintReaction& c : report.constraint_reactions) {
    std::string list;
    for (const workbench::ConstraintAction& action : c.actions)
      list += (list.empty() ? " " : ", ") + describe(action);
    fmt::print("constraint {}:{}\n", c.constraint, list);
  }
}

void print_table(const EvaluationReport& report) {
  fmt::print("{:<28} {:>16} {:>16} {:>16}\n", "freedom", "vdot", "tau", "bias");
  for (size_t i = 0; i < report.dofs.size(); ++i)
    fmt::print("{:<28} {:>16.9g} {:>16.9g} {:>16.9g}\n", report.dofs[i], report.vdot[i],
               report.tau[i], report.bias[i]);
  fmt::print("kinetic energy {:.9g} J, potential energy {:.9g} J\n", report.kinetic_energy,
             report.potential_energy);
  for (const workbench::StateValue& state : report.states)
    fmt::print("state {}: {:.9g}, rate {:.9g}\n", state.name, state.value, state.rate);
  print_forces(report);
  for (const workbench::PointValues& p : report.points)
    fmt::print("point {}: position {} m, velocity {} m/s, acceleration {} m/s²\n", p.name,
               text(p.position), text(p.velocity), text(p.acceleration));
  print_reactions(report);
}

int evaluate(const EvaluateOptions& verb) {
  const workbench::LoadedModel model = load_mechanism(verb.model);
  workbench::EvaluateOptions options;
  if (!verb.state.empty()) options.state = workbench::read_state(verb.state, *model.mechanism);
  options.formalism = verb.formalism;
  options.points = verb.points;
  options.mass_matrix = verb.model.json;  // the table does not show it
  options.reactions = verb.reactions;
  options.frame = verb.frame;
  EvaluationReport report = workbench::evaluate(model, options);
  if (!verb.forces && !verb.model.json) report.forces.clear();
  for (const std::string& note : report.notes) print_note(verb.model, note);
  if (verb.model.json)
    print_json(report);
  else if (!verb.model.quiet)
    print_table(report);
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<EvaluateOptions>();
  add_model(arguments, options->model);
  arguments
      .add(
          "--state", "FILE", options->state,
          R"(JSON: {"q": {"joint": 0.5}, "v": {}, "tau": {}}; - reads standard input; without it the )"
          "model's initial state")
      .of_files();
  arguments.add("--formalism", "NAME", options->formalism, formalism_doc())
      .with_hints(formalism_names());
  arguments.add("--points", "NAME", options->points, "points to report").split_at(',');
  arguments.add_switch("--forces", options->forces,
                       "what force elements exert (with --json they are always there)");
  arguments.add_switch("--reactions", options->reactions,
                       "forces through joints and of constraints");
  arguments.add("--frame", "NAME", options->frame,
                "axes of the reactions: a point, or `joint` for those of each joint (the world's)");
  return [options] { return evaluate(*options); };
}

}  // namespace

extern const Verb evaluate_verb;
const Verb evaluate_verb{"evaluate",
                         "finds accelerations or torques, energies, reactions at one state",
                         "",
                         {"couplet evaluate models/manutec_r3.yaml --json",
                          "echo '{\"vdot\": {\"shoulder\": 1}}' | couplet evaluate "
                          "models/double_pendulum.yaml --state -"},
                         declare};

}  // namespace couplet::app
