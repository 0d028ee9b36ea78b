// Derivatives, forward over the shared DAG: each node that depends on the symbol is differentiated
// once. Where a function has a kink (abs, min, max, floor, sign, if), the derivative is that of the
// branch taken; jumps contribute nothing.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

/// ∂e/∂symbol
Expr differentiate(const Expr& e, const Expr& symbol);

/// de/ds along a direction: of each symbol in it what its derivative is; others do not change.
Expr differentiate_along(const Expr& e, const std::unordered_map<Expr, Expr>& direction);

/// The entries of ∂outputs[row]/∂symbols[column] that are not identically zero, by column, then
/// row.
struct JacobianEntry {
  std::size_t row;
  std::size_t column;
  Expr value;
};
/// Costs, per column, what depends on that symbol; not the size of the whole DAG.
std::vector<JacobianEntry> differentiate(std::span<const Expr> outputs,
                                         std::span<const Expr> symbols);

}  // namespace couplet::symbolic
