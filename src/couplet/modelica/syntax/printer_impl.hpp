// The printer, shared by print_expression.cpp and printer.cpp.
#pragma once

#include "couplet/modelica/syntax/printer.hpp"

namespace couplet::modelica {

struct Printer {
  std::string out;
  int indent = 0;

  void file(const ast::StoredDefinition& f);

  void expression(const ast::Expr& e);
  void operand(const ast::Expr& e, int least);
  void binary(const ast::Expr& e);
  void call(const ast::Expr& e);
  void comprehension(const ast::Expr& e);
  void list(Slice<const ast::Expr*> items, const char* separator);
  void ref(Slice<ast::RefPart> parts);
  void subscripts(Slice<const ast::Expr*> items);
  void iterators(Slice<ast::Iterator> items);

  void line();
  void name(const ast::Name& n);
  void class_definition(const ast::ClassDef& c);
  void composition(const ast::ClassDef& c);
  void shorthand(const ast::ClassDef& c);
  void element(const ast::Element& e, bool single);
  void prefixes(ast::Flow flow, ast::Variability variability, ast::Direction direction);
  void component(const ast::Component& c);
  void constraint(const ast::Element& e);
  void import(const ast::Import& i);
  void external(const ast::External& e);
  void section(const ast::Section& s);
  void body(Slice<const ast::Equation*> equations);
  void equation(const ast::Equation& e);
  void branches(const ast::Equation& e, const char* first, const char* again);
  void comment(const ast::Comment& c);
  void annotation(const ast::Annotation* a);
  void modification(const ast::Modification* m);
  void modifier(const ast::Modifier& m);
};

}  // namespace couplet::modelica
