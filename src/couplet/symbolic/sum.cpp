// Sums in canonical form: like terms merged, signs outside, a - b and b - a sharing one node.
#include <cmath>

#include "couplet/symbolic/canonical.hpp"

namespace couplet::symbolic {
namespace {

bool is_sum(const Expr& e) { return e.is(Op::add) || e.is(Op::sub); }

bool is_negative(const Expr& e) { return e.is(Op::neg) || (e.is_constant() && e.value() < 0); }

// Like split_coefficient, and 2/y = 2·(1/y), so that 2/y + 3/y = 5/y.
Term split_term(const Expr& e) {
  Term term = split_coefficient(e);
  if (term.base.is(Op::div) && term.base.arg(0).is_constant()) {
    term.coefficient *= term.base.arg(0).value();
    term.base = Expr::raw(Op::div, 1, term.base.arg(1));
  }
  return term;
}

/// Up to eight terms of a sum, merged where their bases are equal.
class TermWindow {
 public:
  void insert(int position, const Term& term) {
    for (int i = 0; i < count_; ++i) {
      if (!(terms_[i].base == term.base)) continue;
      const double sum = terms_[i].coefficient + term.coefficient;
      if (!std::isfinite(sum) && !term.base.is_constant()) continue;
      has_merged_ = true;
      terms_[i].coefficient = sum;
      if (sum == 0) erase(i);
      return;
    }
    for (int i = 0; i < count_; ++i) {
      auto rest = find_pythagorean_sum(terms_[i], term);
      if (!rest) rest = find_angle_sum(terms_[i], term);
      if (rest) {
        has_merged_ = true;
        erase(i);
        return insert(std::min(position, count_), split_term(*rest));
      }
    }
    for (int i = count_++; i > position; --i) terms_[i] = terms_[i - 1];
    terms_[position] = term;
  }

  void append(const Expr& e) { insert(count_, split_term(e)); }

  /// Opens the first term that is itself a sum; false: there is none, or no room.
  bool expand() {
    if (count_ == capacity) return false;
    for (int i = 0; i < count_; ++i) {
      const Term term = terms_[i];
      if (!is_sum(term.base) || std::fabs(term.coefficient) != 1) continue;
      erase(i);
      Term second = split_term(term.base.arg(1));
      second.coefficient *= term.base.is(Op::sub) ? -term.coefficient : term.coefficient;
      insert(i, second);
      Term first = split_term(term.base.arg(0));
      first.coefficient *= term.coefficient;
      insert(std::min(i, count_), first);
      return true;
    }
    return false;
  }

  bool has_merged() const { return has_merged_; }

  Expr sum(int fuel) const {
    Expr result = 0;
    for (int i = 0; i < count_; ++i)
      result = add(result, scale(terms_[i].coefficient, terms_[i].base), fuel);
    return result;
  }

 private:
  void erase(int i) {
    for (--count_; i < count_; ++i) terms_[i] = terms_[i + 1];
  }

  static constexpr int capacity = 8;
  std::array<Term, capacity> terms_;
  int count_ = 0;
  bool has_merged_ = false;
};

// a - b, both without sign. The first in order is positive: b - a is then -(a - b), exactly.
Expr difference(const Expr& a, const Expr& b) {
  if (precedes(a, b)) return Expr::raw(Op::sub, a, b);
  return Expr::raw(Op::neg, Expr::raw(Op::sub, b, a));
}

Expr join(const Expr& a, const Expr& b) {
  if (is_negative(a) && is_negative(b)) return -join(-a, -b);
  if (is_negative(a)) return difference(b, -a);
  if (is_negative(b)) return difference(a, -b);
  return precedes(a, b) ? Expr::raw(Op::add, a, b) : Expr::raw(Op::add, b, a);
}

}  // namespace

Expr add(const Expr& a, const Expr& b, int fuel) {
  if (a.is_constant() && b.is_constant()) return a.value() + b.value();
  if (a.is_constant(0)) return b;
  if (b.is_constant(0)) return a;
  for (const Expr* e : {&a, &b})
    if (e->is_constant() && std::isnan(e->value())) return *e;
  if (fuel == 0) return join(a, b);
  TermWindow window;  // in one order, so that a + b, b + a and their negatives see the same terms
  const bool is_swapped = precedes(is_negative(b) ? -b : b, is_negative(a) ? -a : a);
  window.append(is_swapped ? b : a);
  window.append(is_swapped ? a : b);
  constexpr int longest = 64;  // expansions: what a sum may cost, however long it is
  for (int i = 0; i < longest && window.expand(); ++i) {
  }
  return window.has_merged() ? window.sum(fuel - 1) : join(a, b);
}

Expr operator+(const Expr& a, const Expr& b) { return add(a, b); }
Expr operator-(const Expr& a, const Expr& b) { return add(a, -b); }

Expr operator-(const Expr& a) {
  if (a.is_constant()) return -a.value();
  if (a.is(Op::neg)) return a.arg(0);
  return Expr::raw(Op::neg, a);
}

}  // namespace couplet::symbolic
