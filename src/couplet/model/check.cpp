// Judges a model's numbers and names before it is compiled.
#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "couplet/base/text.hpp"
#include "couplet/math/dense_symmetric.hpp"
#include "couplet/model/element.hpp"
#include "couplet/model/model.hpp"

namespace couplet::model {
namespace {

using base::Diagnostics;
using base::quoted;

// A body's principal moments obey I1 <= I2 + I3. Files carry 4 to 6 digits, so a relative slack of
// 1e-6 of the trace is rounding, not physics.
constexpr double triangle_slack = 1e-6;

template <class Elements>
void check_names(const Elements& elements, const char* kind, Diagnostics& diagnostics) {
  std::unordered_map<std::string, SourceLocation> seen;
  for (const auto& element : elements) {
    const auto [first, is_new] = seen.emplace(element.name, element.where);
    if (is_new) continue;
    const std::string before = first->second.str();
    diagnostics.error(element.where,
                      fmt::format("there are two {} named {}", kind, quoted(element.name)),
                      before.empty() ? "give each its own name"
                                     : fmt::format("rename one; the other is at {}", before));
  }
}

}  // namespace

void check_body(const Body& body, Strictness strictness, Diagnostics& diagnostics) {
  const auto report = [&](bool fatal, const std::string& what, const std::string& fix) {
    if (fatal)
      diagnostics.error(body.where, what, fix);
    else
      diagnostics.warning(body.where, what, fix);
  };
  const bool strict = strictness == Strictness::strict && !body.imported;
  const MassProperties& b = body.mass;
  if (!std::isfinite(b.mass) || !b.com.allFinite() || !b.inertia.allFinite())
    return report(true,
                  fmt::format("body {} has a mass property that is not finite", quoted(body.name)),
                  "give finite numbers");
  if (b.mass < 0)
    return report(true, fmt::format("body {} has mass {} kg", quoted(body.name), b.mass),
                  "give a mass > 0, or 0 for a body without inertia");

  const Mat3 sym = 0.5 * (b.inertia + b.inertia.transpose());
  if ((b.inertia - sym).norm() > 1e-9 * b.inertia.norm())
    report(true, fmt::format("the inertia of body {} is not symmetric", quoted(body.name)),
           "give Ixy = Iyx, Ixz = Izx, Iyz = Izy");
  const Vec3 I = math::eigenvalues_of_symmetric(sym);
  const double slack = triangle_slack * std::abs(I.sum());
  if (I[0] < -slack)
    report(strict,
           fmt::format("body {} has a negative principal moment of inertia: {:.6g}, {:.6g}, {:.6g} "
                       "kg m²",
                       quoted(body.name), I[0], I[1], I[2]),
           "check the signs of the products of inertia");
  else if (I[2] > I[0] + I[1] + slack)
    report(
        strict,
        fmt::format("no body can have the inertia of {}: principal moments {:.6g}, {:.6g}, "
                    "{:.6g} kg m² break the triangle inequality ({:.6g} > {:.6g} + {:.6g})",
                    quoted(body.name), I[0], I[1], I[2], I[2], I[0], I[1]),
        "the largest moment is at most the sum of the other two; is it given about the centre of "
        "mass, and in kg m²?");
  if (b.mass == 0 && I[2] > 0)
    report(strict, fmt::format("body {} has inertia but no mass", quoted(body.name)),
           "give a mass > 0, or leave out the inertia");
}

namespace {

void check_joint(const Model& model, const Joint& joint, Diagnostics& diagnostics) {
  const JointInfo& type = info(joint.type);
  const auto size_of = [&](size_t got, int expected, const char* what) {
    if (got != 0 && got != static_cast<size_t>(expected))
      diagnostics.error(joint.where,
                        fmt::format("joint {} of type {} needs {} {}, got {}", quoted(joint.name),
                                    type.name, expected, what, got));
  };
  size_of(joint.q0.size(), type.nq, "initial coordinates");
  size_of(joint.v0.size(), type.nv, "initial speeds");
  size_of(joint.limits.size(), type.nv, "limits");
  size_of(joint.motion.size(), type.nv, "motions");
  for (const double x : joint.q0)
    if (!std::isfinite(x))
      diagnostics.error(joint.where, fmt::format("joint {} starts at {}", quoted(joint.name), x));
  if (!joint.motion.empty() && type.on_quaternion())
    diagnostics.error(joint.where,
                      fmt::format("the motion of {} joint {} cannot be prescribed", type.name,
                                  quoted(joint.name)),
                      "build it from revolute and xyz joints, whose coordinates can be prescribed");
  const Point &from = model.points[static_cast<size_t>(joint.from)],
              &to = model.points[static_cast<size_t>(joint.to)];
  if (from.body == to.body)
    diagnostics.error(joint.where,
                      fmt::format("joint {} connects body {} with itself", quoted(joint.name),
                                  quoted(model.bodies[static_cast<size_t>(from.body)].name)),
                      "let it connect two bodies");
  if (joint.mimic) {
    const Joint& source = model.joints[static_cast<size_t>(joint.mimic->joint)];
    if (type.nv != 1 || info(source.type).nv != 1)
      diagnostics.error(joint.where,
                        fmt::format("joint {} mimics {}, but both need exactly one freedom",
                                    quoted(joint.name), quoted(source.name)));
  }
}

void check_friction(const Joint& joint, Diagnostics& diagnostics) {
  if (!joint.friction) return;
  const JointInfo& type = info(joint.type);
  const auto& [coefficient, sticking, radius, stick_speed, force, torque] = *joint.friction;
  const auto error = [&](const std::string& what, const char* fix) {
    diagnostics.error(joint.where,
                      fmt::format("the friction of joint {} {}", quoted(joint.name), what), fix);
  };
  if (type.nv == 0) error("has nothing to resist: the joint does not move", "remove it");
  if (!(coefficient >= 0) || !std::isfinite(coefficient))
    error(fmt::format("has a coefficient of {}", coefficient), "give a coefficient >= 0");
  if (sticking && (!(*sticking >= coefficient) || !std::isfinite(*sticking)))
    error(fmt::format("has a static coefficient of {} and a coefficient of {}", *sticking,
                      coefficient),
          "give a static-coefficient that is at least the other, or leave it out");
  for (const double each : {force, torque})
    if (!(each >= 0) || !std::isfinite(each))
      error(fmt::format("is {}", each), "give a force or torque >= 0");
  if ((coefficient > 0 || sticking) && type.angular != 0 &&
      (!(radius > 0) || !std::isfinite(radius)))
    error(fmt::format("has a radius of {} m", radius),
          "give the radius > 0 at which the joint rubs");
  if (!(stick_speed >= 0) || !std::isfinite(stick_speed))
    error(fmt::format("has a stick speed of {}", stick_speed),
          "give a speed >= 0; 0 sticks as Coulomb says");
}

/// Expressions and recordings find states and their rates by name, beside these.
void check_states(const Model& model, Diagnostics& diagnostics) {
  std::unordered_map<std::string, const char*> taken;
  const auto take = [&](const auto& elements, const char* what) {
    for (const auto& element : elements) taken.emplace(element.name, what);
  };
  take(model.parameters, "a parameter");
  take(model.outputs, "an output");
  take(model.forces, "a force");
  for (const Joint& joint : model.joints) {
    const JointInfo& type = info(joint.type);
    for (int i = 0; i < type.nq; ++i)
      taken.emplace(joint.name + "." + type.q_names[i], "a coordinate");
    for (int i = 0; i < type.nv; ++i) taken.emplace(joint.name + "." + type.v_names[i], "a speed");
  }
  for (const StateVariable& state : model.states) {
    if (const auto found = taken.find(state.name); found != taken.end())
      diagnostics.error(state.where,
                        fmt::format("there is {} named {}, too", found->second, quoted(state.name)),
                        "rename the state");
    if (!std::isfinite(state.start))
      diagnostics.error(state.where,
                        fmt::format("state {} starts at {}", quoted(state.name), state.start),
                        "give a finite number");
  }
}

}  // namespace

void check(const Model& model, Strictness strictness, Diagnostics& diagnostics) {
  check_names(model.bodies, "bodies", diagnostics);
  check_names(model.points, "points", diagnostics);
  check_names(model.joints, "joints", diagnostics);
  check_names(model.constraints, "constraints", diagnostics);
  check_names(model.parameters, "parameters", diagnostics);
  check_names(model.states, "states", diagnostics);
  if (!model.states.empty()) check_states(model, diagnostics);
  for (const Body& body : model.bodies) check_body(body, strictness, diagnostics);
  for (const Joint& joint : model.joints) {
    check_joint(model, joint, diagnostics);
    check_friction(joint, diagnostics);
  }
  std::unordered_set<std::string> joint_names;
  for (const Joint& joint : model.joints) joint_names.insert(joint.name);
  for (const Element& constraint : model.constraints) {
    if (joint_names.contains(constraint.name))  // forces of both are asked for by name
      diagnostics.error(constraint.where,
                        fmt::format("there is a joint named {}, too", quoted(constraint.name)),
                        "rename the constraint");
    if (const std::optional<Fault> fault = constraint.type->find_fault(model, constraint))
      diagnostics.error(constraint.place(fault->key),
                        fmt::format("constraint {} {}", quoted(constraint.name), fault->what),
                        fault->fix);
  }
  for (const Element& force : model.forces)
    if (const std::optional<Fault> fault = force.type->find_fault(model, force))
      diagnostics.error(force.place(fault->key),
                        fmt::format("force {} {}", quoted(force.name), fault->what), fault->fix);
}

}  // namespace couplet::model
