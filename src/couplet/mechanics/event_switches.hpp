// Conditions in the expressions of a model as events. Each is a switch (symbolic/switches.hpp): a
// hidden parameter of the mechanism that stays as it is during a step, so that integrators see
// smooth functions, and that changes at an event. Conditions that depend on the time alone change
// at times that are known beforehand.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "couplet/forces/force_set.hpp"
#include "couplet/model/expression_inputs.hpp"
#include "couplet/model/mechanism.hpp"
#include "couplet/symbolic/path_sight.hpp"
#include "couplet/symbolic/switch_values.hpp"

namespace couplet::mechanics {

/// A mechanism whose forces, motions, constraints and rates of states hold switches instead of
/// conditions. Of rules, a single comparison of what moves is a root function by itself, and
/// everything else changes where switches do.
struct FrozenMechanism {
  std::shared_ptr<const model::Mechanism> mechanism;  // the given one where there are none
  std::vector<symbolic::Switch> switches;             // the last parameters of its model, in order
  std::vector<std::string> names;                     // of each: whose condition it is
  std::vector<symbolic::Expr> rules;  // of each rule: negative where its condition holds, and 1
                                      // without one
};

/// Throws UserError for conditions that have no event.
FrozenMechanism freeze_conditions(std::shared_ptr<const model::Mechanism> mechanism);

/// What changes with the time alone, in forces, rates of states, accelerations of motions and
/// constraints.
std::vector<symbolic::Expr> find_functions_of_time(const FrozenMechanism& frozen);

/// Functions of the motion in forces, rates of states and constraints that may do more in a step
/// than its ends show, and whose they are.
struct NamedShape {
  symbolic::Shape shape;
  std::string owner;
};
std::vector<NamedShape> find_shapes(const FrozenMechanism& frozen, const forces::ForceSet& forces);

/// Whether the time appears in forces, rates of states, accelerations of motions or constraints,
/// or may appear in a plug-in.
bool depends_on_time(const model::Model& model);

/// What conditions and shapes use of force elements, such as the length of a line: names of their
/// signals.
std::vector<std::string> find_own_values(const FrozenMechanism& frozen,
                                         std::span<const NamedShape> shapes,
                                         const forces::ForceSet& forces);

}  // namespace couplet::mechanics
