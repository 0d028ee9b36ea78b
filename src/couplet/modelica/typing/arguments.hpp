// What predefined operators want of their arguments. [Modelica 3.6, sections 3.7, 8.3, 10.3]
#pragma once

#include "couplet/modelica/typing/typer.hpp"

namespace couplet::modelica {

/// Fails where an argument of operator `id` is of the wrong kind.
void check_arguments(Context& context, const Scope& scope, Builtin id,
                     const std::vector<const Exp*>& args, Range range);

/// The six arguments of spatialDistribution, with the defaults of those that are missing.
void check_distribution(Context& context, const Scope& scope, std::vector<const Exp*>& args,
                        Range range);

}  // namespace couplet::modelica
