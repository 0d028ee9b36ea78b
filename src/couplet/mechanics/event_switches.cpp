#include "couplet/mechanics/event_switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::mechanics {

using model::ExpressionInputs;
using symbolic::Expr;
using symbolic::Switch;

namespace {

/// What no name of the model begins with.
std::string find_prefix(const model::Model& model) {
  std::string prefix = "condition_";
  const auto taken = [&](const auto& elements) {
    return std::any_of(elements.begin(), elements.end(),
                       [&](const auto& each) { return each.name.starts_with(prefix); });
  };
  while (taken(model.parameters) || taken(model.joints) || taken(model.states)) prefix += "_";
  return prefix;
}

class Freezer {
 public:
  explicit Freezer(const model::Model& model)
      : switches_(find_prefix(model), [&model](const std::string& name) {
          return std::any_of(
              model.parameters.begin(), model.parameters.end(),
              [&](const model::Parameter& p) { return Expr::symbol(p.name).name() == name; });
        }) {}

  /// `smooth`: see Switches::freeze.
  void freeze(Expr& e, const std::string& owner, const base::SourceLocation& where,
              int smooth = 1) {
    try {
      e = switches_.freeze(e, smooth);
    } catch (const base::UserError& error) {
      throw base::UserError(where, owner + ": " + error.diagnostics().front().what,
                            error.diagnostics().front().fix);
    }
    for (size_t i = names_.size(); i < switches_.list().size(); ++i)
      names_.push_back(fmt::format("{}, {}", owner, switches_.list()[i].text));
  }
  const std::vector<Switch>& list() const { return switches_.list(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  symbolic::Switches switches_;
  std::vector<std::string> names_;
};

// Those of the time and of positions: the variable of a curve is known to its rows alone.
void freeze_constraints(model::Model& model, Freezer& freezer) {
  for (model::Element& constraint : model.constraints)
    for (size_t k = 0; k < constraint.values.size(); ++k) {
      if (std::string_view(constraint.type->keys[k].variable) != "t") continue;
      const std::string owner = "constraint " + base::quoted(constraint.name);
      if (Expr* one = std::get_if<Expr>(&constraint.values[k]))
        freezer.freeze(*one, owner, constraint.where, 2);
      if (auto* three = std::get_if<std::array<Expr, 3>>(&constraint.values[k]))
        for (Expr& each : *three) freezer.freeze(each, owner, constraint.where, 2);
    }
}

}  // namespace

FrozenMechanism freeze_conditions(std::shared_ptr<const model::Mechanism> mechanism) {
  auto model = std::make_shared<model::Model>(*mechanism->model);
  Freezer freezer(*mechanism->model);
  for (model::Element& force : model->forces)
    for (Expr* e : find_expressions(force))
      freezer.freeze(*e, "force " + base::quoted(force.name), force.where);
  for (model::Joint& joint : model->joints)
    for (Expr& q : joint.motion)
      freezer.freeze(q, "the motion of joint " + base::quoted(joint.name), joint.where, 2);
  freeze_constraints(*model, freezer);
  for (model::StateVariable& state : model->states)
    freezer.freeze(state.rate, "the rate of state " + base::quoted(state.name), state.where);
  if (freezer.list().empty()) return {std::move(mechanism), {}, {}};
  for (const Switch& each : freezer.list()) {
    model::Parameter hidden;
    hidden.name = each.symbol.name();
    hidden.hidden = true;
    model->parameters.push_back(std::move(hidden));
  }
  auto frozen = std::make_shared<model::Mechanism>(*mechanism);
  frozen->model = std::move(model);
  return {std::move(frozen), freezer.list(), freezer.names()};
}

std::vector<std::string> find_own_values(const FrozenMechanism& frozen,
                                         const forces::ForceSet& forces) {
  std::vector<Expr> all;
  for (const Switch& each : frozen.switches) {
    all.push_back(each.value);
    all.insert(all.end(), each.gaps.begin(), each.gaps.end());
  }
  const std::vector<std::string> used = symbolic::find_symbols(all);
  std::vector<std::string> found;
  for (const forces::Signal& signal : forces.signals())
    if (std::ranges::find(used, Expr::symbol(signal.name).name()) != used.end())
      found.push_back(signal.name);
  return found;
}

EventSwitches::EventSwitches(const FrozenMechanism& frozen, const ExpressionInputs& inputs)
    : switches_(frozen.switches), names_(frozen.names) {
  if (switches_.empty()) return;
  std::vector<Expr> gaps, rates, values;
  for (size_t k = 0; k < switches_.size(); ++k) {
    const Switch& each = switches_[k];
    values.push_back(each.value);
    for (size_t i = 0; i < each.gaps.size(); ++i) {
      (each.rates.empty() ? states_ : timed_).push_back(gaps_.size());
      if (!each.rates.empty()) rates.push_back(each.rates[i]);
      gaps_.push_back({k, i});
      gaps.push_back(each.gaps[i]);
    }
  }
  gap_tape_.emplace(gaps, inputs.names());
  value_tape_.emplace(values, inputs.names());
  if (!rates.empty()) rate_tape_.emplace(rates, inputs.names());
  gap_values_.resize(gaps.size());
  rate_values_.resize(rates.size());
  values_.resize(values.size());
  times_.assign(timed_.size(), std::numeric_limits<double>::infinity());
  registers_.resize(std::max({gap_tape_->register_count(), value_tape_->register_count(),
                              rate_tape_ ? rate_tape_->register_count() : 0}));
}

std::string EventSwitches::name(size_t root) const { return names_[gaps_[states_[root]].owner]; }

std::span<double> EventSwitches::values(ExpressionInputs& inputs) const {
  return inputs.parameters().last(switches_.size());
}

void EventSwitches::calc_roots(const ExpressionInputs& inputs, double* roots) {
  if (states_.empty()) return;
  gap_tape_->evaluate(inputs.values(), gap_values_, registers_);
  for (size_t i = 0; i < states_.size(); ++i) roots[i] = gap_values_[states_[i]];
}

double EventSwitches::next_time(double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const double time : times_)
    if (time > t) next = std::min(next, time);
  return next;
}

void EventSwitches::start(ExpressionInputs& inputs) {
  if (switches_.empty()) return;
  for (size_t k = 0; k < switches_.size(); ++k) {  // each depends on those before it alone
    value_tape_->evaluate(inputs.values(), values_, registers_);
    values(inputs)[k] = values_[k];
  }
  settle(inputs);
}

void EventSwitches::flip(ExpressionInputs& inputs, std::span<const size_t> fired) const {
  const std::span<double> now = values(inputs);
  for (const size_t root : fired) {
    const Gap& gap = gaps_[states_[root]];
    now[gap.owner] = calc_next(switches_[gap.owner], gap.index, now[gap.owner]);
  }
}

void EventSwitches::change(ExpressionInputs& inputs, std::span<const size_t> fired) {
  if (switches_.empty()) return;
  flip(inputs, fired);
  settle(inputs);
}

// Conditions of the time that are due change to what holds right after it, and those that are
// contradicted by others to what they say.
void EventSwitches::settle(ExpressionInputs& inputs) {
  constexpr int most = 100;
  const double t = inputs.values()[0];
  const std::span<double> now = values(inputs);
  for (int i = 0; i < most; ++i) {
    find_times(inputs);
    bool changed = false;
    for (size_t k = 0; k < timed_.size() && !changed; ++k) {
      const Gap& gap = gaps_[timed_[k]];
      if (!(times_[k] <= t)) continue;
      now[gap.owner] = calc_next(switches_[gap.owner], gap.index, now[gap.owner]);
      changed = true;
    }
    if (changed) continue;
    gap_tape_->evaluate(inputs.values(), gap_values_, registers_);
    value_tape_->evaluate(inputs.values(), values_, registers_);
    const auto is_contradicted = [&](size_t k) {  // beyond what t, rounded, may have missed
      const auto timed = std::find(timed_.begin(), timed_.end(), k);
      if (timed == timed_.end()) return gap_values_[k] < 0;
      const double rate = std::abs(rate_values_[static_cast<size_t>(timed - timed_.begin())]);
      return gap_values_[k] < -1e-9 * rate * std::max(1.0, std::abs(t));
    };
    for (size_t k = 0; k < gaps_.size(); ++k) {
      const size_t owner = gaps_[k].owner;
      if (!is_contradicted(k) || now[owner] == values_[owner]) continue;
      now[owner] = values_[owner];
      changed = true;
      break;
    }
    if (!changed) return;
  }
  throw base::ComputationError(fmt::format(
      "t = {:.9g}: conditions contradict each other, among them {}", t, names_.front()));
}

// A gap that is linear in the time is zero at t - gap/rate, whatever t.
void EventSwitches::find_times(ExpressionInputs& inputs) {
  if (timed_.empty()) return;
  const double t = inputs.values()[0];
  inputs.set_time(0);
  gap_tape_->evaluate(inputs.values(), gap_values_, registers_);
  rate_tape_->evaluate(inputs.values(), rate_values_, registers_);
  inputs.set_time(t);
  for (size_t k = 0; k < timed_.size(); ++k)
    times_[k] = rate_values_[k] < 0 ? -gap_values_[timed_[k]] / rate_values_[k]
                                    : std::numeric_limits<double>::infinity();
}

}  // namespace couplet::mechanics
