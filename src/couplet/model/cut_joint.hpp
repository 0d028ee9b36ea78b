// What to say when somebody names the coordinates of a joint that closes a loop.
#pragma once

#include <string_view>

#include "couplet/model/mechanism.hpp"

namespace couplet::model {

/// Throws UserError if `name` is a joint that closes a loop, or a coordinate, speed or acceleration
/// of one, raw or as expressions write it: such a joint has none.
void check_has_coordinates(const Mechanism& mechanism, std::string_view name,
                           const base::SourceLocation& where = {});

}  // namespace couplet::model
