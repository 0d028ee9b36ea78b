// sin²u + cos²u = 1, also behind a common factor: the sum that turns up wherever a rotation meets
// an inertia. sin u cos v + cos u sin v = sin(u + v): two turns about parallel axes are one. They
// run whenever two such terms meet in a sum.
#include <cmath>
#include <numbers>

#include "couplet/symbolic/canonical.hpp"

namespace couplet::symbolic {
namespace {

bool is_trig(const Expr& e) { return e.is(Op::sin) || e.is(Op::cos); }

Expr partner_of(const Expr& e) { return e.is(Op::sin) ? cos(e.arg(0)) : sin(e.arg(0)); }

FactorWindow all_factors(const Expr& e) {
  FactorWindow window;
  window.insert(e, 1);
  while (window.expand()) {
  }
  return window;
}

}  // namespace

std::optional<Expr> find_pythagorean_sum(const Term& a, const Term& b) {
  if (!(a.base.node()->trig & b.base.node()->trig & trig_square)) return std::nullopt;
  if (a.coefficient != b.coefficient) return std::nullopt;
  const FactorWindow in_a = all_factors(a.base);
  const FactorWindow in_b = all_factors(b.base);
  for (int i = 0; i < in_a.size(); ++i) {
    const Expr f = in_a[i].base;
    if (!is_trig(f)) continue;
    const Expr partner = partner_of(f);
    FactorWindow rest_a = in_a;
    FactorWindow rest_b = in_b;
    if (rest_a.remove(f, 2) && rest_b.remove(partner, 2) && rest_a.has_same_factors(rest_b))
      return scale(a.coefficient, rest_a.product(full_fuel - 1));
  }
  return std::nullopt;
}

// Of f·g + s·f'·g', where ' is the partner and s = ±1:
//   sin u cos v + s cos u sin v = sin(u + s v),   cos u cos v + s sin u sin v = cos(u - s v)
std::optional<Expr> find_angle_sum(const Term& a, const Term& b) {
  if (!(a.base.node()->trig & b.base.node()->trig & two_trigs)) return std::nullopt;
  if (std::fabs(a.coefficient) != std::fabs(b.coefficient)) return std::nullopt;
  const FactorWindow in_a = all_factors(a.base);
  const FactorWindow in_b = all_factors(b.base);
  const bool is_difference = a.coefficient != b.coefficient;
  for (int i = 0; i < in_a.size(); ++i) {
    for (int k = i + 1; k < in_a.size(); ++k) {
      Expr f = in_a[i].base, g = in_a[k].base;
      if (!is_trig(f) || !is_trig(g) || f.arg(0) == g.arg(0)) continue;
      FactorWindow rest_a = in_a;
      FactorWindow rest_b = in_b;
      if (!rest_a.remove(f, 1) || !rest_a.remove(g, 1) || !rest_b.remove(partner_of(f), 1) ||
          !rest_b.remove(partner_of(g), 1) || !rest_a.has_same_factors(rest_b))
        continue;
      const Expr rest = scale(a.coefficient, rest_a.product(full_fuel - 1));
      if (f.is(Op::cos)) std::swap(f, g);  // a sine first, if there is one
      const Expr u = f.arg(0), v = g.arg(0);
      if (f.is(Op::sin) && g.is(Op::cos)) return rest * sin(is_difference ? u - v : u + v);
      const Expr sum = cos(is_difference ? u + v : u - v);
      return rest * (f.is(Op::sin) && is_difference ? -sum : sum);
    }
  }
  return std::nullopt;
}

// sin(x + π/2) = cos x is more exact than what it replaces: the sum is not rounded.
std::optional<QuarterTurns> find_quarter_turns(const Expr& x) {
  const bool is_negative = x.is(Op::neg);
  const Expr sum = is_negative ? x.arg(0) : x;
  if ((!sum.is(Op::add) && !sum.is(Op::sub)) || !sum.arg(0).is_constant()) return std::nullopt;
  const double angle = sum.arg(0).value();
  const double turns = std::round(angle / std::numbers::pi * 2);
  if (std::fabs(turns) > 4 || turns * (std::numbers::pi / 2) != angle) return std::nullopt;
  const Expr rest = sum.is(Op::add) ? sum.arg(1) : -sum.arg(1);
  const int count = static_cast<int>(is_negative ? -turns : turns);
  return QuarterTurns{((count % 4) + 4) % 4, is_negative ? -rest : rest};
}

}  // namespace couplet::symbolic
