#include "couplet/mechanics/event_rules.hpp"

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::mechanics {

using symbolic::Expr;

EventRules::EventRules(const Mechanism& mechanism, const std::vector<Expr>& roots)
    : nv_(mechanism.nv) {
  const ExpressionInputs inputs(mechanism);
  std::vector<std::string> names;  // of what can be reset
  for (const std::string& speed : mechanism.speed_names)
    names.push_back(Expr::symbol(speed).name());
  for (const model::StateVariable& state : mechanism.model->states)
    names.push_back(Expr::symbol(state.name).name());
  std::vector<Expr> conditions;
  size_t registers = 0;
  for (const model::EventRule& rule : mechanism.model->rules) {
    Bound bound{&rule, {}, {}, {}};
    conditions.push_back(rule.condition.value_or(0));
    std::vector<Expr> values;
    for (const auto& [name, value] : rule.resets) {
      const auto found = std::find(names.begin(), names.end(), name);
      base::ensure(found != names.end(), "the reader knows the speeds and states");
      bound.resets.push_back(static_cast<int>(found - names.begin()));
      values.push_back(value);
    }
    for (const auto& [name, value] : rule.switches) {
      bound.parameters.push_back(
          static_cast<size_t>(mechanism.model->find_parameter(name).value()));
      values.push_back(value);
    }
    if (!values.empty()) bound.values.emplace(values, inputs.names());
    if (bound.values) registers = std::max(registers, bound.values->register_count());
    rules_.push_back(std::move(bound));
  }
  if (!rules_.empty()) {
    roots_.emplace(roots, inputs.names());
    conditions_.emplace(conditions, inputs.names());
    registers = std::max({registers, roots_->register_count(), conditions_->register_count()});
  }
  registers_.assign(registers, 0);
}

void EventRules::calc_roots(const ExpressionInputs& inputs, double* roots) {
  if (roots_) roots_->evaluate(inputs.values(), {roots, rules_.size()}, registers_);
}

std::vector<bool> EventRules::hold(const ExpressionInputs& inputs) {
  std::vector<double> values(rules_.size());
  if (conditions_) conditions_->evaluate(inputs.values(), values, registers_);
  return {values.begin(), values.end()};
}

double EventRules::next_time(double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const Bound& bound : rules_) {
    const std::vector<double>& times = bound.source->times;
    const auto found = std::upper_bound(times.begin(), times.end(), t);
    if (found != times.end()) next = std::min(next, *found);
  }
  return next;
}

std::vector<size_t> EventRules::due(double t) const {
  std::vector<size_t> list;
  for (size_t i = 0; i < rules_.size(); ++i)
    if (std::binary_search(rules_[i].source->times.begin(), rules_[i].source->times.end(), t))
      list.push_back(i);
  return list;
}

EventRules::Changes EventRules::calc_changes(size_t rule, const ExpressionInputs& inputs) {
  const Bound& bound = rules_[rule];
  Changes changes;
  if (!bound.values) return changes;
  std::vector<double> values(bound.values->output_count());
  bound.values->evaluate(inputs.values(), values, registers_);
  for (size_t i = 0; i < bound.resets.size(); ++i)
    if (bound.resets[i] < nv_)
      changes.speeds.emplace_back(bound.resets[i], values[i]);
    else
      changes.states.emplace_back(bound.resets[i] - nv_, values[i]);
  for (size_t i = 0; i < bound.parameters.size(); ++i)
    changes.parameters.emplace_back(bound.parameters[i], values[bound.resets.size() + i]);
  return changes;
}

}  // namespace couplet::mechanics
