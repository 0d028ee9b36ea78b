#include "couplet/symbolic/expr.hpp"

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/name.hpp"

namespace couplet::symbolic {
namespace {

Node* constant_node(double value) {
  // The constants that numeric templates are full of cost no look-up.
  static Node* const zero = intern_constant(0);
  static Node* const one = intern_constant(1);
  if (value == 0) return zero;
  if (value == 1) return one;
  return intern_constant(value);
}

}  // namespace

Expr::Expr(double value) : node_(constant_node(value)) {}

Expr Expr::symbol(std::string_view name) { return {intern_symbol(canonical_name(name)), Adopt{}}; }

Expr Expr::of(const Node* node) {
  Node* shared = const_cast<Node*>(node);  // counting does not change what the node says
  retain(shared);
  return {shared, Adopt{}};
}

Expr Expr::arg(int i) const { return of(node_->args[i]); }

double Expr::value() const {
  base::ensure(is_constant(), "only a constant has a value");
  return node_->value;
}

const std::string& Expr::name() const {
  base::ensure(is_symbol(), "only a symbol has a name");
  return *node_->name;
}

Expr Expr::raw(Op op, const Expr& a) { return {intern_operation(op, a.node_), Adopt{}}; }

Expr Expr::raw(Op op, const Expr& a, const Expr& b) {
  return {intern_operation(op, a.node_, b.node_), Adopt{}};
}

Expr Expr::raw(Op op, const Expr& a, const Expr& b, const Expr& c) {
  return {intern_operation(op, a.node_, b.node_, c.node_), Adopt{}};
}

Expr& Expr::operator+=(const Expr& other) { return *this = *this + other; }
Expr& Expr::operator-=(const Expr& other) { return *this = *this - other; }
Expr& Expr::operator*=(const Expr& other) { return *this = *this * other; }
Expr& Expr::operator/=(const Expr& other) { return *this = *this / other; }

bool precedes(const Expr& a, const Expr& b) {
  if (a == b) return false;
  if (a.op() != b.op()) return a.op() < b.op();
  if (a.is_constant()) return a.value() < b.value();
  if (a.is_symbol()) return a.name() < b.name();
  if (a.node()->hash != b.node()->hash) return a.node()->hash < b.node()->hash;
  return a.node() < b.node();  // one chance in 2⁶⁴; then only this process agrees with itself
}

}  // namespace couplet::symbolic
