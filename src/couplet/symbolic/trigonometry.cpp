// sin²u + cos²u = 1, also behind a common factor: the sum that turns up wherever a rotation meets
// an inertia. Runs whenever two such terms meet in a sum.
#include "couplet/symbolic/canonical.hpp"

namespace couplet::symbolic {
namespace {

FactorWindow all_factors(const Expr& e) {
  FactorWindow window;
  window.insert(e, 1);
  while (window.expand()) {
  }
  return window;
}

}  // namespace

std::optional<Expr> find_pythagorean_sum(const Term& a, const Term& b) {
  if (!a.base.node()->has_trig_square || !b.base.node()->has_trig_square) return std::nullopt;
  if (a.coefficient != b.coefficient) return std::nullopt;
  const FactorWindow in_a = all_factors(a.base);
  const FactorWindow in_b = all_factors(b.base);
  for (int i = 0; i < in_a.size(); ++i) {
    const Expr f = in_a[i].base;
    if (!f.is(Op::sin) && !f.is(Op::cos)) continue;
    const Expr partner = f.is(Op::sin) ? cos(f.arg(0)) : sin(f.arg(0));
    FactorWindow rest_a = in_a;
    FactorWindow rest_b = in_b;
    if (rest_a.remove(f, 2) && rest_b.remove(partner, 2) && rest_a.has_same_factors(rest_b))
      return scale(a.coefficient, rest_a.product(full_fuel - 1));
  }
  return std::nullopt;
}

}  // namespace couplet::symbolic
