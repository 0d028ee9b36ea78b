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

/// Fails when the function `argument` does not take and give what `input` says.
void check_function(Context& context, const Scope& scope, const Local& input, const Exp& argument,
                    Range range);
/// Fails for operators of state machines (chapter 17), which would look like missing functions.
void refuse_state_machines(Context& context, const Scope& scope, const ast::Expr& e,
                           const std::string& name);
/// size(A, k) in the declaration of A itself; null when it is something else.
const Exp* size_so_far(Context& context, const Scope& scope, const ast::Expr& e);

}  // namespace couplet::modelica
