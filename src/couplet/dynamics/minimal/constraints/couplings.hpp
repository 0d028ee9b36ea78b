// Which freedoms the balance of forces at each freedom depends on: the pattern of the residual
// form.
#pragma once

#include <set>

#include "couplet/dynamics/minimal/constraints/constraint_solver.hpp"

namespace couplet::dynamics {

/// Freedoms before and after it on its branch: where M has entries.
std::vector<std::set<int>> find_mass_pattern(const Mechanism& mechanism);
/// Freedoms before and after it on its branch; those that forces and constraints tie to it. `loops`
/// may be null. State k of the model, which forces may read, counts as nv + k.
std::vector<std::set<int>> find_couplings(const Mechanism& mechanism,
                                          const ConstraintSolver* constraints);
/// What the rate of each state of the model reads, in the same numbers.
std::vector<std::set<int>> find_state_couplings(const Mechanism& mechanism);

}  // namespace couplet::dynamics
