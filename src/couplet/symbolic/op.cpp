#include "couplet/symbolic/op.hpp"

#include <array>

#include "couplet/base/diagnostics.hpp"

namespace couplet::symbolic {
namespace {

constexpr bool is_called = true;
constexpr bool is_operator = false;

constexpr std::array op_table{
    OpInfo{Op::constant, "constant", 0, is_operator},
    OpInfo{Op::symbol, "symbol", 0, is_operator},
    OpInfo{Op::neg, "-", 1, is_operator},
    OpInfo{Op::add, "+", 2, is_operator},
    OpInfo{Op::sub, "-", 2, is_operator},
    OpInfo{Op::mul, "*", 2, is_operator},
    OpInfo{Op::div, "/", 2, is_operator},
    OpInfo{Op::pow, "pow", 2, is_called},
    OpInfo{Op::sin, "sin", 1, is_called},
    OpInfo{Op::cos, "cos", 1, is_called},
    OpInfo{Op::tan, "tan", 1, is_called},
    OpInfo{Op::asin, "asin", 1, is_called},
    OpInfo{Op::acos, "acos", 1, is_called},
    OpInfo{Op::atan, "atan", 1, is_called},
    OpInfo{Op::atan2, "atan2", 2, is_called},
    OpInfo{Op::sinh, "sinh", 1, is_called},
    OpInfo{Op::cosh, "cosh", 1, is_called},
    OpInfo{Op::tanh, "tanh", 1, is_called},
    OpInfo{Op::exp, "exp", 1, is_called},
    OpInfo{Op::log, "log", 1, is_called},
    OpInfo{Op::sqrt, "sqrt", 1, is_called},
    OpInfo{Op::abs, "abs", 1, is_called},
    OpInfo{Op::sign, "sign", 1, is_called},
    OpInfo{Op::min, "min", 2, is_called},
    OpInfo{Op::max, "max", 2, is_called},
    OpInfo{Op::floor, "floor", 1, is_called},
    OpInfo{Op::ceil, "ceil", 1, is_called},
    OpInfo{Op::mod, "mod", 2, is_called},
    OpInfo{Op::less, "<", 2, is_operator},
    OpInfo{Op::less_equal, "<=", 2, is_operator},
    OpInfo{Op::equal, "==", 2, is_operator},
    OpInfo{Op::not_equal, "!=", 2, is_operator},
    OpInfo{Op::logical_and, "and", 2, is_operator},
    OpInfo{Op::logical_or, "or", 2, is_operator},
    OpInfo{Op::logical_not, "not", 1, is_operator},
    OpInfo{Op::select, "if", 3, is_operator},
    OpInfo{Op::noevent, "noevent", 1, is_called},
    OpInfo{Op::call1, "call", 1, is_operator},
    OpInfo{Op::call2, "call", 2, is_operator},
};

constexpr bool in_enum_order() {
  for (size_t i = 0; i < op_table.size(); ++i)
    if (static_cast<size_t>(op_table[i].op) != i) return false;
  return op_table.back().op == Op::call2;
}
static_assert(in_enum_order());

}  // namespace

const OpInfo& info(Op op) { return op_table[static_cast<size_t>(op)]; }

std::optional<OpInfo> find_function(std::string_view name) {
  if (name == "smooth") name = "noevent";  // an if whose sides meet, which needs no event
  for (const OpInfo& entry : op_table)
    if (entry.is_function && entry.name == name) return entry;
  return std::nullopt;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const OpInfo& entry : op_table)
    if (entry.is_function) names.emplace_back(entry.name);
  return names;
}

double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::constant:
    case Op::symbol:
      break;
    case Op::neg:
      return -a;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return std::pow(a, b);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return calc_sign(a);
    case Op::min:
      return calc_min(a, b);
    case Op::max:
      return calc_max(a, b);
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    case Op::mod:
      return calc_mod(a, b);
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::equal:
      return a == b;
    case Op::not_equal:
      return a != b;
    case Op::logical_and:
      return a != 0 && b != 0;
    case Op::logical_or:
      return a != 0 || b != 0;
    case Op::logical_not:
      return a == 0;
    case Op::select:
      return a != 0 ? b : c;
    case Op::noevent:
      return a;
    case Op::call1:
    case Op::call2:
      break;
  }
  base::ensure(false, "constants, symbols and calls are not operations");
  return 0;
}

}  // namespace couplet::symbolic
