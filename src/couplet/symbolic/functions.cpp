// Functions of one or two arguments, simplified when built. Each rule holds wherever the
// argument has a value: see the promise in expr.hpp.
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/canonical.hpp"

namespace couplet::symbolic {
namespace {

// f(c) folded; f(-x) = -f(x).
Expr odd(Op op, const Expr& x) {
  if (x.is_constant()) return apply(op, x.value());
  if (x.is(Op::neg)) return -make(op, x.arg(0));
  return Expr::raw(op, x);
}

// f(c) folded; f(-x) = f(x).
Expr even(Op op, const Expr& x) {
  if (x.is_constant()) return apply(op, x.value());
  if (x.is(Op::neg)) return make(op, x.arg(0));
  return Expr::raw(op, x);
}

Expr plain(Op op, const Expr& x) {
  if (x.is_constant()) return apply(op, x.value());
  return Expr::raw(op, x);
}

Expr plain(Op op, const Expr& a, const Expr& b) {
  if (a.is_constant() && b.is_constant()) return apply(op, a.value(), b.value());
  return Expr::raw(op, a, b);
}

Expr commutative(Op op, const Expr& a, const Expr& b) {
  return precedes(b, a) ? plain(op, b, a) : plain(op, a, b);
}

bool is_even_power(const Expr& e) { return std::fmod(split_power(e).exponent, 2) == 0; }

bool is_never_negative(const Expr& e) {
  return e.is(Op::abs) || e.is(Op::sqrt) || e.is(Op::exp) || e.is(Op::cosh) || is_boolean(e.op()) ||
         is_even_power(e);
}

bool is_integral(const Expr& e) {
  return e.is(Op::floor) || e.is(Op::ceil) || e.is(Op::sign) || is_boolean(e.op());
}

}  // namespace

Expr sin(const Expr& x) {
  if (x.is(Op::asin)) return x.arg(0);
  if (const auto turn = find_quarter_turns(x)) {
    const Expr s = turn->count % 2 ? cos(turn->rest) : sin(turn->rest);
    return turn->count < 2 ? s : -s;
  }
  return odd(Op::sin, x);
}
Expr cos(const Expr& x) {
  if (x.is(Op::acos)) return x.arg(0);
  if (const auto turn = find_quarter_turns(x)) {
    const Expr c = turn->count % 2 ? sin(turn->rest) : cos(turn->rest);
    return turn->count == 0 || turn->count == 3 ? c : -c;
  }
  return even(Op::cos, x);
}
Expr tan(const Expr& x) { return x.is(Op::atan) ? x.arg(0) : odd(Op::tan, x); }
Expr asin(const Expr& x) { return odd(Op::asin, x); }
Expr acos(const Expr& x) { return plain(Op::acos, x); }
Expr atan(const Expr& x) { return odd(Op::atan, x); }
Expr atan2(const Expr& y, const Expr& x) { return plain(Op::atan2, y, x); }
Expr sinh(const Expr& x) { return odd(Op::sinh, x); }
Expr cosh(const Expr& x) { return even(Op::cosh, x); }
Expr tanh(const Expr& x) { return odd(Op::tanh, x); }
Expr exp(const Expr& x) { return x.is(Op::log) ? x.arg(0) : plain(Op::exp, x); }
Expr log(const Expr& x) { return x.is(Op::exp) ? x.arg(0) : plain(Op::log, x); }
Expr noevent(const Expr& x) {
  return x.is_constant() || x.is_symbol() || x.is(Op::noevent) ? x : Expr::raw(Op::noevent, x);
}
Expr floor(const Expr& x) { return is_integral(x) ? x : plain(Op::floor, x); }
Expr ceil(const Expr& x) { return is_integral(x) ? x : plain(Op::ceil, x); }
Expr mod(const Expr& a, const Expr& b) { return plain(Op::mod, a, b); }

Expr sqrt(const Expr& x) {
  if (x.is_constant()) return std::sqrt(x.value());
  const auto [c, base] = split_coefficient(x);
  const auto [root, n] = split_power(base);
  if (c > 0 && base.is(Op::mul) && std::fmod(n, 2) == 0)  // sqrt(c·x²) = sqrt(c)·|x|
    return scale(std::sqrt(c), abs(make_power(root, n / 2)));
  return Expr::raw(Op::sqrt, x);
}

Expr abs(const Expr& x) {
  if (x.is_constant()) return std::fabs(x.value());
  const auto [c, base] = split_coefficient(x);
  if (c != 1) return std::fabs(c) * abs(base);
  return is_never_negative(x) ? x : Expr::raw(Op::abs, x);
}

Expr sign(const Expr& x) {
  if (x.is_constant()) return calc_sign(x.value());
  const auto [c, base] = split_coefficient(x);
  if (c != 1) return calc_sign(c) * sign(base);
  return x.is(Op::sign) ? x : Expr::raw(Op::sign, x);
}

Expr min(const Expr& a, const Expr& b) { return a == b ? a : commutative(Op::min, a, b); }
Expr max(const Expr& a, const Expr& b) { return a == b ? a : commutative(Op::max, a, b); }

Expr pow(const Expr& x, const Expr& exponent) {
  if (x.is_constant() && exponent.is_constant()) return std::pow(x.value(), exponent.value());
  if (x.is_constant(1)) return 1;
  if (!exponent.is_constant()) return Expr::raw(Op::pow, x, exponent);
  const double n = exponent.value();
  const bool is_root = x.is(Op::pow) && x.arg(1).is_constant();
  if (is_root && std::floor(x.arg(1).value()) != x.arg(1).value())  // its base is not negative
    return pow(x.arg(0), x.arg(1).value() * n);
  if (n < 0 && (n == -0.5 || (n == std::floor(n) && n >= -64))) return 1 / make_power(x, -n);
  return make_power(x, n);
}

Expr make(Op op, const Expr& a, const Expr& b, const Expr& c) {
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
      return pow(a, b);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return asin(a);
    case Op::acos:
      return acos(a);
    case Op::atan:
      return atan(a);
    case Op::atan2:
      return atan2(a, b);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    case Op::sqrt:
      return sqrt(a);
    case Op::abs:
      return abs(a);
    case Op::sign:
      return sign(a);
    case Op::min:
      return min(a, b);
    case Op::max:
      return max(a, b);
    case Op::floor:
      return floor(a);
    case Op::ceil:
      return ceil(a);
    case Op::mod:
      return mod(a, b);
    case Op::noevent:
      return noevent(a);
    case Op::less:
      return less(a, b);
    case Op::less_equal:
      return less_equal(a, b);
    case Op::equal:
      return equal(a, b);
    case Op::not_equal:
      return not_equal(a, b);
    case Op::logical_and:
      return logical_and(a, b);
    case Op::logical_or:
      return logical_or(a, b);
    case Op::logical_not:
      return logical_not(a);
    case Op::select:
      return select(a, b, c);
    case Op::call1:
    case Op::call2:
      break;
  }
  base::ensure(false, "constants, symbols and calls are not made from operations");
  return a;
}

}  // namespace couplet::symbolic
