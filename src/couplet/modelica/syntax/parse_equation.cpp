// Equations and statements. [Modelica 3.6, appendix A.2.6]
#include <fmt/format.h>

#include "couplet/modelica/syntax/parser_impl.hpp"

namespace couplet::modelica {

using ast::EqKind;
using ast::Equation;
using ast::ExprKind;

bool Parser::at_section() const {
  const Token t = token() == Token::kw_initial ? ahead(1) : token();
  return t == Token::kw_equation || t == Token::kw_algorithm;
}

ast::Section Parser::section() {
  ast::Section s;
  s.initial = accept(Token::kw_initial);
  s.algorithm = token() == Token::kw_algorithm;
  advance();
  s.body = body(s.algorithm);
  return s;
}

namespace {

bool ends_body(Token t) {
  switch (t) {
    case Token::kw_end:
    case Token::kw_else:
    case Token::kw_elseif:
    case Token::kw_elsewhen:
    case Token::kw_equation:
    case Token::kw_algorithm:
    case Token::kw_public:
    case Token::kw_protected:
    case Token::kw_external:
    case Token::kw_annotation:
    case Token::end_of_file:
      return true;
    default:
      return false;
  }
}

}  // namespace

Slice<const Equation*> Parser::body(bool algorithm) {
  std::vector<const Equation*> equations;
  while (!ends_body(token()) && !at_section() && !diagnostics_.full()) {
    const size_t begin = at_;
    try {
      equations.push_back(equation(algorithm));
      expect(Token::semicolon, algorithm ? "the statement" : "the equation");
    } catch (const SyntaxFault&) {
      recover(begin);
    }
  }
  return arena_.copy(equations);
}

const Equation* Parser::equation(bool algorithm) {
  const Nest nest(*this);
  Equation e{.kind = EqKind::call};
  const uint32_t begin = range().begin;
  switch (token()) {
    case Token::kw_if:
      branches(e, algorithm, Token::kw_elseif, Token::kw_if);
      break;
    case Token::kw_when:
      branches(e, algorithm, Token::kw_elsewhen, Token::kw_when);
      break;
    case Token::kw_for:
    case Token::kw_while:
      loop(e, algorithm);
      break;
    case Token::kw_break:
    case Token::kw_return:
      e.kind = token() == Token::kw_break ? EqKind::break_ : EqKind::return_;
      if (!algorithm) fail(fmt::format("{} belongs into an algorithm", describe(token())));
      advance();
      break;
    case Token::kw_connect:
      e.kind = EqKind::connect;
      if (algorithm) fail("'connect' belongs into an equation section");
      advance();
      expect(Token::lparen, "connect");
      e.left = expression();
      expect(Token::comma, "the first connector");
      e.right = expression();
      expect(Token::rparen, "the second connector");
      break;
    default:
      simple_equation(e, algorithm);
  }
  e.comment = comment();
  e.range = since(begin);
  return arena_.make(e);
}

void Parser::simple_equation(Equation& e, bool algorithm) {
  e.left = token() == Token::kw_if && !algorithm ? expression() : simple_expression();
  if (token() == Token::equal || token() == Token::assign) {
    e.kind = algorithm ? EqKind::assign : EqKind::equality;
    if (algorithm && token() == Token::equal) fail("a statement assigns with ':='", "write ':='");
    if (!algorithm && token() == Token::assign)
      fail("':=' assigns, and this is an equation",
           "write '=', or move it into an algorithm section");
    advance();
    e.right = expression();
  } else if (e.left->kind != ExprKind::call) {
    fail(fmt::format("expected {} here", algorithm ? "':='" : "'='"),
         algorithm ? "a statement is 'variable := value' or a call"
                   : "an equation is 'left = right', or a call such as assert(...)");
  }
}

// if/when ... elseif/elsewhen ... else ... end if/when
void Parser::branches(Equation& e, bool algorithm, Token again, Token end) {
  e.kind = end == Token::kw_if ? EqKind::if_ : EqKind::when;
  std::vector<ast::Branch> parts;
  do {
    advance();
    const ast::Expr* condition = expression();
    expect(Token::kw_then, "the condition");
    parts.push_back({condition, body(algorithm)});
  } while (token() == again);
  if (e.kind == EqKind::if_ && accept(Token::kw_else)) parts.push_back({nullptr, body(algorithm)});
  expect(Token::kw_end, "the equations");
  expect(end, "end");
  e.branches = arena_.copy(parts);
}

// for i in 1:3 loop ... end for;   while c loop ... end while
void Parser::loop(Equation& e, bool algorithm) {
  const Token kind = token();
  e.kind = kind == Token::kw_for ? EqKind::for_ : EqKind::while_;
  if (kind == Token::kw_while && !algorithm) fail("'while' belongs into an algorithm");
  advance();
  const ast::Expr* condition = nullptr;
  if (kind == Token::kw_for)
    e.iterators = for_indices();
  else
    condition = expression();
  expect(Token::kw_loop, "the head of the loop");
  e.branches = arena_.copy<ast::Branch>({{condition, body(algorithm)}});
  expect(Token::kw_end, "the body of the loop");
  expect(kind, "end");
}

}  // namespace couplet::modelica
