// Expressions from text, as users write them in model files: `k*(target - q) - d*v`.
//
//   expression := if expression then expression else expression | disjunction
//   operators, loosest first: or · and · not · < <= > >= == != · + - · * / · unary - + · ^ (right)
//   operand    := number | name | function(expression, …) | distance(name, name) | (expression) |
//   pi | true | false name       := segment {. segment}; a segment is letters, digits, _ or
//   anything in 'quotes'
//
// There is no implicit multiplication. Names become symbols; what they mean is the caller's
// business.
#pragma once

#include <string_view>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

/// The one function of names: distance(a, b) is the length of a.position - b.position.
constexpr std::string_view distance_name = "distance";

/// Throws UserError that points to the offending character: `where` is the place of the first one.
Expr parse(std::string_view text, const base::SourceLocation& where = {});

constexpr int max_nesting = 1000;                 // of parentheses, calls, signs, powers
constexpr std::size_t max_text_length = 1 << 20;  // bytes

}  // namespace couplet::symbolic
