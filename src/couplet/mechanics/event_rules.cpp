#include "couplet/mechanics/event_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::mechanics {

using symbolic::Expr;
using symbolic::Op;

std::optional<Expr> find_root(const Expr& condition) {
  const auto both = [&](auto join) -> std::optional<Expr> {
    const auto a = find_root(condition.arg(0)), b = find_root(condition.arg(1));
    if (!a || !b) return std::nullopt;
    return join(*a, *b);
  };
  switch (condition.op()) {
    case Op::less:
    case Op::less_equal:
      return condition.arg(0) - condition.arg(1);
    case Op::logical_and:
      return both([](const Expr& a, const Expr& b) { return max(a, b); });
    case Op::logical_or:
      return both([](const Expr& a, const Expr& b) { return min(a, b); });
    case Op::logical_not: {
      const auto inner = find_root(condition.arg(0));
      return inner ? std::optional(-*inner) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

EventRules::EventRules(const Mechanism& mechanism) : nv_(mechanism.nv) {
  const ExpressionInputs inputs(mechanism);
  std::vector<std::string> names;  // of what can be reset
  for (const std::string& speed : mechanism.speed_names)
    names.push_back(Expr::symbol(speed).name());
  for (const model::StateVariable& state : mechanism.model->states)
    names.push_back(Expr::symbol(state.name).name());
  std::vector<Expr> roots;
  size_t registers = 0;
  for (const model::EventRule& rule : mechanism.model->rules) {
    Bound bound{&rule, {}, {}, {}};
    const std::optional<Expr> root = rule.condition ? find_root(*rule.condition) : Expr(1);
    if (!root)
      throw base::UserError(
          rule.where,
          fmt::format("rule {}: the condition is no comparison", base::quoted(rule.name)),
          "compare with <, <=, > or >=, and join with and, or, not");
    roots.push_back(*root);
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
  if (!roots.empty()) roots_.emplace(roots, inputs.names());
  if (roots_) registers = std::max(registers, roots_->register_count());
  registers_.assign(registers, 0);
}

void EventRules::calc_roots(const ExpressionInputs& inputs, double* roots) {
  if (roots_) roots_->evaluate(inputs.values(), {roots, rules_.size()}, registers_);
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
