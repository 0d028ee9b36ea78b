// External C functions of the Modelica Standard Library whose arguments change during the
// simulation: interpolation in tables.
#pragma once

#include <optional>
#include <string>

#include "couplet/modelica/lower/val.hpp"

namespace couplet::modelica::lower {

/// By its C name; absent: it is none of them.
std::optional<Val> call_table(const std::string& name, const std::vector<Val>& arguments);

}  // namespace couplet::modelica::lower
