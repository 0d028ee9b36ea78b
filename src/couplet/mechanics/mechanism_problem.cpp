#include "couplet/mechanics/mechanism_problem.hpp"

#include <fmt/format.h>

#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/constraints/open_rows.hpp"
#include "couplet/mechanics/given.hpp"
#include "couplet/mechanics/targets.hpp"

namespace couplet::mechanics {
namespace {

// Stages of a step do not lie on the constraints. Near a singular position that would be amplified
// into the accelerations: there, states are closed before they are evaluated, by the smallest
// change and not by that of dependent coordinates. It is the squared sine of an angle.
constexpr double near_singular = 1e-2;

/// Whether these are indices below n, ascending.
bool is_choice(const std::vector<double>& indices, int n) {
  double last = -1;
  for (const double i : indices) {
    if (!(i > last && i < n && i == std::floor(i))) return false;
    last = i;
  }
  return true;
}

/// Where the joint of a freedom is written.
base::SourceLocation place_of(const Mechanism& mechanism, int iv) {
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[static_cast<size_t>(slot.joint)];
    if (iv >= slot.iv && iv < slot.iv + info(joint.type).nv) return joint.where;
  }
  return {};
}

// A copy whose numbers change, where rules switch parameters that they depend on; null: they do
// not. Loops whose lengths change would have to be closed anew, at positions that nobody has said.
std::unique_ptr<model::ParametricMechanism> make_parametric(const Mechanism& mechanism) {
  using Kind = model::Derived::Kind;
  bool is_needed = false;
  for (const model::EventRule& rule : mechanism.model->rules)
    for (const auto& [parameter, value] : rule.switches) {
      if (const auto fixed = model::find_unswitchable(*mechanism.model, parameter))
        throw base::UserError(
            rule.where,
            fmt::format(
                "rule {}: parameter {} cannot change while the model moves: {} uses it as a number",
                base::quoted(rule.name), base::quoted(parameter), fixed->str()),
            "switch a parameter that only forces use");
      for (const model::Derived* derived : model::find_dependents(*mechanism.model, parameter)) {
        is_needed |= derived->kind != Kind::start;
        if (mechanism.constrained() &&
            (derived->kind == Kind::point || derived->kind == Kind::axes))
          throw base::UserError(
              rule.where,
              fmt::format("rule {}: parameter {} cannot change while the model moves: {} uses it, "
                          "and the model has loops or constraints",
                          base::quoted(rule.name), base::quoted(parameter), derived->where.str()),
              "switch parameters of forces or masses");
      }
    }
  if (!is_needed) return nullptr;
  auto parametric = std::make_unique<model::ParametricMechanism>(mechanism);
  parametric->stop_following();
  return parametric;
}

}  // namespace

MechanismProblem::MechanismProblem(std::shared_ptr<const Mechanism> mechanism,
                                   std::string_view formalism, Equations equations)
    : frozen_(freeze_conditions(std::move(mechanism))),
      parametric_(make_parametric(*frozen_.mechanism)),
      system_(parametric_ ? parametric_->mechanism() : frozen_.mechanism, formalism),
      shapes_(find_shapes(frozen_, system_.forces())),
      descriptor_(*this, equations),
      given_(dynamics::given_by_model(system_.mechanism())),
      state_(system_.mechanism().default_state()),
      tau_(VecX::Zero(system_.mechanism().nv)),
      vdot_(tau_),
      inputs_(system_.mechanism()),
      condition_inputs_(system_.mechanism(), find_own_values(frozen_, shapes_, system_.forces())),
      state_rates_(system_.mechanism()),
      rules_(system_.mechanism(), frozen_.rules),
      switches_(frozen_.switches, frozen_.names, condition_inputs_.names()),
      kinks_(switches_.size(), false),
      stops_(system_.mechanism()),
      stick_slip_(system_) {
  depends_on_time_ = mechanics::depends_on_time(*frozen_.mechanism->model);
  sight_ = symbolic::TimeSight(find_functions_of_time(frozen_), condition_inputs_.names());
  make_layout();
  bind_own_values();
  bind_sights();
}

