// Rules about one component: whether its prefixes fit its class.
#pragma once

#include "couplet/modelica/instantiate/context.hpp"

namespace couplet::modelica {

/// Reports prefixes that a component of its class cannot have.
void check_prefixes(Context& context, const Component& c);

}  // namespace couplet::modelica
