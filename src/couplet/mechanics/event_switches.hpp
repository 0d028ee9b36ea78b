// Conditions in the expressions of a model as events. Each is a switch (symbolic/switches.hpp): a
// hidden parameter of the mechanism that stays as it is during a step, so that integrators see
// smooth functions, and that changes at an event. Conditions that depend on the time alone change
// at times that are known beforehand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "couplet/forces/force_set.hpp"
#include "couplet/model/expression_inputs.hpp"
#include "couplet/model/mechanism.hpp"
#include "couplet/symbolic/switches.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::mechanics {

/// A mechanism whose forces, motions, constraints and rates of states hold switches instead of
/// conditions.
struct FrozenMechanism {
  std::shared_ptr<const model::Mechanism> mechanism;  // the given one where there are none
  std::vector<symbolic::Switch> switches;             // the last parameters of its model, in order
  std::vector<std::string> names;                     // of each: whose condition it is
};

/// Throws UserError for conditions that have no event.
FrozenMechanism freeze_conditions(std::shared_ptr<const model::Mechanism> mechanism);

/// What conditions use of force elements, such as the length of a line: names of their signals.
std::vector<std::string> find_own_values(const FrozenMechanism& frozen,
                                         const forces::ForceSet& forces);

class EventSwitches {
 public:
  /// The inputs are those of the frozen mechanism.
  EventSwitches(const FrozenMechanism& frozen, const model::ExpressionInputs& inputs);

  size_t size() const { return states_.size(); }  // root functions
  std::string name(size_t root) const;
  /// Of what has no jump there, as min, max, abs and tables have none.
  bool is_kink(size_t root) const { return switches_[gaps_[states_[root]].owner].is_kink; }
  /// Not negative while switches may stay as they are; 1 for those of the time.
  void calc_roots(const model::ExpressionInputs& inputs, double* roots);
  /// The first change after t of a condition of the time.
  double next_time(double t) const;

  /// All switches from what the inputs say.
  void start(model::ExpressionInputs& inputs);
  /// Changes those whose root functions are given, and no others.
  void flip(model::ExpressionInputs& inputs, std::span<const size_t> fired) const;
  /// Changes those whose root functions became negative, or whose time is t, and then those that
  /// depend on them. Throws ComputationError when they do not settle.
  void change(model::ExpressionInputs& inputs, std::span<const size_t> fired);
  /// Takes the inputs as they are, after they were loaded.
  void restore(model::ExpressionInputs& inputs) { find_times(inputs); }
  /// Switches as they are, in the order of the hidden parameters.
  std::span<double> values(model::ExpressionInputs& inputs) const;

 private:
  struct Gap {
    size_t owner, index;  // a switch, and which of its gaps
  };
  void settle(model::ExpressionInputs& inputs);
  void find_times(model::ExpressionInputs& inputs);

  std::vector<symbolic::Switch> switches_;
  std::vector<std::string> names_;
  std::vector<Gap> gaps_;       // of all switches
  std::vector<size_t> states_;  // gaps that are root functions
  std::vector<size_t> timed_;   // gaps that are linear in the time
  std::vector<double> times_;   // s, when these become negative; infinite: never
  std::optional<symbolic::Tape> gap_tape_, rate_tape_, value_tape_;
  std::vector<double> gap_values_, rate_values_, values_, registers_;
};

}  // namespace couplet::mechanics
