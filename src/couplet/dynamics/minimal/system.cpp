#include "couplet/dynamics/minimal/system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "couplet/base/text.hpp"

namespace couplet::dynamics {
namespace {

/// Nothing: the usual one, which is the first of the list that applies.
const FormalismEntry& check_formalism(std::string_view name, const Mechanism& mechanism) {
  std::vector<std::string> names, those_that_apply;
  for (const FormalismEntry& each : formalisms()) {
    names.emplace_back(each.name);
    if (!each.applies(mechanism)) continue;
    those_that_apply.emplace_back(each.name);
    if (name.empty() || name == each.name) return each;
  }
  const FormalismEntry* entry = find_formalism(name);
  if (!entry)
    throw base::UserError({}, fmt::format("there is no formalism {}", base::quoted(name)),
                          base::suggest(name, names));
  throw base::UserError(
      {},
      fmt::format("formalism {} ({}) does not apply to this model", base::quoted(name), entry->doc),
      fmt::format("choose one of: {}", fmt::join(those_that_apply, ", ")));
}

std::unique_ptr<FrictionForces> make_friction(Stages& stages, Formalism& formalism) {
  if (JointFriction(stages.mechanism()).empty()) return nullptr;
  return std::make_unique<FrictionForces>(stages, formalism);
}

}  // namespace

System::Parts::Parts(std::shared_ptr<const Mechanism> given, std::string_view name)
    : mechanism(std::move(given)),
      entry(check_formalism(name, *mechanism)),
      formalism(entry.make(*mechanism)),
      stages(*mechanism),
      friction(make_friction(stages, *formalism)),
      closure(stages),
      balance(stages, *formalism, friction.get()),
      total(VecX::Zero(mechanism->nv)) {
  if (stages.constraints()) formalism->set_constraints(*stages.constraints());
}

System::System(std::shared_ptr<const Mechanism> mechanism, std::string_view formalism)
    : parts_(std::make_unique<Parts>(std::move(mechanism), formalism)) {}

InverseDynamics& System::inverse() {
  if (!parts_->inverse) parts_->inverse.emplace(parts_->stages, friction(), formalism().limbs());
  return *parts_->inverse;
}

Reactions& System::reactions() {
  if (!parts_->reactions) parts_->reactions.emplace(parts_->stages);
  return *parts_->reactions;
}

void System::set_ties(State& state) {
  parts_->stages.forces().set_prescribed(state);
  parts_->mechanism->make_consistent(state);
}

void System::make_consistent(State& state) {
  set_ties(state);
  if (constraints() && constraints()->revision() > 0) parts_->formalism->settle(state);
}

void System::set_parameter(size_t index, double value) {
  parts_->stages.forces().set_parameter(index, value);
  if (constraints()) constraints()->set().set_parameter(index, value);
}

// Joints that rub feel what redundant constraints press, too.
Stages::Rows System::Parts::rows() const {
  return friction ? Stages::Rows::all : Stages::Rows::counting;
}

System::Motion::Motion(Parts& parts, const Stage& stage) : parts_(parts), stage_(stage) {
  parts_.formalism->prepare(stage_);
}

// φ of the joints that rub (null: there is none) is part of parts_.total afterwards.
const VecX* System::Motion::solve(const VecX& tau, FrictionForces* friction, VecX& vdot) {
  parts_.total = tau + stage_.applied.tau;
  const VecX* phi = friction ? &friction->calc(stage_, parts_.total) : nullptr;
  if (phi) parts_.total += *phi;
  parts_.stages.forces().set_prescribed(stage_.state.t, vdot);
  parts_.formalism->solve(parts_.total, vdot);
  const ConstraintSolver* constraints = parts_.stages.constraints();
  if (constraints && !vdot.allFinite()) check_finite(*constraints, stage_.state);
  return phi;
}

void System::Motion::calc_vdot(VecX& tau, VecX& vdot) {
  const VecX* phi = solve(tau, parts_.friction.get(), vdot);
  if (!parts_.stages.forces().has_prescribed()) return;
  for (const model::Link& link : parts_.mechanism->links)
    if (link.prescribed)
      tau[link.iv] =
          parts_.total[link.iv] - stage_.applied.tau[link.iv] - (phi ? (*phi)[link.iv] : 0);
}

void System::Motion::calc_frictionless_vdot(const VecX& tau, VecX& vdot) {
  solve(tau, nullptr, vdot);
}

System::Motion System::at(const State& state) {
  return {*parts_, parts_->stages.at(state, parts_->rows())};
}

System::Motion System::half_explicit(const State& state, const State& next, double h) {
  return {*parts_, parts_->stages.half_explicit(state, next, h, parts_->rows())};
}

void System::calc_vdot(const State& state, VecX& tau, VecX& vdot) {
  at(state).calc_vdot(tau, vdot);
}

void System::calc_frictionless_vdot(const State& state, const VecX& tau, VecX& vdot) {
  at(state).calc_frictionless_vdot(tau, vdot);
}

void System::calc_half_explicit(const State& state, const State& next, double h, const VecX& tau,
                                VecX& vdot) {
  half_explicit(state, next, h).solve(tau, parts_->friction.get(), vdot);
}

const VecX& System::lambda() const {
  static const VecX none;
  const VecX* lambda = parts_->formalism->lambda();
  return lambda ? *lambda : none;
}

void System::decide_friction(const State& state, std::span<const size_t> released) {
  const Stage stage = parts_->stages.at(state, parts_->rows());
  parts_->formalism->prepare(stage);
  parts_->friction->decide(stage, stage.applied.tau, released);
}

double System::calc_potential_energy(const State& state) {
  const Kinematics& motions = calc_motions(state);
  return calc_gravity_energy(*parts_->mechanism, motions) +
         parts_->stages.forces().calc_potential_energy(state, motions.bodies);
}

}  // namespace couplet::dynamics
