// Tables between events. Kinks divide the range of an argument: a table that stays with the pieces
// between two of them, and goes on with the outer ones beyond, is smooth.
#pragma once

#include <optional>

#include "couplet/symbolic/table.hpp"

namespace couplet::symbolic {

/// The ranges of one argument, numbered upwards.
struct TableRanges {
  const ExternalFunction* number;  // of the argument: which range it is in
  const ExternalFunction* begin;   // of a number: where that range begins
  const ExternalFunction* value;   // of argument and number: the table, smooth; null: of a map
};

/// Ranges of argument k between kinks in derivatives up to this order; nothing: there are none.
std::optional<TableRanges> find_ranges(const ExternalFunction& table, int k, int order);

/// A map that stays with one of its cells, or goes on beside them as the map does: smooth. Numbers
/// are those of the ranges of x and y between kinks of order 1.
Expr call_on_cell(const ExternalFunction& map, const Expr& x, const Expr& y, const Expr& x_number,
                  const Expr& y_number);

}  // namespace couplet::symbolic
