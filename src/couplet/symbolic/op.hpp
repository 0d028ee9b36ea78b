// The operations an expression is made of, as one table: the parser, the printer, constant folding
// and the tape all read it, so that they cannot disagree on a name, an arity or a meaning.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace couplet::symbolic {

enum class Op : std::uint8_t {
  constant,
  symbol,
  neg,
  add,
  sub,
  mul,
  div,
  pow,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt,
  abs,
  sign,
  min,
  max,
  floor,
  ceil,
  mod,
  less,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  select,
  noevent,  // its argument, whose conditions make no events (switches.hpp)
  call1,    // of an external function with one argument
  call2,    // with two
};

struct OpInfo {
  Op op;
  std::string_view name;  // as written in text
  int arity;
  bool is_function;  // called by its name in text: name(a, b)
};

const OpInfo& info(Op op);
std::optional<OpInfo> find_function(std::string_view name);
std::vector<std::string> function_names();

/// Comparisons and logic: the value is 1 (true) or 0 (false). Any other value counts as true if ≠
/// 0.
inline bool is_boolean(Op op) { return op >= Op::less && op <= Op::logical_not; }

// Where the C library leaves a choice, or has no such function. NaN goes through all of them.
inline double calc_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
inline double calc_min(double a, double b) { return a < b || a != a ? a : b; }
inline double calc_max(double a, double b) { return a > b || a != a ? a : b; }
inline double calc_mod(double a, double b) { return a - b * std::floor(a / b); }  // sign of b

/// The value of one operation; unused arguments are ignored. Not for constants, symbols and calls.
double apply(Op op, double a, double b = 0, double c = 0);

}  // namespace couplet::symbolic
