// Operators of clocked models.
#pragma once

#include "couplet/modelica/typing/typer.hpp"

namespace couplet::modelica {

/// A call of `id`, one of Clock, sample, hold, previous and so on; fails where arguments do not
/// fit.
const Exp* type_clocked(Context& context, const Scope& scope, const ast::Expr& e, Builtin id,
                        const std::vector<const Exp*>& args);

}  // namespace couplet::modelica
