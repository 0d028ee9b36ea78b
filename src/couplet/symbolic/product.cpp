// Products and quotients in canonical form: sign and coefficient outside, equal factors merged.
// Small integer powers are products (x³ = x·x²), so that they count, share and run as such.
#include <cmath>

#include "couplet/symbolic/canonical.hpp"

namespace couplet::symbolic {
namespace {

constexpr double largest_product_power = 64;

bool is_integer(double x) { return x == std::floor(x) && std::fabs(x) < 1e15; }

// Equal bases merge where that saves work and holds wherever both factors have a value:
// whole powers, sqrt(x)·sqrt(x), x/sqrt(x), pow(x, 0.3)·pow(x, 0.4); not x·sqrt(x).
bool may_merge(double e1, double e2) {
  const double sum = e1 + e2;
  if (std::fabs(sum) > largest_product_power) return !is_integer(e1) && !is_integer(e2);
  return is_integer(sum) || std::fabs(sum) == 0.5 || (!is_integer(e1) && !is_integer(e2));
}

Expr ordered(Op op, const Expr& a, const Expr& b) {
  return precedes(b, a) ? Expr::raw(op, b, a) : Expr::raw(op, a, b);
}

// x·x… by squaring, x without coefficient: x⁷ = x·(x·x²)².
Expr product_power(const Expr& x, int n) {
  if (n == 1) return x;
  if (n % 2 == 1) return ordered(Op::mul, x, product_power(x, n - 1));
  const Expr half = product_power(x, n / 2);
  return Expr::raw(Op::mul, half, half);
}

bool is_square(const Expr& e) { return e.is(Op::mul) && e.node()->args[0] == e.node()->args[1]; }

// Undoes product_power; `depth` bounds what a tower of squares may cost.
std::pair<Expr, int> split_product_power(const Expr& e, int depth = 12) {
  if (!e.is(Op::mul) || depth == 0) return {e, 1};
  const Expr a = e.arg(0);
  const Expr b = e.arg(1);
  if (a == b) {
    auto [base, n] = split_product_power(a, depth - 1);
    return {base, 2 * n};
  }
  for (const auto& [x, square] : {std::pair(a, b), std::pair(b, a)}) {
    if (!is_square(square)) continue;
    auto [base, n] = split_product_power(square, depth - 1);
    if (base == x) return {base, n + 1};
  }
  return {e, 1};
}

// x·y, both without sign and coefficient. In one order, so that x·y and y·x see the same window.
Expr join(const Expr& x, const Expr& y, int fuel) {
  if (precedes(y, x)) return join(y, x, fuel);
  if (x.is_constant(1)) return y;
  if (y.is_constant(1)) return x;
  if (x == y && x.is(Op::abs)) return multiply(x.arg(0), x.arg(0));
  if (fuel == 0 || (x == y && !x.is(Op::sqrt) && !x.is(Op::pow))) return ordered(Op::mul, x, y);
  FactorWindow window;
  window.insert(x, 1);
  window.insert(y, 1);
  while (window.expand()) {
  }
  return window.has_merged() ? window.product(fuel - 1) : ordered(Op::mul, x, y);
}

// x/y, both without sign and coefficient.
Expr quotient(const Expr& x, const Expr& y, int fuel) {
  if (y.is_constant(1)) return x;
  if (x == y) return 1;
  if (fuel == 0) return Expr::raw(Op::div, x, y);
  if (x.is_constant(1))
    return y.is(Op::div) ? divide(y.arg(1), y.arg(0), fuel - 1) : Expr::raw(Op::div, x, y);
  FactorWindow window;
  window.insert(x, 1);
  window.insert(y, -1);
  while (window.expand()) {
  }
  return window.has_merged() ? window.product(fuel - 1) : Expr::raw(Op::div, x, y);
}

// A coefficient that overflows, underflows or is infinite stays where it was written; only signs
// come out.
Expr keep(Op op, const Expr& a, const Expr& b) {
  const auto is_negative = [](const Expr& e) {
    return e.is(Op::neg) || (e.is_constant() && e.value() < 0);
  };
  if (is_negative(a)) return -keep(op, -a, b);
  if (is_negative(b)) return -keep(op, a, -b);
  return op == Op::mul ? ordered(op, a, b) : Expr::raw(op, a, b);
}

}  // namespace

Term split_coefficient(const Expr& e) {
  if (e.is_constant()) return {e.value(), 1};
  if (e.is(Op::neg)) {
    Term term = split_coefficient(e.arg(0));
    term.coefficient = -term.coefficient;
    return term;
  }
  if (e.is(Op::mul) && e.arg(0).is_constant()) return {e.arg(0).value(), e.arg(1)};
  return {1, e};
}

Expr scale(double coefficient, const Expr& base) {
  if (coefficient < 0) return -scale(-coefficient, base);
  if (base.is_constant()) return coefficient * base.value();
  if (coefficient == 1) return base;
  if (base.is(Op::neg)) return -scale(coefficient, base.arg(0));
  const bool is_reciprocal = base.is(Op::div) && base.arg(0).is_constant();
  if (is_reciprocal || (base.is(Op::mul) && base.arg(0).is_constant())) {
    const double both = coefficient * base.arg(0).value();
    if (std::isfinite(both) && both != 0)
      return is_reciprocal ? Expr::raw(Op::div, both, base.arg(1)) : scale(both, base.arg(1));
  }
  return Expr::raw(Op::mul, coefficient, base);
}

Factor split_power(const Expr& e) {
  if (e.is(Op::sqrt)) return {e.arg(0), 0.5};
  if (e.is(Op::pow) && e.arg(1).is_constant() && std::isfinite(e.arg(1).value()))
    return {e.arg(0), e.arg(1).value()};
  auto [base, n] = split_product_power(e);
  return {base, static_cast<double>(n)};
}

Expr make_power(const Expr& x, double exponent) {
  if (exponent == 0) return 1;
  if (exponent == 1) return x;
  if (exponent == 0.5) return sqrt(x);
  if (!is_integer(exponent) || exponent < 0 || exponent > largest_product_power)
    return Expr::raw(Op::pow, x, exponent);
  const auto [c, base] = split_coefficient(x);
  const double c_power = std::pow(c, exponent);
  if (!std::isfinite(c_power) || c_power == 0) {
    const Expr power = product_power(c < 0 ? -x : x, static_cast<int>(exponent));
    return c < 0 && std::fmod(exponent, 2) == 1 ? -power : power;
  }
  if (base.is(Op::sqrt) || base.is(Op::abs)) {  // sqrt(u)² = u, |u|² = u²
    const double odd = std::fmod(exponent, 2);
    const double whole = exponent - odd;
    const Expr even_part = make_power(base.arg(0), base.is(Op::sqrt) ? whole / 2 : whole);
    return c_power * (odd == 1 ? even_part * base : even_part);
  }
  if (base.is(Op::pow) && base.arg(1).is_constant())
    return c_power * pow(base.arg(0), base.arg(1).value() * exponent);
  const Factor root = split_power(base);  // (x²)³ = x⁶
  const bool is_small = root.exponent * exponent <= largest_product_power;
  return scale(c_power, is_small
                            ? product_power(root.base, static_cast<int>(root.exponent * exponent))
                            : product_power(base, static_cast<int>(exponent)));
}

void FactorWindow::insert(const Expr& e, double sign) {
  if (e.is_constant(1)) return;
  Factor factor = split_power(e);
  factor.exponent *= sign;
  for (int i = 0; i < count_; ++i) {
    Factor& f = factors_[i];
    if (!(f.base == factor.base) || !may_merge(f.exponent, factor.exponent)) continue;
    has_merged_ = true;
    f.exponent += factor.exponent;
    if (f.exponent == 0) erase(i);
    return;
  }
  factors_[count_++] = factor;
}

bool FactorWindow::expand() {
  if (count_ == capacity) return false;
  for (int i = 0; i < count_; ++i) {
    const Factor f = factors_[i];
    const Expr& e = f.base;
    if (std::fabs(f.exponent) != 1 || !(e.is(Op::mul) || e.is(Op::div))) continue;
    const Expr first = e.arg(0);
    if (first.is_constant() && !first.is_constant(1)) continue;
    if (e.arg(1).is_constant()) continue;  // x/0
    erase(i);
    insert(first, f.exponent);
    insert(e.arg(1), e.is(Op::div) ? -f.exponent : f.exponent);
    return true;
  }
  return false;
}

Expr FactorWindow::product(int fuel) const {
  Expr above = 1;
  Expr below = 1;
  for (int i = 0; i < count_; ++i) {
    const auto& [base, exponent] = factors_[i];
    Expr& side = exponent > 0 ? above : below;
    side = multiply(side, make_power(base, std::fabs(exponent)), fuel);
  }
  return divide(above, below, fuel);
}

bool FactorWindow::remove(const Expr& base, double exponent) {
  for (int i = 0; i < count_; ++i) {
    if (!(factors_[i].base == base) || factors_[i].exponent < exponent) continue;
    factors_[i].exponent -= exponent;
    if (factors_[i].exponent == 0) erase(i);
    return true;
  }
  return false;
}

bool FactorWindow::has_same_factors(const FactorWindow& other) const {
  if (count_ != other.count_) return false;
  for (int i = 0; i < count_; ++i) {
    bool found = false;
    for (int k = 0; k < count_ && !found; ++k)
      found = factors_[i].base == other[k].base && factors_[i].exponent == other[k].exponent;
    if (!found) return false;
  }
  return true;
}

void FactorWindow::erase(int i) {
  for (--count_; i < count_; ++i) factors_[i] = factors_[i + 1];
}

Expr multiply(const Expr& a, const Expr& b, int fuel) {
  if (a.is_constant() && b.is_constant()) return a.value() * b.value();
  if (a.is_constant(0) || b.is_constant(0)) return 0;
  const auto [ca, x] = split_coefficient(a);
  const auto [cb, y] = split_coefficient(b);
  const double c = ca * cb;
  if (std::isnan(c)) return c;
  if (std::isinf(c) || c == 0) return keep(Op::mul, a, b);
  return scale(c, join(x, y, fuel));
}

Expr divide(const Expr& a, const Expr& b, int fuel) {
  if (a.is_constant() && b.is_constant()) return a.value() / b.value();
  if (a.is_constant(0)) return 0;
  const auto [ca, x] = split_coefficient(a);
  const auto [cb, y] = split_coefficient(b);
  const double c = ca / cb;
  if (std::isnan(c)) return c;
  if (std::isinf(c) || c == 0) return keep(Op::div, a, b);
  return scale(c, quotient(x, y, fuel));
}

Expr operator*(const Expr& a, const Expr& b) { return multiply(a, b); }
Expr operator/(const Expr& a, const Expr& b) { return divide(a, b); }

}  // namespace couplet::symbolic
