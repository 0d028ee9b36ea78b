// Queries and replacement in expressions, one pass over the shared DAG each.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

/// Every occurrence of a key (a symbol, or any subexpression as it is built) becomes its value, all
/// at once: values are not searched again. The result is simplified as if it had been built so.
using Replacements = std::unordered_map<Expr, Expr>;
std::vector<Expr> substitute(std::span<const Expr> expressions, const Replacements& replacements);
Expr substitute(const Expr& e, const Replacements& replacements);

/// The names of the free symbols, sorted.
std::vector<std::string> find_symbols(std::span<const Expr> expressions);
std::vector<std::string> find_symbols(const Expr& e);

/// What evaluating the expressions once costs, shared parts counted once. Changes of sign are free:
/// they disappear into the sums around them.
struct OpCounts {
  std::size_t multiplications = 0;  // and divisions
  std::size_t additions = 0;        // and subtractions
  std::size_t functions = 0;        // sin, sqrt, min, …
  std::size_t conditions = 0;       // comparisons, logic, if

  friend bool operator==(const OpCounts&, const OpCounts&) = default;
};
OpCounts op_counts(std::span<const Expr> expressions);
OpCounts op_counts(const Expr& e);

}  // namespace couplet::symbolic
