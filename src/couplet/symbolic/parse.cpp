#include "couplet/symbolic/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <vector>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/lexer.hpp"

namespace couplet::symbolic {
namespace {

using Kind = Token::Kind;

struct BinaryOperator {
  std::string_view sign;
  int precedence;  // higher binds tighter; all of them group to the left
  Expr (*build)(const Expr&, const Expr&);
};
constexpr int comparison = 4;
constexpr std::array binary_operators{
    BinaryOperator{"or", 1, logical_or},
    BinaryOperator{"and", 2, logical_and},
    BinaryOperator{"<", comparison, less},
    BinaryOperator{"<=", comparison, less_equal},
    BinaryOperator{">", comparison, greater},
    BinaryOperator{">=", comparison, greater_equal},
    BinaryOperator{"==", comparison, equal},
    BinaryOperator{"!=", comparison, not_equal},
    BinaryOperator{"+", 5, [](const Expr& a, const Expr& b) { return a + b; }},
    BinaryOperator{"-", 5, [](const Expr& a, const Expr& b) { return a - b; }},
    BinaryOperator{"*", 6, [](const Expr& a, const Expr& b) { return a * b; }},
    BinaryOperator{"/", 6, [](const Expr& a, const Expr& b) { return a / b; }},
};

class Parser {
 public:
  Parser(std::string_view text, const base::SourceLocation& where) : lexer_(text, where) { take(); }

  Expr parse_all() {
    if (token_.kind == Kind::end)
      fail_here("the expression is empty", "write a number, a name or a formula");
    Expr result = parse_expression();
    if (token_.kind != Kind::end) fail_operator();
    return result;
  }

 private:
  Expr parse_expression() { return token_.is("if") ? parse_if() : parse_binary(1); }

  Expr parse_if() {
    const Level level(*this);
    take();
    const Expr condition = parse_expression();
    expect("then", "write if condition then value else value");
    const Expr a = parse_expression();
    expect("else", "write if condition then value else value; both values are needed");
    return select(condition, a, parse_expression());
  }

  Expr parse_binary(int min_precedence) {
    Expr result = parse_unary();
    while (const BinaryOperator* op = find_operator()) {
      if (op->precedence < min_precedence) break;
      take();
      result = op->build(result, parse_binary(op->precedence + 1));
      const BinaryOperator* next = find_operator();
      if (op->precedence == comparison && next && next->precedence == comparison)
        fail_here("comparisons cannot be chained", "write a < b and b < c");
    }
    return result;
  }

  Expr parse_unary() {
    const Level level(*this);
    if (token_.is("not")) {
      take();
      return logical_not(parse_binary(comparison));
    }
    if (token_.is("-") || token_.is("+")) {
      const bool is_minus = token_.is("-");
      take();
      const Expr operand = parse_unary();
      return is_minus ? -operand : operand;
    }
    const Expr base = parse_operand();
    if (!token_.is("^")) return base;
    take();
    return pow(base, parse_unary());
  }

  Expr parse_operand() {
    const Token first = token_;
    if (first.kind == Kind::number) return take(), Expr(first.number);
    if (first.kind == Kind::name) {
      take();
      return token_.is("(") ? parse_call(first) : Expr::symbol(first.name);
    }
    if (first.is("pi")) return take(), Expr(std::numbers::pi);
    if (first.is("true") || first.is("false")) return take(), Expr(first.is("true"));
    if (first.is("(")) {
      take();
      Expr inside = parse_expression();
      close(first);
      return inside;
    }
    if (first.is("if"))
      fail_here("an 'if' inside a formula needs parentheses", "write (if c then a else b)");
    fail_here(fmt::format("expected a number, a name or '(', found {}", first.str()),
              first.kind == Kind::end ? "complete the expression" : "write an operand here");
  }

  Expr parse_call(const Token& function) {
    const auto known = find_function(function.text);
    if (!known)
      fail(function, fmt::format("there is no function {}", base::quoted(function.text)),
           base::suggest(function.text, function_names()));
    const Token opening = token_;
    take();
    std::vector<Expr> args;
    if (!token_.is(")")) {
      args.push_back(parse_expression());
      while (token_.is(",")) {
        take();
        args.push_back(parse_expression());
      }
    }
    close(opening);
    const int count = static_cast<int>(args.size());
    if (count != known->arity)
      fail(function,
           fmt::format("{} takes {} argument{}, but has {}", known->name, known->arity,
                       known->arity == 1 ? "" : "s", count),
           known->arity == 1 ? fmt::format("write {}(x)", known->name)
                             : fmt::format("write {}(a, b)", known->name));
    return make(known->op, args[0], count > 1 ? args[1] : Expr());
  }

  const BinaryOperator* find_operator() const {
    if (token_.kind != Kind::sign && token_.kind != Kind::keyword) return nullptr;
    for (const BinaryOperator& op : binary_operators)
      if (token_.text == op.sign) return &op;
    return nullptr;
  }

  void take() { token_ = lexer_.next(); }

  void expect(std::string_view word, const char* fix) {
    if (!token_.is(word))
      fail_here(fmt::format("expected '{}', found {}", word, token_.str()), fix);
    take();
  }

  void close(const Token& opening) {
    if (token_.is(")")) return take();
    if (token_.kind == Kind::end) fail(opening, "this '(' is not closed", "add a ')'");
    fail_operator();
  }

  [[noreturn]] void fail_operator() const {
    std::string fix = "remove it, or write an operator in front of it";
    if (token_.is(")")) fix = "remove it, or open a '(' in front";
    if (token_.is("then") || token_.is("else")) fix = "write if condition then value else value";
    if (token_.is(",")) fix = "remove it; decimals are written with a dot";
    if (token_.kind == Kind::name || token_.kind == Kind::number || token_.is("("))
      fix = fmt::format("write '*' in front of it to multiply");
    fail_here(fmt::format("expected an operator, found {}", token_.str()), fix);
  }
  [[noreturn]] void fail_here(std::string what, std::string fix) const {
    fail(token_, std::move(what), std::move(fix));
  }
  [[noreturn]] void fail(const Token& at, std::string what, std::string fix) const {
    lexer_.fail(at.text.data(), std::move(what), std::move(fix));
  }

  struct Level {  // every way to nest passes through one of these
    explicit Level(Parser& p) : parser(p) {
      if (++parser.nesting_ > max_nesting)
        parser.fail_here(
            fmt::format("the expression is nested more than {} levels deep", max_nesting),
            "split it, or remove parentheses");
    }
    ~Level() { --parser.nesting_; }
    Parser& parser;
  };

  Lexer lexer_;
  Token token_;
  int nesting_ = 0;
};

}  // namespace

Expr parse(std::string_view text, const base::SourceLocation& where) {
  if (text.size() > max_text_length)
    throw base::UserError(where,
                          fmt::format("the expression is {} bytes long; at most {} are read",
                                      text.size(), max_text_length),
                          "split it, or compute it in a program");
  return Parser(text, where).parse_all();
}

}  // namespace couplet::symbolic
