#include "couplet/symbolic/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <optional>
#include <vector>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/lexer.hpp"
#include "couplet/symbolic/table.hpp"

namespace couplet::symbolic {
namespace {

using Kind = Token::Kind;

struct BinaryOperator {
  std::string_view sign;
  int precedence;  // higher binds tighter; all of them group to the left
  Expr (*build)(const Expr&, const Expr&);
};
constexpr int comparing = 4;
constexpr std::array binary_operators{
    BinaryOperator{"or", 1, logical_or},
    BinaryOperator{"and", 2, logical_and},
    BinaryOperator{"<", comparing, less},
    BinaryOperator{"<=", comparing, less_equal},
    BinaryOperator{">", comparing, greater},
    BinaryOperator{">=", comparing, greater_equal},
    BinaryOperator{"==", comparing, equal},
    BinaryOperator{"!=", comparing, not_equal},
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
      if (op->precedence == comparing) check_not_chained();
    }
    return result;
  }

  void check_not_chained() const {
    const BinaryOperator* next = find_operator();
    if (next && next->precedence == comparing)
      fail_here("comparisons cannot be chained", "write a < b and b < c");
  }

  Expr parse_unary() {
    const Level level(*this);
    if (token_.is("not")) {
      take();
      return logical_not(parse_binary(comparing));
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

  // The functions on the way down are kept small, and messages are made elsewhere: a thousand
  // levels must fit on the stack of a thread, also with a sanitizer's padding.
  Expr parse_operand() {
    if (token_.kind == Kind::number) return parse_constant(token_.number);
    if (token_.kind == Kind::name) return parse_name();
    if (token_.is("(")) return parse_parentheses();
    if (token_.is("pi")) return parse_constant(std::numbers::pi);
    if (token_.is("true")) return parse_constant(1);
    if (token_.is("false")) return parse_constant(0);
    fail_operand();
  }

  [[gnu::noinline]] Expr parse_constant(double value) {
    take();
    return value;
  }

  Expr parse_parentheses() {
    const char* const opening = token_.text.data();
    take();
    Expr inside = parse_expression();
    close(opening);
    return inside;
  }

  [[gnu::noinline]] Expr parse_name() {
    const std::string_view text = token_.text;
    Expr symbol = Expr::symbol(token_.name);
    take();
    return token_.is("(") ? parse_call(text) : symbol;
  }

  [[gnu::noinline]] Expr parse_call(std::string_view name) {
    const ExternalFunction* const external = find_external(name);
    std::optional<OpInfo> function = find_function(name);
    if (external)
      function = {external->arity == 1 ? Op::call1 : Op::call2,
                  external->table ? std::string_view(external->table->name) : name, external->arity,
                  true};
    const bool is_distance = !function && name == distance_name;
    if (is_distance) function = {Op::sqrt, name, 2, true};
    if (!function) fail_function(name);
    const char* const opening = token_.text.data();
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
    if (args.size() != static_cast<std::size_t>(function->arity))
      fail_arity(name, *function, args.size());
    if (is_distance) return make_distance(name, args[0], args[1]);
    args.resize(3);
    if (external) return call(*external, args[0], args[1]);
    return make(function->op, args[0], args[1], args[2]);
  }

  Expr make_distance(std::string_view at, const Expr& a, const Expr& b) const {
    if (!a.is_symbol() || !b.is_symbol())
      lexer_.fail(at.data(), "distance takes the names of two points",
                  "write distance(wheel.hub, world)");
    Expr squares = 0;
    for (const char* axis : {".position.x", ".position.y", ".position.z"})
      squares += pow(Expr::symbol(a.name() + axis) - Expr::symbol(b.name() + axis), 2);
    return sqrt(squares);
  }

  const BinaryOperator* find_operator() const {
    if (token_.kind != Kind::sign && token_.kind != Kind::keyword) return nullptr;
    for (const BinaryOperator& op : binary_operators)
      if (token_.text == op.sign) return &op;
    return nullptr;
  }

  [[gnu::noinline]] void take() { token_ = lexer_.next(); }

  void expect(std::string_view word, const char* fix) {
    if (!token_.is(word))
      fail_here(fmt::format("expected '{}', found {}", word, token_.str()), fix);
    take();
  }

  void close(const char* opening) {
    if (token_.is(")")) return take();
    if (token_.kind == Kind::end) lexer_.fail(opening, "this '(' is not closed", "add a ')'");
    fail_operator();
  }

  [[noreturn, gnu::noinline, gnu::cold]] void fail_operand() const {
    if (token_.is("if"))
      fail_here("an 'if' inside a formula needs parentheses", "write (if c then a else b)");
    fail_here(fmt::format("expected a number, a name or '(', found {}", token_.str()),
              token_.kind == Kind::end ? "complete the expression" : "write an operand here");
  }

  [[noreturn, gnu::noinline, gnu::cold]] void fail_operator() const {
    std::string fix = "remove it, or write an operator in front of it";
    if (token_.is(")")) fix = "remove it, or open a '(' in front";
    if (token_.is("then") || token_.is("else")) fix = "write if condition then value else value";
    if (token_.is(",")) fix = "remove it; decimals are written with a dot";
    if (token_.kind == Kind::name || token_.kind == Kind::number || token_.is("("))
      fix = "write '*' in front of it to multiply";
    fail_here(fmt::format("expected an operator, found {}", token_.str()), std::move(fix));
  }

  [[noreturn, gnu::noinline, gnu::cold]] void fail_function(std::string_view name) const {
    std::vector<std::string> names = function_names();
    for (std::string& added : external_names()) names.push_back(std::move(added));
    lexer_.fail(name.data(), fmt::format("there is no function {}", base::quoted(name)),
                base::suggest(name, names));
  }

  [[noreturn, gnu::noinline, gnu::cold]] void fail_arity(std::string_view at, const OpInfo& f,
                                                         std::size_t count) const {
    lexer_.fail(at.data(),
                fmt::format("{} takes {} argument{}, but has {}", f.name, f.arity,
                            f.arity == 1 ? "" : "s", count),
                fmt::format("write {}({})", f.name, f.arity == 1 ? "x" : "a, b"));
  }

  [[noreturn, gnu::noinline, gnu::cold]] void fail_nesting() const {
    fail_here(fmt::format("the expression is nested more than {} levels deep", max_nesting),
              "split it, or remove parentheses");
  }

  [[noreturn, gnu::noinline, gnu::cold]] void fail_here(std::string what, std::string fix) const {
    lexer_.fail(token_.text.data(), std::move(what), std::move(fix));
  }

  struct Level {  // every way to nest passes through one of these
    explicit Level(Parser& p) : parser(p) {
      if (++parser.nesting_ > max_nesting) parser.fail_nesting();
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
