// couplet evaluate: accelerations or torques, mass matrix, bias and energies at one state.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/constraints/entry.hpp"
#include "couplet/dynamics/minimal/constraints/open_rows.hpp"
#include "json.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

using math::MatX;
using math::Vec3;
using math::VecX;

struct Result {
  std::vector<std::string> dofs;
  VecX vdot, tau, bias;
  MatX mass_matrix;
  double kinetic_energy, potential_energy;
  VecX all_vdot;
};

Result calc(dynamics::System& system, StateFile& input, bool with_mass_matrix) {
  const model::Mechanism& mechanism = system.mechanism();
  system.make_consistent(input.state);
  for (const model::Coupling& c : mechanism.couplings)
    input.vdot[c.iv] = c.ratio * input.vdot[c.source_iv];
  if (input.inverse)
    system.calc_tau(input.state, input.vdot, input.tau);
  else
    system.calc_vdot(input.state, input.tau, input.vdot);

  Result out;
  const std::vector<int>& listed = system.listed_freedoms();
  if (with_mass_matrix) {
    system.calc_equations(input.state, out.mass_matrix, out.bias);
  } else {
    VecX bias(mechanism.nv);
    system.calc_frictionless_tau(input.state, VecX::Zero(mechanism.nv), bias);
    out.bias = bias(listed);
  }
  out.vdot.resize(listed.size());
  out.tau.resize(listed.size());
  for (size_t i = 0; i < listed.size(); ++i) {
    out.dofs.push_back(mechanism.dof_names[listed[i]]);
    out.vdot[i] = input.vdot[listed[i]];
    out.tau[i] = input.tau[listed[i]];
  }
  out.potential_energy = system.calc_potential_energy(input.state);
  out.kinetic_energy = dynamics::calc_kinetic_energy(mechanism, system.calc_motions(input.state));
  out.all_vdot = input.vdot;
  return out;
}

struct PointValues {
  std::string name;
  Vec3 position, velocity, acceleration, angular_velocity;
  math::Quaternion orientation;
};

