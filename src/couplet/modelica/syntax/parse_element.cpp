// Elements of classes and modifications. [Modelica 3.6, appendix A.2.2 to A.2.5]
#include <fmt/format.h>

#include "couplet/modelica/syntax/parser_impl.hpp"

namespace couplet::modelica {

using ast::Element;
using ast::ElementKind;

void Parser::element(std::vector<const Element*>& into, bool is_protected) {
  const uint32_t begin = range().begin;
  Element e{.kind = ElementKind::component};
  if (token() == Token::kw_import) {
    e = import_clause();
  } else if (token() == Token::kw_extends) {
    e = extends_clause();
  } else {
    e.prefixes = element_prefixes();
    e.prefixes.is_protected = is_protected;
    if (!at_class()) return component_clause(into, e, false);
    e.kind = ElementKind::class_;
    e.class_def = class_definition();
    // model extends M; what it extends is inherited, and replaced. [section 7.3.1]
    if (e.class_def->body == ast::Body::extending) e.prefixes.redeclare = true;
    if (token() == Token::kw_constrainedby) {
      e.constraint = constraint();
      e.comment = comment();
    }
  }
  e.prefixes.is_protected = is_protected;
  e.range = since(begin);
  into.push_back(arena_.make(e));
}

ast::Prefixes Parser::element_prefixes() {
  ast::Prefixes p;
  p.redeclare = accept(Token::kw_redeclare);
  p.final = accept(Token::kw_final);
  p.inner = accept(Token::kw_inner);
  p.outer = accept(Token::kw_outer);
  p.replaceable = accept(Token::kw_replaceable);
  return p;
}

Element Parser::import_clause() {
  Element e{.kind = ElementKind::import_};
  advance();
  if (token() == Token::name && ahead(1) == Token::equal) {
    e.import.alias = name("an alias");
    advance();
  }
  e.import.name = type_specifier();
  if (accept(Token::dot_times)) {
    e.import.all = true;
  } else if (accept(Token::dot)) {
    if (accept(Token::times)) {
      e.import.all = true;
    } else {
      expect(Token::lbrace, "'.'");
      std::vector<Symbol> several;
      do several.push_back(name("the name of a class"));
      while (accept(Token::comma));
      expect(Token::rbrace, "the names");
      e.import.several = arena_.copy(several);
    }
  }
  e.comment = comment();
  return e;
}

Element Parser::extends_clause() {
  Element e{.kind = ElementKind::extends};
  advance();
  e.base = type_specifier();
  if (token() == Token::lparen) e.modification = class_modification();
  if (token() == Token::kw_annotation) e.comment.annotation = annotation();
  return e;
}

void Parser::type_prefix(ast::Component& c) {
  if (accept(Token::kw_flow))
    c.flow = ast::Flow::flow;
  else if (accept(Token::kw_stream))
    c.flow = ast::Flow::stream;
  if (accept(Token::kw_discrete))
    c.variability = ast::Variability::discrete;
  else if (accept(Token::kw_parameter))
    c.variability = ast::Variability::parameter;
  else if (accept(Token::kw_constant))
    c.variability = ast::Variability::constant;
  if (accept(Token::kw_input))
    c.direction = ast::Direction::input;
  else if (accept(Token::kw_output))
    c.direction = ast::Direction::output;
}

void Parser::component_clause(std::vector<const Element*>& into, Element shared, bool single) {
  const uint32_t begin = range().begin;
  ast::Component c;
  type_prefix(c);
  if (token() != Token::name && token() != Token::dot)
    fail(fmt::format("expected a declaration, found {}", describe(token())));
  c.type = type_specifier();
  c.type_dims = optional_subscripts();
  std::vector<const ast::Component*> components;
  do components.push_back(declaration(c, single));
  while (!single && accept(Token::comma));
  const bool old = token() == Token::kw_extends;
  if (old) warn("'extends' behind a declaration is Modelica 1", "write 'constrainedby'");
  if (old || token() == Token::kw_constrainedby) {
    shared.constraint = constraint();
    if (!single) shared.comment = comment();
  }
  shared.range = since(begin);
  for (const ast::Component* one : components) {
    shared.component = one;
    into.push_back(arena_.make(shared));
  }
}

const ast::Component* Parser::declaration(const ast::Component& shared, bool single) {
  ast::Component c = shared;
  c.range = range();
  c.name = name("the name of the component");
  c.dims = optional_subscripts();
  if (token() == Token::lparen || token() == Token::equal || token() == Token::assign)
    c.modification = modification();
  if (!single && accept(Token::kw_if)) c.condition = expression();
  c.comment = comment();
  return arena_.make(c);
}

const ast::Constraint* Parser::constraint() {
  advance();
  ast::Constraint c;
  c.type = type_specifier();
  if (token() == Token::lparen) c.modification = class_modification();
  return arena_.make(c);
}

ast::Comment Parser::comment() {
  ast::Comment c;
  c.text = string_comment();
  if (token() == Token::kw_annotation) c.annotation = annotation();
  return c;
}

std::string_view Parser::string_comment() {
  if (token() != Token::string) return {};
  const uint32_t begin = range().begin;
  advance();
  while (token() == Token::plus && ahead(1) == Token::string) {
    advance();
    advance();
  }
  return source_.slice(since(begin));
}

const ast::Annotation* Parser::annotation() {
  ast::Annotation a;
  const uint32_t begin = range().begin;
  advance();
  if (options_.annotations) {
    a.content = class_modification();
  } else {
    if (token() != Token::lparen) fail("expected '(' after annotation");
    int open = 0;
    do {
      if (token() == Token::lparen) ++open;
      if (token() == Token::rparen) --open;
      if (token() == Token::end_of_file) fail("this annotation is never closed", "end it with ')'");
      advance();
    } while (open > 0);
  }
  a.range = since(begin);
  return arena_.make(a);
}

const ast::Modification* Parser::annotation_content() {
  try {
    expect(Token::kw_annotation, "the declaration");
    return class_modification();
  } catch (const SyntaxFault&) {
    return nullptr;
  }
}

const ast::Modification* parse_annotation(const Source& source, Range range, Arena& arena,
                                          base::Diagnostics& diagnostics) {
  return Parser(source, arena, diagnostics, {.annotations = true}, range).annotation_content();
}

const ast::Modification* Parser::modification() {
  const uint32_t begin = range().begin;
  ast::Modification m;
  if (token() == Token::lparen) m = *class_modification();
  if (token() == Token::equal || token() == Token::assign) {
    advance();
    if (accept(Token::kw_break))
      m.removes = true;
    else
      m.value = argument_value();
  }
  m.range = since(begin);
  return arena_.make(m);
}

const ast::Modification* Parser::class_modification() {
  const Nest nest(*this);
  const uint32_t begin = range().begin;
  expect(Token::lparen, "the name");
  ast::Modification m;
  m.has_parentheses = true;
  std::vector<ast::Modifier> modifiers;
  if (token() != Token::rparen) do
      modifiers.push_back(modifier());
    while (accept(Token::comma));
  expect(Token::rparen, "the modification");
  m.modifiers = arena_.copy(modifiers);
  m.range = since(begin);
  return arena_.make(m);
}

ast::Modifier Parser::modifier() {
  const uint32_t begin = range().begin;
  ast::Modifier m;
  if (accept(Token::kw_break)) {
    m.breaks = true;
    if (token() == Token::kw_connect)
      m.broken = equation(false);
    else
      m.path = component_reference();
    m.range = since(begin);
    return m;
  }
  const bool redeclare = accept(Token::kw_redeclare);
  m.each = accept(Token::kw_each);
  m.final = accept(Token::kw_final);
  if (redeclare || token() == Token::kw_replaceable) {
    Element e{.kind = ElementKind::component};
    e.prefixes.redeclare = redeclare;
    e.prefixes.final = m.final;
    e.prefixes.replaceable = accept(Token::kw_replaceable);
    if (at_class()) {
      e.kind = ElementKind::class_;
      e.class_def = class_definition();
      if (token() == Token::kw_constrainedby) e.constraint = constraint();
      e.range = since(begin);
      m.element = arena_.make(e);
    } else {
      std::vector<const Element*> one;
      component_clause(one, e, true);
      m.element = one[0];
    }
  } else {
    m.path = component_reference();
    if (token() == Token::lparen || token() == Token::equal || token() == Token::assign)
      m.value = modification();
    m.comment = string_comment();
  }
  m.range = since(begin);
  return m;
}

}  // namespace couplet::modelica
