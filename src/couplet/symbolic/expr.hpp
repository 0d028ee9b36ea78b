// Expr: a mathematical expression, as a handle to a node of a shared, immutable DAG. Equal
// subexpressions are one node, and every node is simplified when it is built:
//   constants folded · zeros and ones removed · signs pulled out of products, odd and even
//   functions · like terms and equal factors merged · sin² + cos² = 1 · angle sums · a + b and b +
//   a are one node.
// The order of evaluation that the author wrote is otherwise kept: sums and products are
// re-associated only where terms merge (looking at up to eight of them), because the author's
// grouping carries the sharing that generated code lives on. A rewrite may extend the domain
// (x/x → 1, sqrt(x)² → x), never shrink it, and never changes a value where there is one.
// Handles are safe to build, copy and drop in several threads; 56 bytes a node, and 8 to 16 in the
// table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "couplet/symbolic/node.hpp"

namespace couplet::symbolic {

class Expr {
 public:
  Expr() : Expr(0.0) {}
  Expr(double value);  // implicit: numeric templates write `T a = 0; a += 2 * b;`
  /// Names are dotted paths, `arm.elbow.q`; what is no path becomes one quoted segment (name.hpp).
  static Expr symbol(std::string_view name);

  Expr(const Expr& other) : node_(other.node_) {
    if (node_) retain(node_);
  }
  Expr(Expr&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Expr& operator=(Expr other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Expr() {
    if (node_) release(node_);
  }

  Op op() const { return node_->op; }
  int arity() const { return node_->arity; }
  Expr arg(int i) const;  // 0 ≤ i < arity
  bool is(Op op) const { return node_->op == op; }

  bool is_constant() const { return is(Op::constant); }
  bool is_constant(double value) const { return is_constant() && node_->value == value; }
  bool is_symbol() const { return is(Op::symbol); }
  double value() const;             // of a constant
  const std::string& name() const;  // of a symbol

  Expr& operator+=(const Expr& other);
  Expr& operator-=(const Expr& other);
  Expr& operator*=(const Expr& other);
  Expr& operator/=(const Expr& other);

  /// The same node, so the same expression; the equation "a equals b" is equal(a, b).
  friend bool operator==(const Expr& a, const Expr& b) { return a.node_ == b.node_; }

  const Node* node() const { return node_; }
  /// A handle to a node that somebody else keeps alive.
  static Expr of(const Node* node);
  /// The node of this operation as it is, without any rewriting: for the builders of this room.
  static Expr raw(Op op, const Expr& a);
  static Expr raw(Op op, const Expr& a, const Expr& b);
  static Expr raw(Op op, const Expr& a, const Expr& b, const Expr& c);

 private:
  struct Adopt {};
  Expr(Node* node, Adopt) : node_(node) {}

  Node* node_;  // null only after a move
};

Expr operator-(const Expr& a);
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);

Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
Expr atan2(const Expr& y, const Expr& x);
Expr sinh(const Expr& x);
Expr cosh(const Expr& x);
Expr tanh(const Expr& x);
Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr sqrt(const Expr& x);
Expr abs(const Expr& x);
Expr sign(const Expr& x);  // -1, 0, 1
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr pow(const Expr& x, const Expr& exponent);
Expr floor(const Expr& x);
Expr ceil(const Expr& x);
Expr mod(const Expr& a, const Expr& b);  // a - b·floor(a/b), has the sign of b

// Conditions are 1 (true) or 0 (false); any value ≠ 0 counts as true.
Expr less(const Expr& a, const Expr& b);
Expr less_equal(const Expr& a, const Expr& b);
Expr greater(const Expr& a, const Expr& b);
Expr greater_equal(const Expr& a, const Expr& b);
Expr equal(const Expr& a, const Expr& b);
Expr not_equal(const Expr& a, const Expr& b);
Expr logical_and(const Expr& a, const Expr& b);
Expr logical_or(const Expr& a, const Expr& b);
Expr logical_not(const Expr& a);
/// if condition then a else b; a NaN in the side not taken does not reach the result.
Expr select(const Expr& condition, const Expr& a, const Expr& b);

/// x; conditions in it make no events (switches.hpp).
Expr noevent(const Expr& x);

/// Any operation by its name in the table, simplified like the functions above.
Expr make(Op op, const Expr& a, const Expr& b = {}, const Expr& c = {});

/// A total order of expressions that is the same in every run: constants, symbols by name, the
/// rest.
bool precedes(const Expr& a, const Expr& b);

}  // namespace couplet::symbolic

template <>
struct std::hash<couplet::symbolic::Expr> {
  std::size_t operator()(const couplet::symbolic::Expr& e) const noexcept { return e.node()->hash; }
};
