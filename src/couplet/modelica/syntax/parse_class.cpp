// Stored definitions and classes. [Modelica 3.6, appendix A.2.1 to A.2.3]
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/parser_impl.hpp"

namespace couplet::modelica {

using ast::Body;
using ast::ClassDef;
using ast::ClassKind;

std::unique_ptr<ParsedFile> parse(std::string path, std::string text,
                                  base::Diagnostics& diagnostics, ParseOptions options) {
  auto file = std::make_unique<ParsedFile>();
  file->source = std::make_unique<Source>();
  file->source->path = std::move(path);
  file->source->text = std::move(text);
  Parser parser(*file->source, file->arena, diagnostics, options);
  file->tree = parser.stored_definition();
  return file;
}

std::unique_ptr<ParsedExpression> parse_expression(std::string path, std::string text,
                                                   base::Diagnostics& diagnostics) {
  auto result = std::make_unique<ParsedExpression>();
  result->source = std::make_unique<Source>();
  result->source->path = std::move(path);
  result->source->text = std::move(text);
  Parser parser(*result->source, result->arena, diagnostics, {});
  result->tree = parser.whole_expression();
  return result;
}

// ---- tokens
// --------------------------------------------------------------------------------------

bool Parser::accept(Token t) {
  if (token() != t) return false;
  advance();
  return true;
}

void Parser::expect(Token t, const char* after) {
  if (accept(t)) return;
  const std::string wanted = describe(t);
  std::string fix;
  if (t == Token::semicolon) fix = "is a ';' missing before this?";
  if (t == Token::rparen) fix = "is a ')' or ',' missing before this?";
  fail(fmt::format("expected {} after {}, found {}", wanted, after, describe(token())), fix);
}

Symbol Parser::name(const char* of_what) {
  if (token() == Token::name) {
    const Symbol symbol(text());
    advance();
    return symbol;
  }
  const bool keyword = token() >= Token::kw_algorithm;
  fail(fmt::format("expected {}, found {}", of_what, describe(token())),
       keyword ? fmt::format("{} is a keyword; choose another name", describe(token())) : "");
}

void Parser::fail(std::string what, std::string fix) {
  report(diagnostics_, source_, range(), std::move(what), std::move(fix));
  throw SyntaxFault();
}

void Parser::warn(std::string what, std::string fix) {
  diagnostics_.warning(source_.locate(range().begin), std::move(what), std::move(fix));
}

// Goes on after the next ';', or at a word that can only start or end a construct.
void Parser::recover(size_t begin) {
  if (at_ == begin) advance();  // whatever stands here was reported: never look at it again
  for (; token() != Token::end_of_file; advance()) {
    if (accept(Token::semicolon)) return;
    switch (token()) {
      case Token::kw_end:
      case Token::kw_equation:
      case Token::kw_algorithm:
      case Token::kw_public:
      case Token::kw_protected:
        return;
      default:
        break;
    }
  }
}

// ---- files and classes
// ---------------------------------------------------------------------------

ast::StoredDefinition Parser::stored_definition() {
  ast::StoredDefinition file;
  file.source = &source_;
  std::vector<ast::StoredDefinition::Entry> classes;
  while (token() != Token::end_of_file && !diagnostics_.full()) {
    const size_t begin = at_;
    try {
      if (token() == Token::kw_within && classes.empty() && !file.has_within) {
        advance();
        file.has_within = true;
        if (token() != Token::semicolon) file.within = type_specifier();
      } else {
        const bool final = accept(Token::kw_final);
        if (!at_class())
          fail(fmt::format("expected a class, found {}", describe(token())),
               "a file holds classes, for instance 'model M ... end M;'");
        classes.push_back({final, class_definition()});
      }
      expect(Token::semicolon, "the class");
    } catch (const SyntaxFault&) {
      recover(begin);
    }
  }
  file.classes = arena_.copy(classes);
  return file;
}

bool Parser::at_class() const {
  switch (token()) {
    case Token::kw_encapsulated:
    case Token::kw_partial:
    case Token::kw_class:
    case Token::kw_model:
    case Token::kw_operator:
    case Token::kw_record:
    case Token::kw_block:
    case Token::kw_expandable:
    case Token::kw_connector:
    case Token::kw_type:
    case Token::kw_package:
    case Token::kw_pure:
    case Token::kw_impure:
    case Token::kw_function:
      return true;
    default:
      return false;
  }
}

void Parser::class_prefixes(ClassDef& c) {
  c.encapsulated = accept(Token::kw_encapsulated);
  c.partial = accept(Token::kw_partial);
  c.pure = accept(Token::kw_pure);
  c.impure = !c.pure && accept(Token::kw_impure);
  const bool expandable = accept(Token::kw_expandable);
  const bool is_operator = accept(Token::kw_operator);
  switch (token()) {
    case Token::kw_class:
      c.kind = ClassKind::class_;
      break;
    case Token::kw_model:
      c.kind = ClassKind::model;
      break;
    case Token::kw_block:
      c.kind = ClassKind::block;
      break;
    case Token::kw_type:
      c.kind = ClassKind::type;
      break;
    case Token::kw_package:
      c.kind = ClassKind::package;
      break;
    case Token::kw_record:
      c.kind = is_operator ? ClassKind::operator_record : ClassKind::record;
      break;
    case Token::kw_connector:
      c.kind = expandable ? ClassKind::expandable_connector : ClassKind::connector;
      break;
    case Token::kw_function:
      c.kind = is_operator ? ClassKind::operator_function : ClassKind::function;
      break;
    default:
      if (!is_operator) fail(fmt::format("expected a kind of class, found {}", describe(token())));
      c.kind = ClassKind::operator_;
      return;
  }
  advance();
}

const ClassDef* Parser::class_definition() {
  const Nest nest(*this);
  ClassDef* c = arena_.make<ClassDef>();
  c->source = &source_;
  const uint32_t begin = range().begin;
  class_prefixes(*c);
  class_specifier(*c);
  c->range = since(begin);
  return c;
}

void Parser::class_specifier(ClassDef& c) {
  const bool extending = accept(Token::kw_extends);
  c.name_range = range();
  c.name = name("the name of the class");
  if (extending) {
    c.body = Body::extending;
    if (token() == Token::lparen) c.modification = class_modification();
  } else if (accept(Token::equal)) {
    return short_class(c);
  }
  long_class(c);
}

void Parser::long_class(ClassDef& c) {
  c.comment = string_comment();
  composition(c);
  const std::string closing =
      fmt::format("class {}: expected 'end {};', found {}", base::quoted(c.name.text()),
                  c.name.text(), describe(token()));
  if (!accept(Token::kw_end)) fail(closing, "is an 'end' missing, or one too many before this?");
  if (text() != c.name.text()) {
    const auto opened = source_.locate(c.name_range.begin);
    fail(fmt::format("class {}, opened at line {}, is closed by the name {}",
                     base::quoted(c.name.text()), opened.line, base::quoted(text())),
         fmt::format("write 'end {};'", c.name.text()));
  }
  advance();
}

void Parser::short_class(ClassDef& c) {
  if (token() == Token::kw_enumeration) return enumeration(c);
  if (token() == Token::kw_der) return derivative_class(c);
  c.body = Body::shorthand;
  ast::Component prefixes;
  type_prefix(prefixes);
  c.flow = prefixes.flow;
  c.variability = prefixes.variability;
  c.direction = prefixes.direction;
  c.base = type_specifier();
  c.dims = optional_subscripts();
  if (token() == Token::lparen) c.modification = class_modification();
  const ast::Comment trailing = comment();
  c.comment = trailing.text;
  c.annotation = trailing.annotation;
}

void Parser::enumeration(ClassDef& c) {
  c.body = Body::enumeration;
  advance();
  expect(Token::lparen, "enumeration");
  std::vector<ast::Literal> literals;
  if (accept(Token::colon)) {
    c.open_enumeration = true;
  } else if (token() != Token::rparen) {
    do {
      const Range at = range();
      const Symbol literal_name = name("the name of a literal");
      literals.push_back({literal_name, comment(), at});
    } while (accept(Token::comma));
  }
  expect(Token::rparen, "the literals");
  c.literals = arena_.copy(literals);
  const ast::Comment trailing = comment();
  c.comment = trailing.text;
  c.annotation = trailing.annotation;
}

void Parser::derivative_class(ClassDef& c) {
  c.body = Body::derivative;
  advance();
  expect(Token::lparen, "der");
  c.base = type_specifier();
  std::vector<Symbol> by;
  while (accept(Token::comma)) by.push_back(name("an input of the function"));
  expect(Token::rparen, "the inputs");
  c.by = arena_.copy(by);
  const ast::Comment trailing = comment();
  c.comment = trailing.text;
  c.annotation = trailing.annotation;
}

void Parser::composition(ClassDef& c) {
  std::vector<const ast::Element*> elements;
  std::vector<ast::Section> found;
  bool is_protected = false;
  while (token() != Token::kw_end && token() != Token::end_of_file && !diagnostics_.full()) {
    const size_t begin = at_;
    try {
      if (token() == Token::kw_public || token() == Token::kw_protected) {
        is_protected = token() == Token::kw_protected;
        advance();
      } else if (at_section()) {
        found.push_back(section());
      } else if (token() == Token::kw_external) {
        c.external = external();
      } else if (token() == Token::kw_annotation) {
        c.annotation = annotation();
        expect(Token::semicolon, "the annotation");
      } else {
        element(elements, is_protected);
        expect(Token::semicolon, "the declaration");
      }
    } catch (const SyntaxFault&) {
      recover(begin);
    }
  }
  c.elements = arena_.copy(elements);
  c.sections = arena_.copy(found);
}

const ast::External* Parser::external() {
  ast::External e;
  advance();
  if (token() == Token::string) {
    e.language = text();
    advance();
  }
  if (token() == Token::name || token() == Token::dot) {
    e.has_call = true;
    const ast::Expr* first = ref_or_call();
    if (accept(Token::equal)) {
      e.result = first;
      first = ref_or_call();
    }
    if (first->kind != ast::ExprKind::call || first->parts.size() != 1)
      fail("expected the call of an external function, such as f(x, y)");
    e.function = first->parts[0].name;
    std::vector<const ast::Expr*> arguments;
    for (const ast::Argument& a : first->arguments) arguments.push_back(a.value);
    e.arguments = arena_.copy(arguments);
  }
  if (token() == Token::kw_annotation) e.annotation = annotation();
  expect(Token::semicolon, "the external function");
  return arena_.make(e);
}

}  // namespace couplet::modelica
