#include "couplet/symbolic/print.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>
#include <vector>

#include "couplet/symbolic/canonical.hpp"
#include "couplet/symbolic/external.hpp"

namespace couplet::symbolic {
namespace {

// As in the grammar of parse.hpp, loosest first. Some forms read back to the same expression and
// are nicer to read: -a*b for -(a*b), b - a for -(a - b), x^3 for x*(x*x).
enum Precedence {
  conditional,
  disjunction,
  conjunction,
  negation,
  comparison,
  sum,
  product,
  unary,
  power,
  atom
};

struct Layout {
  Precedence self, left, right;  // operands that bind looser than this get parentheses
  std::string_view sign;
};

Layout layout(Op op) {
  switch (op) {
    case Op::neg:
      return {product, product, product, "-"};
    case Op::add:
      return {sum, sum, product, " + "};
    case Op::sub:
      return {sum, sum, product, " - "};
    case Op::mul:
      return {product, product, unary, "*"};
    case Op::div:
      return {product, product, unary, "/"};
    case Op::pow:
      return {power, atom, power, "^"};
    case Op::less:
      return {comparison, sum, sum, " < "};
    case Op::less_equal:
      return {comparison, sum, sum, " <= "};
    case Op::equal:
      return {comparison, sum, sum, " == "};
    case Op::not_equal:
      return {comparison, sum, sum, " != "};
    case Op::logical_and:
      return {conjunction, conjunction, negation, " and "};
    case Op::logical_or:
      return {disjunction, disjunction, conjunction, " or "};
    case Op::logical_not:
      return {negation, comparison, comparison, "not "};
    case Op::select:
      return {conditional, disjunction, conditional, {}};
    default:
      return {atom, conditional, conditional, {}};
  }
}

std::string number(double value) {
  if (std::isnan(value)) return "(0/0)";
  if (std::isinf(value)) return value > 0 ? "(1/0)" : "-(1/0)";
  return fmt::format("{}", value);
}

bool is_call(const Expr& e) { return e.is(Op::call1) || e.is(Op::call2); }

class Printer {
 public:
  explicit Printer(std::size_t longest) : longest_(longest) {}

  std::string print(const Expr& e) {
    later_.push_back({e, {}, conditional});
    while (!later_.empty() && text_.size() <= longest_) {
      const Item item = std::move(later_.back());
      later_.pop_back();
      if (!item.text.empty())
        text_ += item.text;
      else
        print_one(item.expr, item.slot);
    }
    if (text_.size() <= longest_) return std::move(text_);
    text_.resize(longest_);
    return text_ + "…";
  }

 private:
  struct Item {
    Expr expr;
    std::string_view text;  // instead of an expression
    Precedence slot;
  };

  // What follows is pushed last part first: the stack replaces recursion.
  void push(std::string_view text) { later_.push_back({{}, text, atom}); }
  void push(const Expr& e, Precedence slot) { later_.push_back({e, {}, slot}); }

  void print_one(const Expr& e, Precedence slot) {
    if (e.is_symbol()) {
      text_ += e.name();
      return;
    }
    const Factor root = e.is(Op::mul) ? split_power(e) : Factor{e, 1};
    const bool is_power = root.exponent > 1 && root.exponent <= 64;
    const bool is_turned = e.is(Op::neg) && e.arg(0).is(Op::sub);
    Precedence self = is_power ? power : is_turned ? sum : layout(e.op()).self;
    if (e.is_constant()) self = e.value() < 0 ? product : atom;
    if (self < slot) {
      text_ += '(';
      push(")");
    }
    if (e.is_constant())
      text_ += number(e.value());
    else if (is_power)
      push_power(root);
    else if (is_turned)
      push_binary(e.arg(0).arg(1), e.arg(0).arg(0), layout(Op::sub));
    else if (is_call(e) || (info(e.op()).is_function && !e.is(Op::pow)))
      push_call(e);
    else if (e.is(Op::select))
      push_select(e);
    else
      push_operator(e);
  }

  void push_power(const Factor& factor) {
    push(Expr(factor.exponent), atom);
    push("^");
    push(factor.base, atom);
  }

  void push_call(const Expr& e) {
    push(")");
    for (int i = e.arity() - 1; i >= 0; --i) {
      push(e.arg(i), conditional);
      if (i > 0) push(", ");
    }
    push("(");
    if (is_call(e))
      push(function_of(e.node()).name);
    else
      push(info(e.op()).name);
  }

  void push_select(const Expr& e) {
    push(e.arg(2), conditional);
    push(" else ");
    push(e.arg(1), disjunction);
    push(" then ");
    push(e.arg(0), disjunction);
    push("if ");
  }

  void push_operator(const Expr& e) {
    const Layout l = layout(e.op());
    if (e.arity() == 2) return push_binary(e.arg(0), e.arg(1), l);
    push(e.arg(0), l.right);
    push(l.sign);
  }

  void push_binary(const Expr& a, const Expr& b, const Layout& l) {
    push(b, l.right);
    push(l.sign);
    push(a, l.left);
  }

  std::string text_;
  std::vector<Item> later_;
  std::size_t longest_;
};

}  // namespace

std::string print(const Expr& e, std::size_t longest) { return Printer(longest).print(e); }

std::ostream& operator<<(std::ostream& out, const Expr& e) { return out << print(e, 2000); }

}  // namespace couplet::symbolic