void MechanismProblem::make_layout() {
  const Mechanism& m = mechanism();
  layout_.nq = m.nq;
  layout_.nv = m.nv;
  layout_.nx = m.nx;
  std::vector<const char*> units(static_cast<size_t>(m.nq));  // of positions
  for (const model::TreeJoint& slot : m.joints) {
    const model::JointInfo& type = info(m.model->joints[static_cast<size_t>(slot.joint)].type);
    for (int i = 0; i < type.nq; ++i) {
      const bool number = type.on_quaternion() && i < 4;
      const bool angle = !type.on_quaternion() && (type.angular >> i & 1u);
      units[static_cast<size_t>(slot.iq + i)] = number ? "" : angle ? "rad" : "m";
    }
    if (type.nv == 0) continue;
    layout_.blocks.push_back({slot.iq, type.nq, slot.iv, type.nv});
    if (type.on_quaternion())
      curved_.push_back(&slot);
    else if (!plain_.empty() && plain_.back().iq + plain_.back().n == slot.iq &&
             plain_.back().iv + plain_.back().n == slot.iv)
      plain_.back().n += type.nv;
    else
      plain_.push_back({slot.iq, slot.iv, type.nv});
  }
  layout_.made = m.nq + m.nv;
  layout_.make = [&m, units = std::move(units)](int i) -> integrate::Component {
    const auto k = static_cast<size_t>(i < m.nq ? i : i - m.nq);
    if (i < m.nq) return {m.coordinate_names[k], units[k], 1};
    return {m.speed_names[k], m.turns[k] ? "rad/s" : "m/s", 1};
  };
  for (const model::StateVariable& state : m.model->states)
    layout_.components.push_back({state.name, state.unit, 1});
  has_ties_ = !m.couplings.empty() || m.has_prescribed() || system_.constraints();
}

VecX MechanismProblem::make_y(State state) {
  start_switches(state);
  dynamics::AssemblyOptions options;
  options.given = find_given(mechanism(), given_, state);
  system_.make_consistent(state);
  assembly_ = dynamics::assemble(system_, state, options);
  if (!assembly_.closed() && !std::isfinite(assembly_.open.front().error))
    throw base::ComputationError(fmt::format("{} is not finite at the initial position ({})",
                                             base::quoted(assembly_.open.front().element),
                                             assembly_.open.front().direction));
  if (!assembly_.closed())
    throw base::ComputationError(
        fmt::format("the mechanism cannot be assembled: {}; `assemble` shows more",
                    describe_open(assembly_, 0)));
  start_switches(state);  // closing loops may have moved it
  base::Diagnostics diagnostics;
  for (const Stop* stop : stops_.violated(state.q))
    diagnostics.error(place_of(mechanism(), stop->iv),
                      fmt::format("the motion begins beyond a stop: {} at {:.6g}, q = {:.6g}",
                                  base::quoted(stop->name), stop->bound, state.q[stop->iq]),
                      "change the initial position, or the limits");
  diagnostics.check();
  if (stick_slip_.active()) {
    state_ = state;
    settle({});
    state = state_;
  }
  VecX y(layout_.size());
  y << state.q, state.v, state.x;
  return y;
}

const State& MechanismProblem::state(double t, const VecX& y) {
  state_.t = t;
  state_.q = y.head(layout_.nq);
  state_.v = y.segment(layout_.nq, layout_.nv);
  state_.x = y.tail(layout_.nx);
  if (has_ties_) {
    system_.make_consistent(state_);
  } else {
    for (const model::TreeJoint* slot : curved_) state_.q.segment<4>(slot->iq).normalize();
  }
  return state_;
}

const State& MechanismProblem::state_as_given(double t, const VecX& y) {
  state_.t = t;
  state_.q = y.head(layout_.nq);
  state_.v = y.segment(layout_.nq, layout_.nv);
  state_.x = y.tail(layout_.nx);
  system_.set_ties(state_);
  return state_;
}

