#include "couplet/forces/force_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::forces {

using base::quoted;
using symbolic::Expr;

void AppliedForces::set_zero() {
  tau.setZero();
  if (any_on_bodies) std::fill(on_bodies.begin(), on_bodies.end(), Vec6::Zero());
  any_on_bodies = false;
}

// ---- Binding: names to indices, expressions to tapes.

namespace {

std::vector<std::string> find_line_names(const model::Model& model) {
  std::vector<std::string> names;
  for (const model::Force& force : model.forces)
    if (const auto* line = std::get_if<model::LineForce>(&force)) {
      names.push_back(line->name + ".length");
      names.push_back(line->name + ".rate");
    }
  return names;
}

}  // namespace

ForceSet::ForceSet(const Mechanism& mechanism)
    : mechanism_(&mechanism), inputs_(mechanism, find_line_names(*mechanism.model)) {
  const model::Model& model = *mechanism.model;
  for (const model::Force& force : model.forces)
    std::visit([this](const auto& element) { bind(element); }, force);
  bind_motions();
  if (const auto* gravity = std::get_if<model::PointGravity>(&model.gravity)) {
    point_gravity_ = *gravity;
    needs_motions_ = true;
  }
  make_tapes();
}

void ForceSet::bind(const model::LineForce& force) {
  const model::Model& model = *mechanism_->model;
  const model::Point &a = model.points[force.a], &b = model.points[force.b];
  lines_.push_back({a.body, b.body, a.X_BP.p, b.X_BP.p});
  for (const Expr& e : {force.stiffness, force.damping, force.free_length, force.force}) {
    inputs_.check_symbols(e, "force " + quoted(force.name), force.where);
    line_exprs_.push_back(e);
  }
  needs_motions_ = true;
}

void ForceSet::bind(const model::JointForce& force) {
  base::ensure(mechanism_->joint_slot[force.joint] >= 0, "a joint with a force is never cut");
  const model::TreeJoint& slot = mechanism_->joints[mechanism_->joint_slot[force.joint]];
  const model::JointInfo& type = model::info(mechanism_->model->joints[force.joint].type);
  if (type.on_quaternion() && !force.stiffness.is_constant(0))
    throw base::UserError(
        force.where,
        fmt::format("force {}: a {} joint has no single coordinate to be stiff in",
                    quoted(force.name), type.name),
        "use spring-dampers between points, or give `torque` as an expression");
  joint_forces_.push_back(
      {type.on_quaternion() ? slot.iq : slot.iq + force.dof, slot.iv + force.dof});
  for (const Expr& e : {force.stiffness, force.rest, force.damping, force.force}) {
    inputs_.check_symbols(e, "force " + quoted(force.name), force.where);
    joint_exprs_.push_back(e);
  }
}

void ForceSet::bind(const model::AppliedForce& force) {
  const model::Point& point = mechanism_->model->points[force.point];
  applied_.push_back({point.body, point.X_BP, force.in_point_axes});
  for (const auto& part : {force.force, force.torque})
    for (const Expr& e : part) {
      inputs_.check_symbols(e, "force " + quoted(force.name), force.where);
      applied_exprs_.push_back(e);
    }
  needs_motions_ = true;
}

void ForceSet::bind(const model::PluginForce& force) {
  plugins_.emplace_back(force, *mechanism_->model);
  needs_motions_ = true;
}

// q(t) of prescribed joints with its first and second derivative.
void ForceSet::bind_motions() {
  const Expr t = Expr::symbol("t");
  for (const model::TreeJoint& slot : mechanism_->joints) {
    const model::Joint& joint = mechanism_->model->joints[slot.joint];
    for (size_t k = 0; k < joint.motion.size(); ++k) {
      const Expr& q = joint.motion[k];
      inputs_.check_symbols(q, "the motion of joint " + quoted(joint.name), joint.where);
      for (const std::string& name : symbolic::find_symbols(q))
        if (name != "t" && !mechanism_->model->find_parameter(name))
          throw base::UserError(
              joint.where,
              fmt::format("the motion of joint {} depends on {}", quoted(joint.name), quoted(name)),
              "a prescribed motion may use the time t and parameters only");
      const Expr rate = symbolic::differentiate(q, t);
      for (const Expr& e : {q, rate, symbolic::differentiate(rate, t)}) motion_exprs_.push_back(e);
      prescribed_.push_back({slot.iq + static_cast<int>(k), slot.iv + static_cast<int>(k)});
    }
  }
}

void ForceSet::make_tapes() {
  std::vector<Expr> all = line_exprs_;
  all.insert(all.end(), joint_exprs_.begin(), joint_exprs_.end());
  all.insert(all.end(), applied_exprs_.begin(), applied_exprs_.end());
  if (!all.empty()) tape_.emplace(all, inputs_.names());
  if (!motion_exprs_.empty()) motion_tape_.emplace(motion_exprs_, inputs_.names());
  line_values_.resize(lines_.size());
  const auto is_fixed = [this](const Expr& e) {
    const std::vector<std::string> names = symbolic::find_symbols(e);
    return std::all_of(names.begin(), names.end(), [this](const std::string& name) {
      const std::optional<int> parameter = mechanism_->model->find_parameter(name);
      return parameter && !mechanism_->model->parameters[static_cast<size_t>(*parameter)].hidden;
    });
  };
  for (size_t k = 0; k < lines_.size(); ++k)
    line_conserves_.push_back(is_fixed(line_exprs_[4 * k]) && is_fixed(line_exprs_[4 * k + 2]));
  for (size_t k = 0; k < joint_forces_.size(); ++k)
    joint_conserves_.push_back(is_fixed(joint_exprs_[4 * k]) && is_fixed(joint_exprs_[4 * k + 1]));
  outputs_.assign(all.size(), 0.0);
  motion_outputs_.assign(motion_exprs_.size(), 0.0);
  registers_.assign(std::max(tape_ ? tape_->register_count() : 0,
                             motion_tape_ ? motion_tape_->register_count() : 0),
                    0.0);
}

