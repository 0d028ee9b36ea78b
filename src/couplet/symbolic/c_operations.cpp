#include "couplet/symbolic/c_operations.hpp"

#include <fmt/format.h>

#include <cmath>

namespace couplet::symbolic {
namespace {

// With the same choices where the C library leaves one as in op.hpp.
constexpr const char* sign_helper =
    "static double couplet_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }\n";
constexpr const char* min_helper =
    "static double couplet_min(double a, double b) { return a < b || a != a ? a : b; }\n";
constexpr const char* max_helper =
    "static double couplet_max(double a, double b) { return a > b || a != a ? a : b; }\n";
constexpr const char* mod_helper =
    "static double couplet_mod(double a, double b) { return a - b * floor(a / b); }\n";

/// How an operation on numbers is written, with {0}, {1}, {2} for its arguments.
const char* pattern(Op op) {
  switch (op) {
    case Op::neg:
      return "-{0}";
    case Op::add:
      return "{0} + {1}";
    case Op::sub:
      return "{0} - {1}";
    case Op::mul:
      return "{0} * {1}";
    case Op::div:
      return "{0} / {1}";
    case Op::pow:
      return "pow({0}, {1})";
    case Op::sin:
      return "sin({0})";
    case Op::cos:
      return "cos({0})";
    case Op::tan:
      return "tan({0})";
    case Op::asin:
      return "asin({0})";
    case Op::acos:
      return "acos({0})";
    case Op::atan:
      return "atan({0})";
    case Op::atan2:
      return "atan2({0}, {1})";
    case Op::sinh:
      return "sinh({0})";
    case Op::cosh:
      return "cosh({0})";
    case Op::tanh:
      return "tanh({0})";
    case Op::exp:
      return "exp({0})";
    case Op::log:
      return "log({0})";
    case Op::sqrt:
      return "sqrt({0})";
    case Op::abs:
      return "fabs({0})";
    case Op::sign:
      return "couplet_sign({0})";
    case Op::min:
      return "couplet_min({0}, {1})";
    case Op::max:
      return "couplet_max({0}, {1})";
    case Op::floor:
      return "floor({0})";
    case Op::ceil:
      return "ceil({0})";
    case Op::mod:
      return "couplet_mod({0}, {1})";
    case Op::noevent:
      return "({0})";
    case Op::less:
      return "(double)({0} < {1})";
    case Op::less_equal:
      return "(double)({0} <= {1})";
    case Op::equal:
      return "(double)({0} == {1})";
    case Op::not_equal:
      return "(double)({0} != {1})";
    case Op::logical_and:
      return "(double)({0} != 0 && {1} != 0)";
    case Op::logical_or:
      return "(double)({0} != 0 || {1} != 0)";
    case Op::logical_not:
      return "(double)({0} == 0)";
    case Op::select:
      return "{0} != 0 ? {1} : {2}";
    case Op::constant:
    case Op::symbol:
    case Op::call1:
    case Op::call2:
      break;
  }
  return "";
}

std::string fill(const char* form, const std::string& a, const std::string& b,
                 const std::string& c) {
  return fmt::format(fmt::runtime(form), a, b, c);
}

bool is_arithmetic(Op op) { return op >= Op::neg && op <= Op::div; }

// Names by number: signs such as < are no part of a C name.
std::string each_name(Op op) { return fmt::format("couplet_each_{}", static_cast<int>(op)); }

std::string each_definition(const std::string& name, int arity, const std::string& one, int lanes) {
  constexpr const char* parameters[] = {"couplet_pack a", "couplet_pack a, couplet_pack b",
                                        "couplet_pack a, couplet_pack b, couplet_pack c"};
  return fmt::format(
      "static inline __attribute__((always_inline)) couplet_pack {}({}) {{\n  couplet_pack r;\n  "
      "int l;\n"
      "  for (l = 0; l < {}; ++l) r[l] = {};\n  return r;\n}}\n",
      name, parameters[arity - 1], lanes, one);
}

}  // namespace

std::string c_type(int lanes) { return lanes == 1 ? "double" : "couplet_pack"; }

std::string c_number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "(-INFINITY)";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

std::string c_operation(Op op, const ExternalFunction* external, const std::string args[3],
                        int lanes) {
  if (lanes == 1) {
    if (!external) return fill(pattern(op), args[0], args[1], args[2]);
    return external->arity == 1 ? fmt::format("{}({})", external->name, args[0])
                                : fmt::format("{}({}, {})", external->name, args[0], args[1]);
  }
  if (is_arithmetic(op)) return fill(pattern(op), args[0], args[1], args[2]);
  // A number among the arguments is to be a pack, too.
  std::string list;
  const int arity = external ? external->arity : info(op).arity;
  for (int k = 0; k < arity; ++k) list += fmt::format("{}couplet_fill({})", k ? ", " : "", args[k]);
  return fmt::format("{}({})", external ? "couplet_each_" + external->name : each_name(op), list);
}

std::string c_scalar_helpers(const std::set<std::pair<Op, int>>& used) {
  std::string text;
  const auto needs = [&](Op op) {
    const auto found = used.lower_bound({op, 0});
    return found != used.end() && found->first == op;
  };
  if (needs(Op::sign)) text += sign_helper;
  if (needs(Op::min)) text += min_helper;
  if (needs(Op::max)) text += max_helper;
  if (needs(Op::mod)) text += mod_helper;
  return text;
}

std::string c_pack_helpers(const std::set<std::pair<Op, int>>& used, int lanes) {
  std::string text = fmt::format(
      "/* {0} numbers side by side; anywhere in memory, where doubles are. */\n"
      "#pragma GCC diagnostic ignored \"-Wpsabi\" /* packs are passed inside this file only */\n"
      "typedef double couplet_pack __attribute__((vector_size({1}), aligned(8), may_alias));\n"
      "#define couplet_fill(x) ((x) - (couplet_pack){{0}})\n",
      lanes, 8 * lanes);
  for (const auto& [op, width] : used)
    if (width > 1 && op > Op::div && op < Op::call1)
      text += each_definition(each_name(op), info(op).arity,
                              fill(pattern(op), "a[l]", "b[l]", "c[l]"), lanes);
  return text;
}

std::string c_pack_helper(const std::string& external, int arity, int lanes) {
  return each_definition("couplet_each_" + external, arity,
                         fmt::format("{}(a[l]{})", external, arity == 2 ? ", b[l]" : ""), lanes);
}

}  // namespace couplet::symbolic
