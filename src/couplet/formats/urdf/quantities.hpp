// Numbers of a robot by name, to be changed without editing the file: `forearm.mass`,
// `elbow.damping`.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "couplet/formats/urdf/elements.hpp"

namespace couplet::formats::urdf {

/// Values are numbers with or without a unit. What is wrong with them goes to `found`.
void set_quantities(std::span<const std::pair<std::string, std::string>> values, Robot& robot,
                    base::Diagnostics& found);

}  // namespace couplet::formats::urdf
