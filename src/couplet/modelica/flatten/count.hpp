// Counting scalar unknowns and equations, and finding who is out of balance. [Modelica 3.6,
// section 4.7]
#pragma once

#include "couplet/modelica/flatten/flat.hpp"
#include "couplet/modelica/translate.hpp"

namespace couplet::modelica {

struct Counts {
  long unknowns = 0, equations = 0, parameters = 0, structural = 0;
};

Counts count(const FlatModel& model);

/// Components whose own unknowns and equations do not match, assuming that their surroundings give
/// one equation for every flow variable and every input of their connectors.
std::vector<Blame> find_blame(Context& context, const FlatModel& model);

}  // namespace couplet::modelica
