// Which functions of a record an operator or its constructor may mean. [Modelica 3.6, chapter 14]
#pragma once

#include <string_view>

#include "couplet/modelica/typing/typer.hpp"

namespace couplet::modelica {

/// Whether `f` takes these arguments. `by_elements`: arrays also fit where it takes scalars.
bool matches(const Function& f, const std::vector<const Exp*>& args, bool by_elements = false);

/// The functions of operator `name` in a record class.
std::vector<Function*> candidates(Context& context, ClassInst* record, std::string_view name);

}  // namespace couplet::modelica
