// couplet check for Modelica classes: do unknowns and equations balance?
#pragma once

#include "model_options.hpp"

namespace couplet::app {

/// Of one class, or with `all` of every example below a package. Gives the exit status.
int check_class(const ModelOptions& options, bool all);

}  // namespace couplet::app
