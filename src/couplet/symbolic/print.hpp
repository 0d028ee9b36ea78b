// Expressions as text that parse() reads back to the same expression.
#pragma once

#include <iosfwd>
#include <string>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

/// Shared parts are written out each time, so the text can be much longer than the DAG is large:
/// it is cut at `longest` bytes, and then ends with "…" (which does not parse).
std::string print(const Expr& e, std::size_t longest = 1 << 20);

std::ostream& operator<<(std::ostream& out, const Expr& e);

}  // namespace couplet::symbolic
