#include "couplet/workbench/evaluate.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/constraints/entry.hpp"
#include "couplet/constraints/open_rows.hpp"
#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/dynamics/minimal/constraints/motor_forces.hpp"
#include "couplet/model/state_rates.hpp"
#include "couplet/workbench/moves.hpp"

namespace couplet::workbench {
namespace {

using math::Vec3;
using math::VecX;
using model::Mechanism;

/// Accelerations that are not given, and the forces of the motors.
void calc_inverse(dynamics::System& system, StateInput& input, EvaluationReport& out) {
  const auto nv = static_cast<size_t>(system.mechanism().nv);
  const std::vector<char> given =
      input.has_vdot.empty() ? std::vector<char>(nv, 1) : input.has_vdot;
  dynamics::complete_vdot(system, input.state, given, input.vdot);
  if (!system.constraints() && !input.motors)
    return system.inverse().calc_tau(input.state, input.vdot, input.tau);
  std::vector<int> motors;
  for (size_t j = 0; j < nv; ++j)
    if (given[j]) motors.push_back(static_cast<int>(j));
  if (input.motors) motors = *input.motors;
  const dynamics::MotorForces forces =
      dynamics::calc_motor_forces(system, input.state, input.vdot, motors);
  input.tau = forces.tau;
  if (!forces.unique)
    out.notes.push_back(
        "tau is not unique: there are more motors than degrees of freedom; of all that give this "
        "motion it is the smallest, by least squares");
  if (!system.constraints()) return;
  VecX tau = input.tau, vdot = input.vdot;
  system.calc_vdot(input.state, tau, vdot);  // λ
}

/// Speeds of all freedoms from those that are listed: mimics follow.
math::MatX make_listing(dynamics::System& system) {
  const Mechanism& mechanism = system.mechanism();
  math::MatX T = math::MatX::Identity(mechanism.nv, mechanism.nv);
  for (const model::Coupling& c : mechanism.couplings) T(c.iv, c.source_iv) = c.ratio;
  return T(Eigen::all, system.inverse().listed_freedoms());
}

ConstraintEquations calc_constraints(dynamics::System& system, const model::State& state) {
  system.stages().evaluate_constraints(state, dynamics::Stages::Rows::counting);
  const dynamics::ConstraintSolver& constraints = *system.constraints();
  const dynamics::ConstraintSet& set = constraints.set();
  ConstraintEquations out;
  math::MatX G = math::MatX::Zero(constraints.size(), system.mechanism().nv);
  out.bias.resize(constraints.size());
  for (int k = 0; k < constraints.size(); ++k) {
    const int row = constraints.rows()[static_cast<size_t>(k)];
    out.rows.push_back(set.row(row).element + ", " + set.row(row).direction);
    for (int e = set.G().begin[row]; e < set.G().begin[row + 1]; ++e)
      G(k, set.G().column[e]) = set.G().value[e];
    out.bias[k] = set.bias()[row];
  }
  out.G = G * make_listing(system);
  out.lambda = system.lambda();
  return out;
}

/// Fills accelerations, forces and energies; gives v̇ of all freedoms.
void calc_motion(dynamics::System& system, StateInput& input, bool with_mass_matrix,
                 EvaluationReport& out) {
  const Mechanism& mechanism = system.mechanism();
  system.make_consistent(input.state);
  if (input.inverse)
    calc_inverse(system, input, out);
  else
    system.calc_vdot(input.state, input.tau, input.vdot);

  const std::vector<int>& listed = system.inverse().listed_freedoms();
  if (with_mass_matrix) {
    system.inverse().calc_equations(input.state, out.mass_matrix, out.bias);
    if (system.constraints()) out.constraints = calc_constraints(system, input.state);
  } else {
    VecX bias(mechanism.nv);
    system.inverse().calc_frictionless_tau(input.state, VecX::Zero(mechanism.nv), bias);
    out.bias = bias(listed);
  }
  for (const int i : listed) out.dofs.push_back(mechanism.dof_names[static_cast<size_t>(i)]);
  out.vdot = input.vdot(listed);
  out.tau = input.tau(listed);
  out.potential_energy = system.calc_potential_energy(input.state);
  math::VecX xdot = input.state.x;
  model::ExpressionInputs inputs(mechanism);
  inputs.set(input.state);
  model::StateRates(mechanism).calc(inputs, xdot.data());
  for (int i = 0; i < mechanism.nx; ++i)
    out.states.push_back(
        {mechanism.model->states[static_cast<size_t>(i)].name, input.state.x[i], xdot[i]});
  const dynamics::Kinematics& motions = system.calc_motions(input.state);
  out.kinetic_energy = dynamics::calc_kinetic_energy(mechanism, motions);
  const std::vector<forces::Signal>& signals = system.forces().signals();
  std::vector<double> values(signals.size());
  system.forces().calc_signals(input.state, motions.bodies, values);
  for (size_t i = 0; i < signals.size(); ++i)
    out.forces.push_back({signals[i].name, signals[i].unit, values[i]});
}

int check_point(const model::Model& model, const std::string& name) {
  if (const auto index = model.find_point(name)) return *index;
  std::vector<std::string> known;
  for (const model::Point& point : model.points) known.push_back(point.name);
  throw base::UserError({}, fmt::format("there is no point {}", base::quoted(name)),
                        base::suggest(name, known));
}

std::vector<PointValues> calc_points(const Mechanism& mechanism, const StateInput& input,
                                     const std::vector<std::string>& names) {
  if (names.empty()) return {};
  dynamics::Kinematics kinematics(mechanism);
  dynamics::calc_kinematics(mechanism, input.state, kinematics);
  dynamics::calc_accelerations(mechanism, input.state, input.vdot, kinematics);
  std::vector<PointValues> values;
  for (const std::string& name : names) {
    const model::Point& point = mechanism.model->points[check_point(*mechanism.model, name)];
    const model::BodyMotion& body = kinematics.bodies[point.body];
    const dynamics::BodyAcceleration& A = kinematics.accelerations[point.body];
    const math::Pose X_WP = body.X_WB * point.X_BP;
    const Vec3 r = X_WP.p - body.X_WB.p;
    values.push_back({name, X_WP.p, body.velocity_at(X_WP.p),
                      A.a + A.alpha.cross(r) + body.w.cross(body.w.cross(r)), body.w,
                      math::quaternion(X_WP.R)});
  }
  return values;
}

/// The body that a reaction acts on; of a half, the whole.
const std::string& name_of_to(const model::Model& model, int joint) {
  const model::Body& body = model.bodies[model.points[model.joints[joint].to].body];
  return body.half_of < 0 ? body.name : model.bodies[body.half_of].name;
}

/// World axes to those of a point; absent: each joint's own.
std::optional<math::Mat3> find_axes(const std::string& frame, dynamics::System& system,
                                    const model::State& state) {
  const model::Model& model = *system.mechanism().model;
  if (frame.empty()) return math::Mat3::Identity();
  const std::optional<int> point = model.find_point(frame);
  if (point)
    return math::Mat3((system.calc_motions(state).bodies[model.points[*point].body].X_WB.R *
                       model.points[*point].X_BP.R)
                          .transpose());
  if (frame == "joint") return std::nullopt;
  std::vector<std::string> names{"joint"};
  for (const model::Point& each : model.points) names.push_back(each.name);
  throw base::UserError({}, fmt::format("there is no frame {}", base::quoted(frame)),
                        base::suggest(frame, names));
}

ConstraintReaction describe(const Mechanism& mechanism, const model::Element& constraint,
                            const dynamics::ConstraintForce& c, const math::Mat3& R_FW) {
  using enum constraints::Exerted::Kind;
  ConstraintReaction out{constraint.name, {}};
  for (const constraints::Exerted& exerted : constraints::entry_of(constraint).exerts) {
    ConstraintAction action{exerted.name, exerted.unit, {}};
    if (exerted.kind == on_freedoms) {
      std::vector<FreedomForce> forces;
      for (const auto& [freedom, force] : c.on_freedoms)
        forces.push_back({mechanism.dof_names[freedom], force, mechanism.turns[freedom] != 0});
      action.value = forces;
    } else if (exerted.components() == 1) {
      action.value = exerted.value(c, 0);
    } else {
      action.value = Vec3(R_FW * (exerted.kind == force ? c.force : c.torque));
    }
    out.actions.push_back(std::move(action));
  }
  return out;
}

void calc_reactions(const EvaluateOptions& options, dynamics::System& system,
                    const StateInput& input, EvaluationReport& out) {
  const Mechanism& mechanism = system.mechanism();
  const std::vector<dynamics::Reaction> joints =
      system.reactions().calc_joints(input.state, input.vdot, system.lambda());
  const std::vector<dynamics::ConstraintForce> constraints =
      system.reactions().calc_constraints(input.state, system.lambda());
  const std::optional<math::Mat3> R_FW = find_axes(options.frame, system, input.state);
  for (const dynamics::Reaction& r : joints) {
    const math::Mat3 R = R_FW ? *R_FW : math::Mat3(r.R_WM.transpose());
    out.reactions.push_back({mechanism.model->joints[r.joint].name,
                             name_of_to(*mechanism.model, r.joint), R * r.force, R * r.torque});
  }
  for (size_t i = 0; i < constraints.size(); ++i)
    out.constraint_reactions.push_back(describe(mechanism, mechanism.model->constraints[i],
                                                constraints[i],
                                                R_FW.value_or(math::Mat3::Identity())));
}

void check_options(const EvaluateOptions& options) {
  if (!options.frame.empty() && !options.reactions)
    throw base::UserError({}, "`frame` turns reactions, and none were asked for",
                          "add `reactions`, or leave out `frame`");
}

/// Closes loops, and says what that takes.
void close(dynamics::System& system, StateInput& input, EvaluationReport& out) {
  const Mechanism& mechanism = system.mechanism();
  dynamics::AssemblyOptions assembly;
  assembly.given = input.has_q.empty() ? dynamics::given_by_model(mechanism)
                                       : dynamics::Given{input.has_q, input.has_v};
  system.make_consistent(input.state);
  const model::State before = input.state;
  const dynamics::AssemblyReport report = dynamics::assemble(system, input.state, assembly);
  if (!report.closed())
    throw base::ComputationError("the mechanism cannot be assembled: " + describe_open(report, 0));
  const auto changes = list_changes(mechanism, *assembly.given, before, input.state);
  if (report.before.position > 1e-6 || !report.speed_change.isZero(1e-6))
    if (!changes.empty()) out.notes.push_back("assembled: " + describe_changes(changes));
  for (const std::string& broken : list_broken(mechanism, *assembly.given, changes))
    out.notes.push_back(broken);
}

}  // namespace

EvaluationReport evaluate(const LoadedModel& model, const EvaluateOptions& options) {
  check_is_mechanism(model);
  check_plugins(model);
  const Mechanism& mechanism = *model.mechanism;
  dynamics::System system(model.mechanism, options.formalism);
  StateInput input =
      options.state ? *options.state : make_input(mechanism.default_state(), mechanism);
  check_options(options);
  EvaluationReport out;
  if (mechanism.constrained()) close(system, input, out);
  const bool too_large = mechanism.nv > max_matrix_freedoms;
  if (options.mass_matrix && too_large)
    out.notes.push_back(
        fmt::format("the mass matrix and what belongs to it are left out: the model has {} "
                    "freedoms, more than {}",
                    mechanism.nv, max_matrix_freedoms));
  calc_motion(system, input, options.mass_matrix && !too_large, out);
  out.points = calc_points(mechanism, input, options.points);
  if (options.reactions) calc_reactions(options, system, input, out);
  return out;
}

}  // namespace couplet::workbench
