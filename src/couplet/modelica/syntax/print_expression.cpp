#include <fmt/format.h>

#include <cmath>

#include "couplet/modelica/syntax/printer_impl.hpp"

namespace couplet::modelica {

using ast::Expr;
using ast::ExprKind;
using ast::Op;

namespace {

// What an operand must bind at least as strongly as, or it gets parentheses.
enum Strength { any, simple, or_s, and_s, not_s, relation, sum, product, power, atom };

int strength(const Expr& e) {
  switch (e.kind) {
    case ExprKind::if_:
      return any;
    case ExprKind::range:
      return simple;
    case ExprKind::unary:
      return e.op == Op::not_ ? not_s : sum;
    case ExprKind::binary:
      break;
    default:
      return atom;
  }
  switch (e.op) {
    case Op::or_:
      return or_s;
    case Op::and_:
      return and_s;
    case Op::add:
    case Op::sub:
    case Op::el_add:
    case Op::el_sub:
      return sum;
    case Op::mul:
    case Op::div:
    case Op::el_mul:
    case Op::el_div:
      return product;
    case Op::pow:
    case Op::el_pow:
      return power;
    default:
      return relation;
  }
}

}  // namespace

std::string_view to_string(Op op) {
  switch (op) {
    case Op::none:
      return "";
    case Op::or_:
      return "or";
    case Op::and_:
      return "and";
    case Op::not_:
      return "not";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::greater:
      return ">";
    case Op::greater_equal:
      return ">=";
    case Op::equal:
      return "==";
    case Op::not_equal:
      return "<>";
    case Op::add:
    case Op::plus:
      return "+";
    case Op::sub:
    case Op::minus:
      return "-";
    case Op::el_add:
    case Op::el_plus:
      return ".+";
    case Op::el_sub:
    case Op::el_minus:
      return ".-";
    case Op::mul:
      return "*";
    case Op::div:
      return "/";
    case Op::el_mul:
      return ".*";
    case Op::el_div:
      return "./";
    case Op::pow:
      return "^";
    case Op::el_pow:
      return ".^";
  }
  return "";
}

std::string print_real(double value) {
  if (std::isnan(value)) return "(0.0/0.0)";
  if (std::isinf(value)) return value > 0 ? "(1e308*10.0)" : "(-1e308*10.0)";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void Printer::operand(const Expr& e, int least) {
  const bool parentheses = strength(e) < least;
  if (parentheses) out += '(';
  expression(e);
  if (parentheses) out += ')';
}

void Printer::list(Slice<const Expr*> items, const char* separator) {
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (i) out += separator;
    if (items[i]) expression(*items[i]);
  }
}

void Printer::ref(Slice<ast::RefPart> parts) {
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (i) out += '.';
    out += parts[i].name.text();
    subscripts(parts[i].subscripts);
  }
}

void Printer::subscripts(Slice<const Expr*> items) {
  if (items.empty()) return;
  out += '[';
  list(items, ", ");
  out += ']';
}

void Printer::iterators(Slice<ast::Iterator> items) {
  for (uint32_t i = 0; i < items.size(); ++i) {
    out += (i ? ", " : "") + items[i].name.text();
    if (!items[i].range) continue;
    out += " in ";
    expression(*items[i].range);
  }
}

void Printer::call(const Expr& e) {
  if (e.kind == ExprKind::partial) out += "function ";
  if (e.global) out += '.';
  ref(e.parts);
  out += '(';
  for (uint32_t i = 0; i < e.arguments.size(); ++i) {
    if (i) out += ", ";
    if (!e.arguments[i].name.empty()) out += e.arguments[i].name.text() + " = ";
    expression(*e.arguments[i].value);
  }
  comprehension(e);
  out += ')';
}

void Printer::comprehension(const Expr& e) {
  if (e.iterators.empty()) return;
  out += " for ";
  iterators(e.iterators);
}

void Printer::binary(const Expr& e) {
  const int own = strength(e);
  // Sums and products group to the left; relations and powers do not group at all.
  const bool chains = own != relation && own != power;
  const Expr& left = *e.args[0];
  // -a at the left of + needs no parentheses, anywhere else it does: strength() says sum.
  operand(left, chains ? own : own + 1);
  out += fmt::format(" {} ", to_string(e.op));
  const Expr& right = *e.args[1];
  const bool signed_right = right.kind == ExprKind::unary && right.op != Op::not_;
  operand(right, own == relation && signed_right ? sum : own + 1);
}

void Printer::expression(const Expr& e) {
  switch (e.kind) {
    case ExprKind::integer:
      out += fmt::format("{}", static_cast<long long>(e.number));
      break;
    case ExprKind::real:
      out += print_real(e.number);
      break;
    case ExprKind::string:
      out += '"';
      out += e.text;
      out += '"';
      break;
    case ExprKind::boolean:
      out += e.truth ? "true" : "false";
      break;
    case ExprKind::end:
      out += "end";
      break;
    case ExprKind::colon:
      out += ':';
      break;
    case ExprKind::ref:
      if (e.global) out += '.';
      ref(e.parts);
      break;
    case ExprKind::call:
    case ExprKind::partial:
      call(e);
      break;
    case ExprKind::array:
      out += '{';
      list(e.args, ", ");
      comprehension(e);
      out += '}';
      break;
    case ExprKind::matrix:
      out += '[';
      list(e.args, "; ");
      out += ']';
      break;
    case ExprKind::row:
      list(e.args, ", ");
      break;
    case ExprKind::tuple:
      out += '(';
      list(e.args, ", ");
      out += ')';
      break;
    case ExprKind::range:
      for (uint32_t i = 0; i < e.args.size(); ++i) {
        if (i) out += ':';
        operand(*e.args[i], or_s);
      }
      break;
    case ExprKind::unary:
      out += to_string(e.op);
      if (e.op == Op::not_) out += ' ';
      operand(*e.args[0], e.op == Op::not_ ? relation : product);
      break;
    case ExprKind::binary:
      binary(e);
      break;
    case ExprKind::if_:
      for (uint32_t i = 0; i + 1 < e.args.size(); i += 2) {
        out += i ? " elseif " : "if ";
        expression(*e.args[i]);
        out += " then ";
        expression(*e.args[i + 1]);
      }
      out += " else ";
      expression(*e.args.back());
      break;
    case ExprKind::subscript:
      out += '(';
      expression(*e.args[0]);
      out += ')';
      subscripts({e.args.data + 1, e.args.size() - 1});
      break;
  }
}

std::string print(const Expr& expression) {
  Printer printer;
  printer.expression(expression);
  return std::move(printer.out);
}

}  // namespace couplet::modelica
