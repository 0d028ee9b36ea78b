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
  const ExternalFunction* value;   // of argument and number: the table, smooth; null: of a map,
                                   // which is continuous at least
};

/// Ranges of argument k between kinks in derivatives up to this order; nothing: there are none.
std::optional<TableRanges> find_ranges(const ExternalFunction& table, int k, int order);

}  // namespace couplet::symbolic