// ---- Evaluation.

namespace {

void add_force(const BodyMotion& body, const Vec3& p_W, const Vec3& force, Vec6& on_body) {
  on_body.head<3>() += (p_W - body.X_WB.p).cross(force);
  on_body.tail<3>() += force;
}

}  // namespace

ForceSet::Line ForceSet::calc_line(const BoundLine& line, std::span<const BodyMotion> bodies) {
  const BodyMotion &A = bodies[line.a_body], &B = bodies[line.b_body];
  Line out;
  out.a = A.X_WB * line.a;
  out.b = B.X_WB * line.b;
  const Vec3 d = out.b - out.a;
  out.length = d.norm();
  out.direction = out.length > 0 ? Vec3(d / out.length) : Vec3::Zero();
  out.rate = out.direction.dot(B.velocity_at(out.b) - A.velocity_at(out.a));
  return out;
}

void ForceSet::evaluate(const State& state, std::span<const BodyMotion> bodies) {
  if (!tape_) return;
  inputs_.set(state);
  double* input = inputs_.added().data();
  for (size_t k = 0; k < lines_.size(); ++k) {
    line_values_[k] = calc_line(lines_[k], bodies);
    *input++ = line_values_[k].length;
    *input++ = line_values_[k].rate;
  }
  tape_->evaluate(inputs_.values(), outputs_, registers_);
}

void ForceSet::add_forces(const State& state, std::span<const BodyMotion> bodies,
                          AppliedForces& out) {
  out.any_on_bodies |= needs_motions_;
  evaluate(state, bodies);
  const double* c = outputs_.data();  // coefficients of the element at hand
  for (size_t k = 0; k < lines_.size(); ++k) {
    const BoundLine& bound = lines_[k];
    const Line& line = line_values_[k];
    const double pull = c[0] * (line.length - c[2]) + c[1] * line.rate + c[3];
    add_force(bodies[bound.a_body], line.a, pull * line.direction, out.on_bodies[bound.a_body]);
    add_force(bodies[bound.b_body], line.b, -pull * line.direction, out.on_bodies[bound.b_body]);
    c += 4;
  }
  for (const BoundJoint& joint : joint_forces_) {
    out.tau[joint.iv] += -c[0] * (state.q[joint.iq] - c[1]) - c[2] * state.v[joint.iv] + c[3];
    c += 4;
  }
  for (const BoundApplied& applied : applied_) {
    const BodyMotion& body = bodies[applied.body];
    const math::Pose X_WP = body.X_WB * applied.X_BP;
    Vec3 force(c[0], c[1], c[2]), torque(c[3], c[4], c[5]);
    if (applied.in_point_axes) force = X_WP.R * force, torque = X_WP.R * torque;
    add_force(body, X_WP.p, force, out.on_bodies[applied.body]);
    out.on_bodies[applied.body].head<3>() += torque;
    c += 6;
  }
  if (point_gravity_) {
    const std::vector<model::Body>& model_bodies = mechanism_->model->bodies;
    for (size_t b = 1; b < bodies.size(); ++b) {
      const math::MassProperties& mass = model_bodies[b].mass;
      const Vec3 com = bodies[b].X_WB * mass.com, r = com - point_gravity_->centre;
      const double distance = r.norm();
      if (mass.mass == 0 || distance == 0) continue;
      add_force(bodies[b], com,
                -mass.mass * point_gravity_->mu / (distance * distance * distance) * r,
                out.on_bodies[b]);
    }
  }
  for (Plugin& plugin : plugins_) plugin.add_forces(state.t, bodies, out.on_bodies);
}

double ForceSet::calc_potential_energy(const State& state, std::span<const BodyMotion> bodies) {
  double energy = 0;
  evaluate(state, bodies);
  const double* c = outputs_.data();
  for (size_t k = 0; k < lines_.size(); ++k, c += 4) {
    const double stretch = line_values_[k].length - c[2];
    if (line_conserves_[k]) energy += 0.5 * c[0] * stretch * stretch;
  }
  for (size_t k = 0; k < joint_forces_.size(); ++k, c += 4) {
    const double stretch = state.q[joint_forces_[k].iq] - c[1];
    if (joint_conserves_[k]) energy += 0.5 * c[0] * stretch * stretch;
  }
  if (point_gravity_)
    for (size_t b = 1; b < bodies.size(); ++b) {
      const math::MassProperties& mass = mechanism_->model->bodies[b].mass;
      const double distance = (bodies[b].X_WB * mass.com - point_gravity_->centre).norm();
      if (mass.mass > 0 && distance > 0) energy -= mass.mass * point_gravity_->mu / distance;
    }
  return energy;
}

void ForceSet::evaluate_motions(double t) {
  inputs_.set_time(t);
  motion_tape_->evaluate(inputs_.values(), motion_outputs_, registers_);
}

void ForceSet::set_prescribed(State& state) {
  if (prescribed_.empty()) return;
  evaluate_motions(state.t);
  for (size_t k = 0; k < prescribed_.size(); ++k) {
    state.q[prescribed_[k].iq] = motion_outputs_[3 * k];
    state.v[prescribed_[k].iv] = motion_outputs_[3 * k + 1];
  }
}

void ForceSet::set_prescribed(double t, VecX& vdot) {
  if (prescribed_.empty()) return;
  evaluate_motions(t);
  for (size_t k = 0; k < prescribed_.size(); ++k)
    vdot[prescribed_[k].iv] = motion_outputs_[3 * k + 2];
}

}  // namespace couplet::forces
