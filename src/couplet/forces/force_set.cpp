#include "couplet/forces/force_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/forces/point_gravity.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::forces {

using base::quoted;

void AppliedForces::set_zero() {
  tau.setZero();
  if (any_on_bodies) std::fill(on_bodies.begin(), on_bodies.end(), Vec6::Zero());
  any_on_bodies = false;
}

// ---- Binding: names to indices, expressions to tapes.

namespace {

/// The elements of a model by their class, classes in the order of the list.
std::vector<std::vector<const Element*>> group(const model::Model& model) {
  std::vector<decltype(Behaviour::make)> classes;
  for (const Entry* entry : entries())
    if (std::ranges::find(classes, entry->does.make) == classes.end())
      classes.push_back(entry->does.make);
  std::vector<std::vector<const Element*>> groups(classes.size());
  for (const Element& force : model.forces) {
    const auto found = std::ranges::find(classes, entry_of(force).does.make);
    base::ensure(found != classes.end(), "the class of a force element is listed");
    groups[static_cast<size_t>(found - classes.begin())].push_back(&force);
  }
  std::erase_if(groups, [](const auto& each) { return each.empty(); });
  return groups;
}

std::vector<std::string> find_own_names(const model::Model& model) {
  std::vector<std::string> names;
  for (const auto& elements : group(model))
    for (const Element* element : elements)
      for (const char* own : entry_of(*element).does.own)
        names.push_back(element->name + "." + own);
  return names;
}

}  // namespace

ForceSet::ForceSet(const Mechanism& mechanism)
    : mechanism_(&mechanism), inputs_(mechanism, find_own_names(*mechanism.model)) {
  const model::Model& model = *mechanism.model;
  for (const auto& elements : group(model)) bind(elements);
  bind_motions();
  if (const auto* gravity = std::get_if<model::PointGravity>(&model.gravity)) {
    point_gravity_ = *gravity;
    needs_motions_ = true;
  }
  make_tapes();
}

void ForceSet::bind(std::span<const Element* const> elements) {
  const Behaviour& does = entry_of(*elements.front()).does;
  const size_t own = batches_.empty() ? 0 : batches_.back().own_end;
  Bound& bound = batches_.emplace_back(
      Bound{does.make(), coefficients_.size(), own, own + elements.size() * does.own.size()});
  for (const Element* element : elements) {
    const size_t before = coefficients_.size();
    Binding binding{*mechanism_, *mechanism_->model, *element, coefficients_};
    bound.batch->add(binding);
    base::ensure(coefficients_.size() == before + does.coefficients,
                 "an element asks for as many coefficients as its class says");
    for (size_t i = before; i < coefficients_.size(); ++i)
      inputs_.check_symbols(coefficients_[i], "force " + quoted(element->name), element->where);
    for (const Signal& signal : entry_of(*element).does.list_signals(*mechanism_->model, *element))
      signals_.push_back({element->name + "." + signal.name, signal.unit});
  }
  needs_motions_ |= does.reads_bodies;
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
  if (!coefficients_.empty()) tape_.emplace(coefficients_, inputs_.names());
  if (!motion_exprs_.empty()) motion_tape_.emplace(motion_exprs_, inputs_.names());
  outputs_.assign(coefficients_.size(), 0.0);
  motion_outputs_.assign(motion_exprs_.size(), 0.0);
  registers_.assign(std::max(tape_ ? tape_->register_count() : 0,
                             motion_tape_ ? motion_tape_->register_count() : 0),
                    0.0);
}

// ---- Evaluation.

void ForceSet::evaluate(const Now& now) {
  double* own = inputs_.added().data();
  for (const Bound& each : batches_) each.batch->update(now, own + each.own);
  if (!tape_) return;
  inputs_.set(now.state);
  tape_->evaluate(inputs_.values(), outputs_, registers_);
}

void ForceSet::add_forces(const State& state, std::span<const BodyMotion> bodies,
                          AppliedForces& out) {
  const Now now{state, bodies};
  out.any_on_bodies |= needs_motions_;
  evaluate(now);
  for (const Bound& each : batches_)
    each.batch->add_forces(now, outputs_.data() + each.coefficients, out);
  if (point_gravity_) add_point_gravity(*point_gravity_, *mechanism_->model, bodies, out);
}

double ForceSet::calc_potential_energy(const State& state, std::span<const BodyMotion> bodies) {
  const Now now{state, bodies};
  double energy = 0;
  evaluate(now);
  for (const Bound& each : batches_)
    each.batch->add_potential_energy(now, outputs_.data() + each.coefficients, energy);
  if (point_gravity_) add_point_gravity_energy(*point_gravity_, *mechanism_->model, bodies, energy);
  return energy;
}

void ForceSet::calc_signals(const State& state, std::span<const BodyMotion> bodies,
                            std::span<double> values) {
  const Now now{state, bodies};
  evaluate(now);
  double* next = values.data();
  for (const Bound& each : batches_)
    next = each.batch->calc_signals(now, outputs_.data() + each.coefficients, next);
  base::ensure(next == values.data() + values.size() && values.size() == signals_.size(),
               "each element gives the signals that it lists");
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
