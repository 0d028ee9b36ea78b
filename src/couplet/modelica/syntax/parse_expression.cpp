// Expressions. [Modelica 3.6, appendix A.2.7]
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/parser_impl.hpp"

namespace couplet::modelica {

using ast::Expr;
using ast::ExprKind;
using ast::Op;

namespace {

// Binding strength of binary operators; left-associative unless said otherwise.
enum Level { lowest = 1, or_level = 1, and_level, not_level, relation, sum, product, power };

struct BinaryOp {
  Op op = Op::none;
  int level = 0;
};

BinaryOp binary_op(Token token) {
  switch (token) {
    case Token::kw_or:
      return {Op::or_, or_level};
    case Token::kw_and:
      return {Op::and_, and_level};
    case Token::less:
      return {Op::less, relation};
    case Token::less_equal:
      return {Op::less_equal, relation};
    case Token::greater:
      return {Op::greater, relation};
    case Token::greater_equal:
      return {Op::greater_equal, relation};
    case Token::equal_equal:
      return {Op::equal, relation};
    case Token::not_equal:
      return {Op::not_equal, relation};
    case Token::plus:
      return {Op::add, sum};
    case Token::minus:
      return {Op::sub, sum};
    case Token::dot_plus:
      return {Op::el_add, sum};
    case Token::dot_minus:
      return {Op::el_sub, sum};
    case Token::times:
      return {Op::mul, product};
    case Token::divide:
      return {Op::div, product};
    case Token::dot_times:
      return {Op::el_mul, product};
    case Token::dot_divide:
      return {Op::el_div, product};
    case Token::power:
      return {Op::pow, power};
    case Token::dot_power:
      return {Op::el_pow, power};
    default:
      return {};
  }
}

Op sign(Token token) {
  switch (token) {
    case Token::plus:
      return Op::plus;
    case Token::minus:
      return Op::minus;
    case Token::dot_plus:
      return Op::el_plus;
    case Token::dot_minus:
      return Op::el_minus;
    default:
      return Op::none;
  }
}

}  // namespace

Expr* Parser::make(ExprKind kind, uint32_t begin) {
  Expr* e = arena_.make<Expr>({.kind = kind});
  e->range.begin = begin;
  return e;
}

Expr* Parser::finish(Expr* e) {
  e->range = since(e->range.begin);
  int height = 0;
  const auto look = [&](const Expr* child) {
    if (child) height = std::max<int>(height, child->depth);
  };
  for (const Expr* a : e->args) look(a);
  for (const ast::Argument& a : e->arguments) look(a.value);
  for (const ast::Iterator& i : e->iterators) look(i.range);
  for (const ast::RefPart& p : e->parts)
    for (const Expr* s : p.subscripts) look(s);
  if (height >= max_tree_height)
    fail("this expression is too long", "split it and give the parts a name");
  e->depth = static_cast<uint16_t>(height + 1);
  return e;
}

const Expr* Parser::whole_expression() {
  try {
    const Expr* e = expression();
    if (token() != Token::end_of_file) fail("the expression should end here");
    return e;
  } catch (const SyntaxFault&) {
    return nullptr;
  }
}

const Expr* Parser::expression() {
  const Nest nest(*this);
  return token() == Token::kw_if ? if_expression() : simple_expression();
}

const Expr* Parser::if_expression() {
  Expr* e = make(ExprKind::if_, range().begin);
  std::vector<const Expr*> args;
  do {
    advance();  // if, elseif
    args.push_back(expression());
    expect(Token::kw_then, "the condition");
    args.push_back(expression());
  } while (token() == Token::kw_elseif);
  expect(Token::kw_else, "the value of 'if': an if expression needs a value for every case");
  args.push_back(expression());
  e->args = arena_.copy(args);
  return finish(e);
}

const Expr* Parser::simple_expression() {
  const uint32_t begin = range().begin;
  const Expr* first = binary(lowest);
  if (token() != Token::colon) return first;
  std::vector<const Expr*> args = {first};
  while (args.size() < 3 && accept(Token::colon)) args.push_back(binary(lowest));
  Expr* e = make(ExprKind::range, begin);
  e->args = arena_.copy(args);
  return finish(e);
}

const Expr* Parser::binary(int level) {
  const uint32_t begin = range().begin;
  const Expr* left = nullptr;
  if (level <= not_level && token() == Token::kw_not) {
    const Nest nest(*this);
    advance();
    Expr* e = make(ExprKind::unary, begin);
    e->op = Op::not_;
    e->args = arena_.copy<const Expr*>({binary(relation)});
    left = finish(e);
  } else {
    left = signed_term(level);
  }
  for (BinaryOp next = binary_op(token()); next.level >= level; next = binary_op(token())) {
    advance();
    Expr* e = make(ExprKind::binary, begin);
    e->op = next.op;
    e->args = arena_.copy<const Expr*>({left, binary(next.level + 1)});
    left = finish(e);
    // Relations and powers do not chain: a < b < c, a^b^c.
    const bool chains = next.level != relation && next.level != power;
    if (!chains && binary_op(token()).level == next.level)
      fail(fmt::format("{} cannot follow another operator of its kind", describe(token())),
           "use parentheses to say which comes first");
  }
  return left;
}

// [+|-] term: the sign binds less than '*', more than a following '+'.
const Expr* Parser::signed_term(int level) {
  const Op op = sign(token());
  if (op == Op::none) return primary();
  if (level > sum)
    fail(fmt::format("{} cannot stand directly after another operator", describe(token())),
         "put the signed operand in parentheses");
  Expr* e = make(ExprKind::unary, range().begin);
  advance();
  e->op = op;
  e->args = arena_.copy<const Expr*>({binary(product)});
  return finish(e);
}

const Expr* Parser::primary() {
  switch (token()) {
    case Token::integer:
    case Token::real:
    case Token::string:
    case Token::kw_true:
    case Token::kw_false:
      return literal();
    case Token::kw_end: {
      Expr* e = make(ExprKind::end, range().begin);
      advance();
      return finish(e);
    }
    case Token::name:
    case Token::dot:
    case Token::kw_der:
    case Token::kw_initial:
    case Token::kw_pure:
      return ref_or_call();
    case Token::lparen:
      return parenthesized();
    case Token::lbrace:
      return array_constructor();
    case Token::lbracket:
      return matrix();
    default:
      fail(fmt::format("expected an expression, found {}", describe(token())));
  }
}

const Expr* Parser::literal() {
  const uint32_t begin = range().begin;
  const Token t = token();
  Expr* e = nullptr;
  if (t == Token::string) {
    e = make(ExprKind::string, begin);
    e->text = text().substr(1, text().size() < 2 ? 0 : text().size() - 2);
  } else if (t == Token::integer || t == Token::real) {
    e = make(t == Token::integer ? ExprKind::integer : ExprKind::real, begin);
    const auto value = base::parse_double(text());
    if (!value) fail(fmt::format("{} does not fit into a Real", base::quoted(text())));
    e->number = *value;
    if (t == Token::integer && e->number > 2147483647.0) e->kind = ExprKind::real;
  } else {
    e = make(ExprKind::boolean, begin);
    e->truth = t == Token::kw_true;
  }
  advance();
  return finish(e);
}

const Expr* Parser::ref_or_call() {
  const uint32_t begin = range().begin;
  Expr* e = make(ExprKind::ref, begin);
  if (token() == Token::kw_der || token() == Token::kw_initial || token() == Token::kw_pure) {
    e->parts = arena_.copy<ast::RefPart>({{Symbol(text()), {}, range()}});
    advance();
    if (token() != Token::lparen) fail("expected '(' here");
  } else {
    e->global = accept(Token::dot);
    e->parts = component_reference();
  }
  if (token() == Token::lparen) {
    e->kind = ExprKind::call;
    call_arguments(*e);
  }
  return finish(e);
}

Slice<ast::RefPart> Parser::component_reference() {
  std::vector<ast::RefPart> parts;
  do {
    const uint32_t begin = range().begin;
    ast::RefPart part;
    part.name = name("a name");
    part.subscripts = optional_subscripts();
    part.range = since(begin);
    parts.push_back(part);
  } while (accept(Token::dot));
  return arena_.copy(parts);
}

ast::Name Parser::type_specifier() {
  const uint32_t begin = range().begin;
  ast::Name result;
  result.global = accept(Token::dot);
  std::vector<ast::RefPart> parts;
  do {
    const Range at = range();
    parts.push_back({name("the name of a class"), {}, at});
  } while (token() == Token::dot && ahead(1) == Token::name && accept(Token::dot));
  result.parts = arena_.copy(parts);
  result.range = since(begin);
  return result;
}

void Parser::call_arguments(Expr& call) {
  expect(Token::lparen, "the function");
  std::vector<ast::Argument> arguments;
  if (token() != Token::rparen) do {
      if (token() == Token::name && ahead(1) == Token::equal) {
        const Symbol argument = name("an argument");
        advance();
        arguments.push_back({argument, argument_value()});
      } else {
        arguments.push_back({Symbol(), argument_value()});
      }
      if (arguments.size() == 1 && token() == Token::kw_for) {
        advance();
        call.iterators = for_indices();
        break;
      }
    } while (accept(Token::comma));
  expect(Token::rparen, "the arguments");
  call.arguments = arena_.copy(arguments);
}

const Expr* Parser::argument_value() {
  if (token() != Token::kw_function) return expression();
  const Nest nest(*this);
  Expr* e = make(ExprKind::partial, range().begin);
  advance();
  const ast::Name function = type_specifier();
  e->global = function.global;
  e->parts = function.parts;
  call_arguments(*e);
  return finish(e);
}

Slice<ast::Iterator> Parser::for_indices() {
  std::vector<ast::Iterator> indices;
  do {
    const Symbol index = name("an iteration variable");
    indices.push_back({index, accept(Token::kw_in) ? expression() : nullptr});
  } while (accept(Token::comma));
  return arena_.copy(indices);
}

Slice<const Expr*> Parser::array_subscripts() {
  expect(Token::lbracket, "the name");
  std::vector<const Expr*> subscripts;
  do {
    if (token() == Token::colon && (ahead(1) == Token::comma || ahead(1) == Token::rbracket)) {
      Expr* e = make(ExprKind::colon, range().begin);
      advance();
      subscripts.push_back(finish(e));
    } else {
      subscripts.push_back(expression());
    }
  } while (accept(Token::comma));
  expect(Token::rbracket, "the subscripts");
  return arena_.copy(subscripts);
}

Slice<const Expr*> Parser::optional_subscripts() {
  return token() == Token::lbracket ? array_subscripts() : Slice<const Expr*>{};
}

const Expr* Parser::parenthesized() {
  const uint32_t begin = range().begin;
  advance();
  std::vector<const Expr*> items;
  bool is_tuple = false;
  while (true) {
    const bool empty = token() == Token::comma || token() == Token::rparen;
    items.push_back(empty ? nullptr : expression());
    if (!accept(Token::comma)) break;
    is_tuple = true;
  }
  expect(Token::rparen, "the expression");
  if (!is_tuple && items[0] && token() != Token::lbracket) return items[0];
  Expr* e = make(is_tuple || !items[0] ? ExprKind::tuple : ExprKind::subscript, begin);
  if (items.size() == 1 && !items[0]) items.clear();
  if (e->kind == ExprKind::subscript)
    for (const Expr* s : array_subscripts()) items.push_back(s);
  e->args = arena_.copy(items);
  return finish(e);
}

const Expr* Parser::array_constructor() {
  Expr* e = make(ExprKind::array, range().begin);
  advance();
  std::vector<const Expr*> items;
  if (token() != Token::rbrace) do {
      items.push_back(argument_value());
      if (items.size() == 1 && token() == Token::kw_for) {
        advance();
        e->iterators = for_indices();
        break;
      }
    } while (accept(Token::comma));
  expect(Token::rbrace, "the elements");
  e->args = arena_.copy(items);
  return finish(e);
}

const Expr* Parser::matrix() {
  Expr* e = make(ExprKind::matrix, range().begin);
  advance();
  std::vector<const Expr*> rows;
  do {
    Expr* row = make(ExprKind::row, range().begin);
    std::vector<const Expr*> items;
    do items.push_back(expression());
    while (accept(Token::comma));
    row->args = arena_.copy(items);
    rows.push_back(finish(row));
  } while (accept(Token::semicolon));
  expect(Token::rbracket, "the matrix");
  e->args = arena_.copy(rows);
  return finish(e);
}

}  // namespace couplet::modelica
