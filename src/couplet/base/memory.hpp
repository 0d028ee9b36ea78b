// Memory that is free again goes back to the system, so that what comes next does not stand beside
// the holes that it left.
#pragma once

#include <cstddef>

namespace couplet::base {

/// After a phase that took much memory for `elements` elements; nothing happens for few.
void give_back_memory(std::size_t elements);

}  // namespace couplet::base
