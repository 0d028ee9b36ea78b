// Expressions as straight-line C99: constants folded, shared parts once, in the order in which they
// were created, so that arguments are still in registers. Needs nothing but libm and the external
// functions that the expressions call. Follows the same plan as the tape: without contraction to
// fused multiply-add (-ffp-contract=off) the results are equal bit by bit.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

/// void name(const double *input…, double *output…); no output may overlap an input.
struct CFunction {
  struct Input {
    std::string name;                  // of the array
    std::vector<std::string> symbols;  // what its numbers are called in the expressions
  };
  struct Output {
    std::string name;
    std::vector<Expr> values;
  };
  std::string name;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  /// 1, or that many states at once: number i of state l is at [lanes*i + l] in every array. Uses
  /// the vector extensions of GCC and clang.
  int lanes = 1;
  /// With lanes: up to so many packs of states one after the other in every array; more than 1 puts
  /// the argument `int packs` in front. What one pack has to wait for, another fills.
  int packs = 1;
};

/// Long functions are split into parts of so many statements: compilers take more than linear time,
/// and so the time per statement stays the same.
constexpr std::size_t statements_per_part = 400;

/// Includes and the helpers that the functions use; once, on top of the file.
std::string write_c_prelude(std::span<const CFunction> functions);
std::string write_c_declaration(const CFunction& function);  // with the semicolon
/// Throws UserError naming every symbol that is not among the inputs.
std::string write_c_definition(const CFunction& function,
                               std::size_t longest_part = statements_per_part);

}  // namespace couplet::symbolic
