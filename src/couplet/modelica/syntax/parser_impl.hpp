// The recursive-descent parser, shared by parse_expression.cpp, parse_equation.cpp,
// parse_class.cpp. Functions are named after the rules of the grammar in appendix A.2.
#pragma once

#include "couplet/modelica/syntax/lexer.hpp"
#include "couplet/modelica/syntax/parser.hpp"

namespace couplet::modelica {

struct SyntaxFault {};  // thrown after the report, caught where the parser can go on

class Parser {
 public:
  Parser(const Source& source, Arena& arena, base::Diagnostics& diagnostics, ParseOptions options,
         Range part = {0, UINT32_MAX})
      : source_(source),
        arena_(arena),
        diagnostics_(diagnostics),
        options_(options),
        lexemes_(tokenize(source, diagnostics, part)) {}

  ast::StoredDefinition stored_definition();
  const ast::Modification* annotation_content();
  const ast::Expr* whole_expression();

 private:
  // -- tokens
  Token token() const { return lexemes_[at_].token; }
  Token ahead(size_t n) const { return lexemes_[std::min(at_ + n, lexemes_.size() - 1)].token; }
  Range range() const { return lexemes_[at_].range; }
  Range since(uint32_t begin) const { return {begin, at_ ? lexemes_[at_ - 1].range.end : 0}; }
  std::string_view text() const { return source_.slice(range()); }
  void advance() {
    if (token() != Token::end_of_file) ++at_;
  }
  bool accept(Token t);
  void expect(Token t, const char* after);
  Symbol name(const char* of_what);
  [[noreturn]] void fail(std::string what, std::string fix = {});
  void warn(std::string what, std::string fix);
  void recover(size_t begin);  // to after the next ';', or to a word that starts something new
  struct Nest;                 // counts nesting; fails when it is too deep

  // -- expressions
  ast::Expr* make(ast::ExprKind kind, uint32_t begin);
  ast::Expr* finish(ast::Expr* e);  // sets range and height
  const ast::Expr* expression();
  const ast::Expr* simple_expression();
  const ast::Expr* binary(int level);
  const ast::Expr* signed_term(int level);
  const ast::Expr* primary();
  const ast::Expr* literal();
  const ast::Expr* ref_or_call();
  const ast::Expr* parenthesized();
  const ast::Expr* array_constructor();
  const ast::Expr* matrix();
  const ast::Expr* if_expression();
  const ast::Expr* argument_value();
  void call_arguments(ast::Expr& call);
  Slice<ast::Iterator> for_indices();
  Slice<const ast::Expr*> array_subscripts();
  Slice<const ast::Expr*> optional_subscripts();
  Slice<ast::RefPart> component_reference();
  ast::Name type_specifier();

  // -- equations and statements
  Slice<ast::Section> sections();
  bool at_section() const;
  ast::Section section();
  Slice<const ast::Equation*> body(bool algorithm);
  const ast::Equation* equation(bool algorithm);
  void simple_equation(ast::Equation& e, bool algorithm);
  void branches(ast::Equation& e, bool algorithm, Token again, Token end);
  void loop(ast::Equation& e, bool algorithm);

  // -- classes
  const ast::ClassDef* class_definition();
  void class_prefixes(ast::ClassDef& c);
  void class_specifier(ast::ClassDef& c);
  void long_class(ast::ClassDef& c);
  void short_class(ast::ClassDef& c);
  void enumeration(ast::ClassDef& c);
  void derivative_class(ast::ClassDef& c);
  void composition(ast::ClassDef& c);
  const ast::External* external();
  void element(std::vector<const ast::Element*>& into, bool is_protected);
  ast::Element import_clause();
  ast::Element extends_clause();
  ast::Prefixes element_prefixes();
  bool at_class() const;
  void component_clause(std::vector<const ast::Element*>& into, ast::Element shared, bool single);
  const ast::Component* declaration(const ast::Component& shared, bool single);
  void type_prefix(ast::Component& c);
  const ast::Constraint* constraint();
  ast::Comment comment();
  std::string_view string_comment();
  const ast::Annotation* annotation();
  const ast::Modification* modification();
  const ast::Modification* class_modification();
  ast::Modifier modifier();

  const Source& source_;
  Arena& arena_;
  base::Diagnostics& diagnostics_;
  ParseOptions options_;
  std::vector<Lexeme> lexemes_;
  size_t at_ = 0;
  int nesting_ = 0;
};

struct Parser::Nest {
  explicit Nest(Parser& p) : parser(p) {
    if (++p.nesting_ <= max_nesting) return;
    --p.nesting_;
    p.fail("this is nested too deeply", "give parts of it a name of their own");
  }
  ~Nest() { --parser.nesting_; }
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;
  Parser& parser;
};

}  // namespace couplet::modelica