void MechanismProblem::calc_qdot(double, const VecX& y, VecX& ydot) {
  const double* v = y.data() + layout_.nq;
  for (const Plain& part : plain_) std::copy_n(v + part.iv, part.n, ydot.data() + part.iq);
  for (const model::TreeJoint* slot : curved_)
    info(mechanism().model->joints[static_cast<size_t>(slot->joint)].type)
        .qdot(y.data() + slot->iq, v + slot->iv, ydot.data() + slot->iq);
}

void MechanismProblem::calc_vdot(double t, const VecX& y, VecX& vdot, VecX& tau) {
  state(t, y);
  std::optional<Motion> motion(system_.at(state_));
  calc_vdot_by(*motion, vdot, tau);
  if (system_.constraints() && system_.constraints()->singularity() < near_singular) {
    state_as_given(t, y);
    system_.closure().project(state_);
    motion.emplace(system_.at(state_));
    calc_vdot_by(*motion, vdot, tau);
  }
  if (stick_slip_.active() || !stops_.any_holds()) return;
  stops_.calc_tau(tau);
  motion->calc_vdot(tau, vdot_);  // forces of loops and prescribed joints with those of the stops
  for (const Stop& stop : stops_.list())
    if (stop.holds) tau[stop.iv] = 0;
}

// With what sticks and the stops that hold, whose forces are kept.
void MechanismProblem::calc_vdot_by(Motion& motion, VecX& vdot, VecX& tau) {
  tau.setZero();
  if (stick_slip_.active()) return stick_slip_.calc_vdot(motion, stops_, tau, vdot);
  if (!stops_.any_holds()) return motion.calc_vdot(tau, vdot);
  stops_.hold(
      [&](const VecX& joint_forces, VecX& out) {
        tau = joint_forces;
        motion.calc_vdot(tau, out);
      },
      vdot);
}

void MechanismProblem::calc_vdot_here(VecX& vdot, VecX& tau) {
  Motion motion = system_.at(state_);
  calc_vdot_by(motion, vdot, tau);
}

void MechanismProblem::calc_rates(double t, const VecX& y, VecX& ydot) {
  calc_vdot(t, y, vdot_, tau_);
  ydot.segment(layout_.nq, layout_.nv) = vdot_;
  calc_xdot_here(ydot.data() + layout_.nq + layout_.nv);
}

void MechanismProblem::calc_xdot(double t, const VecX& y, VecX& xdot) {
  state(t, y);
  calc_xdot_here(xdot.data());
}

void MechanismProblem::calc_xdot_here(double* xdot) {
  if (layout_.nx == 0) return;
  inputs_.set(state_);
  state_rates_.calc(inputs_, xdot);
}

void MechanismProblem::move(const VecX& dq, VecX& y) {
  if (curved_.empty()) {
    for (const Plain& part : plain_) y.segment(part.iq, part.n) += dq.segment(part.iv, part.n);
    return;
  }
  state_.q = y.head(layout_.nq);
  mechanism().move(dq, state_.q);
  y.head(layout_.nq) = state_.q;
}

// Rows that were left out as dependent follow the others; when they no longer do, or when those
// that count become dependent themselves, as many others are chosen: rows that are dependent in a
// singular position only would be missed behind it. Those that are dependent and do not follow
// contradict the others.
void MechanismProblem::project_on_constraints() {
  constexpr double parted = 1e-8, open = 1e-6,
                   dependent = 1e-4;  // m or rad; squared sine of an angle
  residuals_ = system_.closure().project(state_);
  dynamics::Gap gap = system_.closure().find_largest_gap(state_);
  if (gap.size >= parted || system_.constraints()->singularity() <= dependent) {
    if (system_.closure().choose_rows(state_, system_.constraints()->size())) {
      residuals_ = system_.closure().project(state_);
      gap = system_.closure().find_largest_gap(state_);
    }
    if (gap.size > open)
      throw base::ComputationError(
          fmt::format("t = {:.9g}: constraints contradict each other: {} stays open by {:.3g} ({})",
                      state_.t, base::quoted(gap.row->element), gap.size, gap.row->direction));
  }
  residuals_.position = std::max(residuals_.position, gap.size);
}

