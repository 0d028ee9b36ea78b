// Functions from outside: known by their value and their derivatives, such as a measured
// characteristic or a special function of another library. Once added, text and C can call them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/symbolic/expr.hpp"
#include "couplet/symbolic/interval.hpp"

namespace couplet::symbolic {

struct Table;

struct ExternalFunction {
  std::string name;  // in text, and in C: double name(double) or (double, double)
  int arity = 1;     // 1 or 2
  std::function<double(double a, double b)> value;  // pure; b is to be ignored with one argument
  /// ∂/∂(argument k), k = 0 or 1, at (a, b); may call this function or others.
  std::function<Expr(const Expr& a, const Expr& b, int k)> partial;
  std::string c_definition = {};            // C text that defines it; empty: to be linked
  std::shared_ptr<const Table> table = {};  // what it interpolates (table.hpp); null: nothing
  std::function<Interval(Interval a, double b)> bounds = {};  // of its values; none: not known
  bool is_in_pieces = false;  // of one argument, it is several formulas
};

/// For the life of the process. A name is a C identifier, not yet taken, else UserError.
void add_external(ExternalFunction function);
bool try_add_external(ExternalFunction function);              // false: the name is taken
const ExternalFunction* find_external(std::string_view name);  // null when there is none
std::vector<std::string> external_names();                     // of those that are no tables

/// The function at (a, b); constants are folded.
Expr call(const ExternalFunction& function, const Expr& a, const Expr& b = {});

/// The function that a node with the operation call1 or call2 calls.
const ExternalFunction& function_of(const Node* node);

}  // namespace couplet::symbolic
