// What computes trees, and nothing else, says so.
#pragma once

#include <string>
#include <string_view>

#include "couplet/model/mechanism.hpp"

namespace couplet::dynamics {

/// "the loop A – B – C – D" or "constraint 'rod'": the first that makes it more than a tree; empty:
/// it is one.
std::string describe_loop(const model::Mechanism& mechanism);

/// Throws UserError, naming the loop, the constraint or the mimic joint, where there is one: `what`
/// ("gradients") would leave it out.
void check_is_tree(const model::Mechanism& mechanism, std::string_view what);

/// The same for a joint whose motion is prescribed.
void check_is_free(const model::Mechanism& mechanism, std::string_view what);

}  // namespace couplet::dynamics
