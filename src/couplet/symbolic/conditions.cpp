// Comparisons, logic and if/then/else. a > b is kept as b < a; the negation of a comparison is
// not turned round, because both are false for a NaN.
#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {
namespace {

Expr compare(Op op, const Expr& a, const Expr& b) {
  if (a.is_constant() && b.is_constant()) return apply(op, a.value(), b.value());
  if (a == b) return apply(op, 0, 0);
  return Expr::raw(op, a, b);
}

Expr truth(const Expr& e) { return is_boolean(e.op()) ? e : not_equal(e, 0); }

}  // namespace

Expr less(const Expr& a, const Expr& b) { return compare(Op::less, a, b); }
Expr less_equal(const Expr& a, const Expr& b) { return compare(Op::less_equal, a, b); }
Expr greater(const Expr& a, const Expr& b) { return less(b, a); }
Expr greater_equal(const Expr& a, const Expr& b) { return less_equal(b, a); }

Expr equal(const Expr& a, const Expr& b) {
  return precedes(b, a) ? compare(Op::equal, b, a) : compare(Op::equal, a, b);
}

Expr not_equal(const Expr& a, const Expr& b) {
  return precedes(b, a) ? compare(Op::not_equal, b, a) : compare(Op::not_equal, a, b);
}

Expr logical_and(const Expr& a, const Expr& b) {
  if (a.is_constant()) return a.is_constant(0) ? Expr(0) : truth(b);
  if (b.is_constant()) return b.is_constant(0) ? Expr(0) : truth(a);
  if (a == b) return truth(a);
  return precedes(b, a) ? Expr::raw(Op::logical_and, b, a) : Expr::raw(Op::logical_and, a, b);
}

Expr logical_or(const Expr& a, const Expr& b) {
  if (a.is_constant()) return a.is_constant(0) ? truth(b) : Expr(1);
  if (b.is_constant()) return b.is_constant(0) ? truth(a) : Expr(1);
  if (a == b) return truth(a);
  return precedes(b, a) ? Expr::raw(Op::logical_or, b, a) : Expr::raw(Op::logical_or, a, b);
}

Expr logical_not(const Expr& a) {
  if (a.is_constant()) return a.is_constant(0) ? 1 : 0;
  if (a.is(Op::logical_not)) return truth(a.arg(0));
  return Expr::raw(Op::logical_not, a);
}

Expr select(const Expr& condition, const Expr& a, const Expr& b) {
  if (condition.is_constant()) return condition.is_constant(0) ? b : a;
  if (a == b) return a;
  if (condition.is(Op::logical_not)) return select(condition.arg(0), b, a);
  if (a.is_constant(1) && b.is_constant(0)) return truth(condition);
  return Expr::raw(Op::select, condition, a, b);
}

}  // namespace couplet::symbolic
