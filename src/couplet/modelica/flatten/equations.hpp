// Equations and algorithms of all components, typed and flat.
#pragma once

#include "couplet/modelica/flatten/flat.hpp"

namespace couplet::modelica {

void add_equations(Context& context, FlatModel& model);

}  // namespace couplet::modelica
