#include "couplet/mechanics/event_switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/substitute.hpp"
#include "couplet/symbolic/time_sight.hpp"

namespace couplet::mechanics {

using symbolic::Expr;
using symbolic::Op;
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
  /// Whether it changes between events other than by the time.
  bool moves(const Expr& e) const { return switches_.changes(e, false); }
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

/// What becomes negative where a rule's condition comes to hold.
class RuleFreezer {
 public:
  RuleFreezer(Freezer& freezer, const model::EventRule& rule)
      : freezer_(freezer), rule_(rule), owner_("rule " + base::quoted(rule.name)) {}

  Expr find_root() {
    if (!rule_.condition) return 1;
    const Expr root = of(*rule_.condition);
    // Where several quantities have to be somewhere at once, the joint function may be negative for
    // a moment that nobody looks at, while each of them is seen to come and to go.
    return moving_ > 1 ? jump(*rule_.condition) : root;
  }

 private:
  Expr freeze(Expr e) {
    freezer_.freeze(e, owner_, rule_.where);
    return e;
  }
  Expr jump(const Expr& condition) { return symbolic::select(freeze(condition), -1, 1); }
  Expr of(const Expr& condition) {
    switch (condition.op()) {
      case Op::less:
      case Op::less_equal: {
        const Expr root = freeze(condition.arg(0) - condition.arg(1));
        if (!freezer_.moves(root)) return jump(condition);
        ++moving_;
        return root;
      }
      case Op::logical_and: {
        const Expr a = of(condition.arg(0));
        return max(a, of(condition.arg(1)));
      }
      case Op::logical_or: {
        const Expr a = of(condition.arg(0));
        return min(a, of(condition.arg(1)));
      }
      case Op::logical_not:
        return -of(condition.arg(0));
      default:
        throw base::UserError(rule_.where, owner_ + ": the condition is no comparison",
                              "compare with <, <=, > or >=, and join with and, or, not");
    }
  }

  Freezer& freezer_;
  const model::EventRule& rule_;
  std::string owner_;
  int moving_ = 0;  // comparisons of what moves
};

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
  std::vector<Expr> rules;
  for (const model::EventRule& rule : model->rules)
    rules.push_back(RuleFreezer(freezer, rule).find_root());
  if (freezer.list().empty()) return {std::move(mechanism), {}, {}, std::move(rules)};
  for (const Switch& each : freezer.list()) {
    model::Parameter hidden;
    hidden.name = each.symbol.name();
    hidden.hidden = true;
    model->parameters.push_back(std::move(hidden));
  }
  auto frozen = std::make_shared<model::Mechanism>(*mechanism);
  frozen->model = std::move(model);
  return {std::move(frozen), freezer.list(), freezer.names(), std::move(rules)};
}

std::vector<Expr> find_functions_of_time(const FrozenMechanism& frozen) {
  const model::Model& model = *frozen.mechanism->model;
  const Expr t = Expr::symbol("t");
  std::vector<Expr> found;
  std::unordered_set<Expr> known;
  std::unordered_set<std::string> parameters;
  for (const model::Parameter& p : model.parameters) parameters.insert(Expr::symbol(p.name).name());
  const auto is_fixed = [&](const std::string& name) { return parameters.contains(name); };
  const auto look = [&](const Expr& e) {
    for (const Expr& part : symbolic::find_functions_of_time(e, is_fixed))
      if (known.insert(part).second) found.push_back(part);
  };
  const auto look_at_acceleration = [&](const Expr& e) {
    look(symbolic::differentiate(symbolic::differentiate(e, t), t));
  };
  for (const model::Element& force : model.forces)
    std::ranges::for_each(find_expressions(model, force), look);
  for (const model::StateVariable& state : model.states) look(state.rate);
  for (const model::Joint& joint : model.joints)
    std::ranges::for_each(joint.motion, look_at_acceleration);
  for (const model::Element& constraint : model.constraints)
    std::ranges::for_each(find_expressions(model, constraint), look_at_acceleration);
  return found;
}

std::vector<NamedShape> find_shapes(const FrozenMechanism& frozen, const forces::ForceSet& forces) {
  const model::Model& model = *frozen.mechanism->model;
  std::unordered_set<std::string> parameters, moving{Expr::symbol("t").name()};
  for (const model::Parameter& p : model.parameters) parameters.insert(Expr::symbol(p.name).name());
  for (const std::string& q : frozen.mechanism->coordinate_names)
    moving.insert(Expr::symbol(q).name());
  for (const std::string& v : frozen.mechanism->speed_names) moving.insert(Expr::symbol(v).name());
  for (const model::StateVariable& x : model.states) moving.insert(Expr::symbol(x.name).name());
  for (const forces::Signal& signal : forces.signals())
    moving.insert(Expr::symbol(signal.name).name());
  std::vector<NamedShape> found;
  std::unordered_map<Expr, std::unordered_set<Expr>> known;  // functions by their argument
  const auto look = [&](const Expr& e, const std::string& owner) {
    for (symbolic::Shape& shape : symbolic::find_shapes(
             e, [&](const std::string& name) { return parameters.contains(name); },
             [&](const std::string& name) { return moving.contains(name); }))
      if (known[shape.argument].insert(shape.function).second)
        found.push_back({std::move(shape), owner});
  };
  for (const model::Element& force : model.forces)
    for (const Expr& e : find_expressions(model, force))
      look(e, "force " + base::quoted(force.name));
  for (const model::StateVariable& state : model.states)
    look(state.rate, "state " + base::quoted(state.name));
  for (const model::Element& constraint : model.constraints)
    for (const Expr& e : find_expressions(model, constraint))
      look(e, "constraint " + base::quoted(constraint.name));
  return found;
}

bool depends_on_time(const model::Model& model) {
  const Expr t = Expr::symbol("t");
  const auto has_time = [&](const Expr& e) {
    const std::vector<std::string> symbols = symbolic::find_symbols(e);
    return std::ranges::find(symbols, t.name()) != symbols.end();
  };
  const auto bends = [&](const Expr& e) {
    return has_time(symbolic::differentiate(symbolic::differentiate(e, t), t));
  };
  const auto is_plugin = [](const model::Element& force) {
    return std::ranges::any_of(
        force.type->keys, [](const model::Key& key) { return key.type == model::ValueType::path; });
  };
  return std::ranges::any_of(model.forces,
                             [&](const model::Element& force) {
                               return is_plugin(force) ||
                                      std::ranges::any_of(find_expressions(model, force), has_time);
                             }) ||
         std::ranges::any_of(
             model.joints,
             [&](const model::Joint& joint) { return std::ranges::any_of(joint.motion, bends); }) ||
         std::ranges::any_of(model.constraints,
                             [&](const model::Element& constraint) {
                               return std::ranges::any_of(find_expressions(model, constraint),
                                                          bends);
                             }) ||
         std::ranges::any_of(
             model.states, [&](const model::StateVariable& state) { return has_time(state.rate); });
}

std::vector<std::string> find_own_values(const FrozenMechanism& frozen,
                                         std::span<const NamedShape> shapes,
                                         const forces::ForceSet& forces) {
  std::vector<Expr> all;
  for (const NamedShape& each : shapes) all.push_back(each.shape.argument);
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

}  // namespace couplet::mechanics
