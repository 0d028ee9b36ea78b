// Rules about the text of one class that depend on what kind of class it is.
#pragma once

#include "couplet/modelica/instantiate/context.hpp"

namespace couplet::modelica {

/// Reports what a class of its kind may not extend, hold or be called.
void check_kind(Context& context, const ClassInst* c);

}  // namespace couplet::modelica
