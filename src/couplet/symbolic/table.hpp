// Tables as functions in expressions: measured characteristics, cams, maps. Their derivatives are
// tables, too, so that everything that differentiates works with them, and generated C contains
// them whole.
#pragma once

#include <variant>

#include "couplet/math/piecewise.hpp"
#include "couplet/symbolic/external.hpp"

namespace couplet::symbolic {

/// What a function interpolates.
struct Table {
  std::string name;  // as the user calls it
  std::variant<math::PiecewisePolynomial, math::BilinearMap> data;

  int arity() const { return static_cast<int>(data.index()) + 1; }
};

/// The function of a table, under a name of its own in C and text: table_<name>_<digits>, where the
/// digits come from the data, so that models may have different tables of one name. Kept for the
/// life of the process, equal ones once. `name` is a C identifier.
const ExternalFunction& make_table_function(Table table);

/// A call of a table in expressions. Where `argument` passes one of the kinks a derivative of the
/// expression jumps: steps of an integration had better end there.
struct TableCall {
  Expr arguments[2];  // the second: of maps only
  std::shared_ptr<const Table> table;

  /// Of argument k; those of a map are all of order 1 along its grid lines.
  std::vector<math::Kink> kinks(int k = 0) const;
  double period() const;  // of argument 0; 0: kinks do not repeat
};

/// All calls of tables in these expressions, each once.
std::vector<TableCall> find_table_calls(std::span<const Expr> expressions);

}  // namespace couplet::symbolic
