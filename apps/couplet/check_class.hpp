// couplet check for Modelica classes: do unknowns and equations balance?
#pragma once

#include <string>
#include <vector>

#include "couplet/base/diagnostics.hpp"

namespace couplet::app {

/// Of one class, or with `all` of every example below a package. Gives the exit status.
int check_class(const std::string& target, bool all, bool json);

}  // namespace couplet::app