std::vector<PointValues> calc_points(dynamics::System& system, const model::State& state,
                                     const VecX& vdot, const std::vector<std::string>& names) {
  const model::Mechanism& mechanism = system.mechanism();
  dynamics::Kinematics kinematics(mechanism);
  dynamics::calc_kinematics(mechanism, state, kinematics);
  dynamics::calc_accelerations(mechanism, state, vdot, kinematics);
  std::vector<PointValues> values;
  for (const std::string& name : names) {
    const auto index = mechanism.model->find_point(name);
    if (!index) {
      std::vector<std::string> known;
      for (const model::Point& point : mechanism.model->points) known.push_back(point.name);
      throw base::UserError({}, fmt::format("there is no point {}", base::quoted(name)),
                            base::suggest(name, known));
    }
    const model::Point& point = mechanism.model->points[*index];
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

/// What joints and constraints exert; empty unless asked for.
struct Forces {
  std::vector<dynamics::Reaction> joints;
  std::vector<dynamics::ConstraintForce> constraints;  // in the order of the model
};

void write_forces(const Forces& forces, const model::Mechanism& mechanism, JsonWriter& json) {
  json.key("reactions").begin_object();
  for (const dynamics::Reaction& reaction : forces.joints) {
    json.key(mechanism.model->joints[reaction.joint].name).begin_object();
    json.key("force").value(VecX(reaction.force));
    json.key("torque").value(VecX(reaction.torque));
    json.end_object();
  }
  for (size_t i = 0; i < forces.constraints.size(); ++i) {
    const dynamics::ConstraintForce& c = forces.constraints[i];
    json.key(mechanism.model->constraints[i].name).begin_object();
    for (const constraints::Exerted& exerted :
         constraints::entry_of(mechanism.model->constraints[i]).exerts) {
      json.key(exerted.name);
      if (exerted.kind == constraints::Exerted::Kind::on_freedoms) {
        json.begin_object();
        for (const auto& [freedom, force] : c.on_freedoms)
          json.key(mechanism.dof_names[freedom]).value(force);
        json.end_object();
      } else if (exerted.components() == 1) {
        json.value(exerted.value(c, 0));
      } else {
        json.value(VecX(exerted.kind == constraints::Exerted::Kind::force ? c.force : c.torque));
      }
    }
    json.end_object();
  }
  json.end_object();
}

void print_json(const Result& result, const std::vector<PointValues>& points, const Forces& forces,
                const model::Mechanism& mechanism) {
  JsonWriter json;
  json.begin_object();
  json.key("dofs").value(result.dofs);
  json.key("vdot").value(result.vdot);
  json.key("tau").value(result.tau);
  json.key("mass_matrix").value(result.mass_matrix);
  json.key("bias").value(result.bias);
  json.key("kinetic_energy").value(result.kinetic_energy);
  json.key("potential_energy").value(result.potential_energy);
  if (!points.empty()) {
    json.key("points").begin_object();
    for (const PointValues& p : points) {
      json.key(p.name).begin_object();
      json.key("position").value(VecX(p.position));
      json.key("orientation").value(VecX(p.orientation));
      json.key("velocity").value(VecX(p.velocity));
      json.key("angular_velocity").value(VecX(p.angular_velocity));
      json.key("acceleration").value(VecX(p.acceleration));
      json.end_object();
    }
    json.end_object();
  }
  if (!forces.joints.empty() || !forces.constraints.empty()) write_forces(forces, mechanism, json);
  json.end_object();
  fmt::print("{}\n", json.text());
}

/// The body that a reaction acts on; of a half, the whole.
const std::string& name_of_to(const model::Model& model, int joint) {
  const model::Body& body = model.bodies[model.points[model.joints[joint].to].body];
  return body.half_of < 0 ? body.name : model.bodies[body.half_of].name;
}

std::string text(const Vec3& x) {
  return fmt::format("({:.9g}, {:.9g}, {:.9g})", x[0], x[1], x[2]);
}

/// "pulls with 3 N", "force (1, 2, 3) N (on its point)", "2 N m on pin, -2 N m on disc"
std::string describe(const constraints::Exerted& exerted, const dynamics::ConstraintForce& c,
                     const model::Mechanism& mechanism) {
  using enum constraints::Exerted::Kind;
  if (exerted.kind == pull) return fmt::format("pulls with {:.9g} N", c.pull);
  if (exerted.kind == force) return fmt::format("force {} N (on its point)", text(c.force));
  if (exerted.kind == torque) return fmt::format("torque {} N m", text(c.torque));
  std::string list;
  for (const auto& [freedom, value] : c.on_freedoms)
    list += fmt::format("{}{:.9g} {} on {}", list.empty() ? "" : ", ", value,
                        mechanism.turns[freedom] ? "N m" : "N", mechanism.dof_names[freedom]);
  return list;
}

void print_table(const Result& result, const std::vector<PointValues>& points, const Forces& forces,
                 const model::Mechanism& mechanism) {
  fmt::print("{:<28} {:>16} {:>16} {:>16}\n", "freedom", "vdot", "tau", "bias");
  for (size_t i = 0; i < result.dofs.size(); ++i)
    fmt::print("{:<28} {:>16.9g} {:>16.9g} {:>16.9g}\n", result.dofs[i], result.vdot[i],
               result.tau[i], result.bias[i]);
  fmt::print("kinetic energy {:.9g} J, potential energy {:.9g} J\n", result.kinetic_energy,
             result.potential_energy);
  for (const PointValues& p : points)
    fmt::print("point {}: position {} m, velocity {} m/s, acceleration {} m/s²\n", p.name,
               text(p.position), text(p.velocity), text(p.acceleration));
  for (const dynamics::Reaction& r : forces.joints)
    fmt::print("joint {}: force {} N, torque {} N m (on {})\n",
               mechanism.model->joints[r.joint].name, text(r.force), text(r.torque),
               name_of_to(*mechanism.model, r.joint));
  for (size_t i = 0; i < forces.constraints.size(); ++i) {
    const model::Element& constraint = mechanism.model->constraints[i];
    const dynamics::ConstraintForce& c = forces.constraints[i];
    std::string list;
    for (const constraints::Exerted& exerted : constraints::entry_of(constraint).exerts)
      list += (list.empty() ? " " : ", ") + describe(exerted, c, mechanism);
    fmt::print("constraint {}:{}\n", constraint.name, list);
  }
}

/// Forces and torques in the axes of a point, or those of joints in the axes of each joint itself.
void turn_into(const std::string& frame, dynamics::System& system, const model::State& state,
               Forces& forces) {
  const model::Model& model = *system.mechanism().model;
  const std::optional<int> point = model.find_point(frame);
  if (!point && frame != "joint") {
    std::vector<std::string> names{"joint"};
    for (const model::Point& each : model.points) names.push_back(each.name);
    throw base::UserError({}, fmt::format("there is no frame {}", base::quoted(frame)),
                          base::suggest(frame, names));
  }
  math::Mat3 R_WF = math::Mat3::Identity();
  if (point)
    R_WF = system.calc_motions(state).bodies[model.points[*point].body].X_WB.R *
           model.points[*point].X_BP.R;
  for (dynamics::ConstraintForce& c : forces.constraints) {
    c.force = R_WF.transpose() * c.force;
    c.torque = R_WF.transpose() * c.torque;
  }
  for (dynamics::Reaction& r : forces.joints) {
    const math::Mat3 R = (point ? R_WF : r.R_WM).transpose();
    r.force = R * r.force;
    r.torque = R * r.torque;
  }
}

}  // namespace

int evaluate(const EvaluateOptions& options) {
  const auto mechanism = load_mechanism(options.model);
  dynamics::System system(mechanism, options.formalism);
  StateFile input;
  if (options.state.empty())
    input = {mechanism->default_state(), VecX::Zero(mechanism->nv), VecX::Zero(mechanism->nv),
             false};
  else
    input = read_state_file(options.state, *mechanism);
  if (!options.frame.empty() && !options.reactions)
    throw base::UserError({}, "--frame turns reactions, and none were asked for",
                          "add --reactions, or leave out --frame");
  if (options.reactions && input.inverse && mechanism->constrained())
    throw base::UserError({},
                          "reactions in closed loops follow from the forces of motors, and the "
                          "state gives accelerations",
                          "give tau instead of vdot, or leave out --reactions");
  if (mechanism->constrained()) {
    system.make_consistent(input.state);
    const dynamics::AssemblyReport report = dynamics::assemble(system, input.state);
    if (!report.closed())
      throw base::ComputationError("the mechanism cannot be assembled: " +
                                   describe_open(report, 0));
  }
  if (input.inverse && system.friction() && system.constraints())
    fmt::print(stderr,
               "note: friction is not in tau: in closed loops it depends on how the forces are "
               "shared out\n");
  const Result result = calc(system, input, options.model.json);
  const std::vector<PointValues> points =
      calc_points(system, input.state, result.all_vdot, options.points);
  Forces forces;
  if (options.reactions)
    forces = {system.calc_reactions(input.state, result.all_vdot),
              system.calc_constraint_forces(input.state)};
  if (!options.frame.empty()) turn_into(options.frame, system, input.state, forces);
  (options.model.json ? print_json : print_table)(result, points, forces, *mechanism);
  return 0;
}

}  // namespace couplet::app