void MechanismProblem::project(double t, VecX& y) {
  if (!has_ties_ && curved_.empty() && !stops_.any_holds() && !stick_slip_.any_sticks() &&
      !system_.constraints())
    return;
  if (system_.constraints())
    state_as_given(t, y);
  else
    state(t, y);
  stops_.project(state_.q, state_.v);
  stick_slip_.project(state_.v);
  if (system_.constraints()) {
    project_on_constraints();
    // Closing loops moves joints off stops and lets those slip that stick, by round-off or by the
    // error of a step.
    put_on(system_, find_stops(stops_, &Stop::holds), state_, residuals_);
    give_speeds(system_, find_still(), state_);
  }
  set_y(y);
}

double MechanismProblem::sine() const {
  return system_.constraints() ? std::sqrt(system_.constraints()->singularity()) : 1;
}

/// Freedoms that stops or friction hold.
std::vector<Target> MechanismProblem::find_still() const {
  std::vector<Target> still = find_stops(stops_, &Stop::holds);
  for (Target& target : still) target.value = 0;
  stick_slip_.add_targets(still);
  return still;
}

void MechanismProblem::note_step(double, const VecX& y) {
  stops_.note_clear(y);
  if (stick_slip_.size() > 0) stick_slip_.note_step(y.segment(layout_.nq, layout_.nv));
}

void MechanismProblem::set_y(VecX& y) const {
  y.head(layout_.nq) = state_.q;
  y.segment(layout_.nq, layout_.nv) = state_.v;
}

void MechanismProblem::set_parameters(std::span<const model::ParametricMechanism::Change> changes) {
  if (parametric_ && parametric_->set(changes)) make_system_again();
  for (const auto& [index, value] : changes) {
    inputs_.parameters()[index] = condition_inputs_.parameters()[index] = value;
    system_.set_parameter(index, value);
  }
}

// From the numbers that the mechanism has now; what it remembers stays.
void MechanismProblem::make_system_again() {
  integrate::Archive memory;
  stick_slip_.archive(memory);
  archive_constraints(memory);
  system_ = dynamics::System(parametric_->mechanism(), system_.formalism_name());
  descriptor_.refresh();
  if (stick_slip_.active()) system_.friction()->remember();
  integrate::Archive back(memory.numbers());
  stick_slip_.archive(back);
  archive_constraints(back);
}

// Which rows count, places on curves.
void MechanismProblem::archive_constraints(integrate::Archive& archive) {
  if (!system_.constraints()) return;
  dynamics::ConstraintSolver& constraints = *system_.constraints();
  std::vector<double> rows(constraints.rows().begin(), constraints.rows().end());
  archive(rows);
  archive.check(is_choice(rows, constraints.set().rows()));
  if (archive.loading()) constraints.set_rows({rows.begin(), rows.end()});
  for (double* place : constraints.set().memory()) archive(*place);
}

void MechanismProblem::archive(integrate::Archive& archive) {
  stops_.archive(archive);
  stick_slip_.archive(archive);
  archive_constraints(archive);
  // Which coordinates are dependent, what computes.
  std::vector<double> memory = system_.formalism().memory();
  archive(memory);
  system_.formalism().set_memory(
      memory);  // also by a run that is not interrupted: both go on alike
  std::vector<model::ParametricMechanism::Change> now;
  for (size_t i = 0; i < parameters().size(); ++i) {
    double value = parameters()[i];
    archive(value);
    now.push_back({i, value});
  }
  set_parameters(now);
  for (size_t i = 0; i < kinks_.size(); ++i) {
    bool kink = kinks_[i];
    archive(kink);
    kinks_[i] = kink;
  }
  double t = condition_inputs_.values()[0];  // from where conditions of the time are foreseen
  archive(t);
  condition_inputs_.set_time(t);
  archive(stopped_);
  std::vector<double> times = switches_.memory();
  archive(times);
  if (!archive.loading()) return;
  due_at_start_.clear();
  archive.check(switches_.restore(condition_inputs_.values(), times));
}

}  // namespace couplet::mechanics
