// The syntax tree of Modelica 3.6 (appendix A.2). Nodes are plain data in an Arena; optional parts
// are null. Nothing is resolved here: names are names.
#pragma once

#include <string_view>

#include "couplet/modelica/syntax/arena.hpp"
#include "couplet/modelica/syntax/source.hpp"
#include "couplet/modelica/syntax/symbol.hpp"

namespace couplet::modelica::ast {

struct Expr;
struct Element;
struct ClassDef;
struct Equation;
struct Modification;

// ---- expressions -------------------------------------------------------------------------------

enum class ExprKind : uint8_t {
  integer,
  real,
  string,
  boolean,  // literals
  end,      // the last index, inside subscripts
  colon,    // ':' as a subscript or as an unknown size
  ref,      // a.b[1].c
  call,     // f(x, y = 2), f(x for i in 1:3)
  partial,  // function f(x = 2), as an argument
  array,    // {a, b}, {x for i in 1:3}
  matrix,   // [a, b; c, d]: args are rows
  row,      // one row of a matrix
  range,    // a:b or a:step:b
  unary,
  binary,
  if_,        // args: condition, value, condition, value, ..., else value
  tuple,      // (a, , b): args may be null
  subscript,  // (expression)[subscripts]: args[0], then subscripts
};

enum class Op : uint8_t {
  none,
  or_,
  and_,
  not_,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  add,
  sub,
  el_add,
  el_sub,
  mul,
  div,
  el_mul,
  el_div,
  pow,
  el_pow,
  plus,
  minus,
  el_plus,
  el_minus,
};

struct RefPart {
  Symbol name;
  Slice<const Expr*> subscripts;
  Range range;
};

struct Iterator {
  Symbol name;
  const Expr* range;  // null: deduced from the subscripts that use it
};

struct Argument {
  Symbol name;  // empty when positional
  const Expr* value;
};

struct Expr {
  ExprKind kind;
  Op op = Op::none;
  bool global = false;  // ref: starts with '.'
  bool truth = false;   // boolean
  uint16_t depth = 1;   // height of the tree below; bounded, so later passes may recurse
  Range range = {};
  double number = 0;               // integer, real
  std::string_view text = {};      // string: between the quotes, escapes as written
  Slice<RefPart> parts = {};       // ref; call and partial: the function
  Slice<const Expr*> args = {};    // operands, elements
  Slice<Argument> arguments = {};  // call, partial
  Slice<Iterator> iterators = {};  // call, array: comprehension over arguments[0] or args[0]
};

// ---- modifications ------------------------------------------------------------------------------

struct Modifier {  // one argument of a class modification
  bool each = false, final = false;
  Slice<RefPart> path = {};             // a.b in (a.b = 1); empty when `element` is there
  const Modification* value = nullptr;  // may be null: (x)
  const Element* element = nullptr;     // redeclare ..., replaceable ...
  bool breaks = false;                  // break path, or break connect(...): leave it out
  const Equation* broken = nullptr;     // the connect equation to leave out
  std::string_view comment = {};
  Range range = {};
};

struct Modification {
  Slice<Modifier> modifiers;
  const Expr* value = nullptr;  // = value
  bool has_parentheses = false;
  bool removes = false;  // = break: the value that was there is taken away
  Range range;
};

struct Annotation {
  Range range;                            // of the whole "annotation (...)"
  const Modification* content = nullptr;  // null when it was skipped: see parse_annotation
};

struct Comment {
  std::string_view text;  // all pieces "a" + "b", as written
  const Annotation* annotation = nullptr;
};

// ---- equations and statements
// --------------------------------------------------------------------

enum class EqKind : uint8_t {
  equality,  // left = right
  assign,    // left := right; left may be a tuple
  call,      // left is a call
  connect,   // connect(left, right)
  if_,
  for_,
  when,
  while_,
  break_,
  return_,
};

struct Branch {
  const Expr* condition;  // null for else
  Slice<const Equation*> body;
};

struct Equation {  // an equation or a statement
  EqKind kind;
  Range range = {};
  const Expr* left = nullptr;
  const Expr* right = nullptr;
  Slice<Branch> branches = {};     // if, when; for and while have one
  Slice<Iterator> iterators = {};  // for
  Comment comment = {};
};

struct Section {
  bool initial = false, algorithm = false;
  Slice<const Equation*> body;
};

// ---- elements and classes -----------------------------------------------------------------------

struct Name {  // a type or class name: A.B.C, .A.B
  bool global = false;
  Slice<RefPart> parts;
  Range range;
};

struct Prefixes {
  bool redeclare = false, final = false, inner = false, outer = false, replaceable = false;
  bool is_protected = false;
};

enum class Variability : uint8_t { constant, parameter, discrete, continuous };
enum class Direction : uint8_t { none, input, output };
enum class Flow : uint8_t { none, flow, stream };

struct Constraint {  // constrainedby T(...)
  Name type;
  const Modification* modification = nullptr;
  Comment comment;
};

struct Component {
  Symbol name = {};
  Name type = {};
  Flow flow = Flow::none;
  Variability variability = Variability::continuous;
  Direction direction = Direction::none;
  Slice<const Expr*> type_dims = {};  // Real[3] x
  Slice<const Expr*> dims = {};       // Real x[3]: before type_dims
  const Modification* modification = nullptr;
  const Expr* condition = nullptr;
  Comment comment = {};
  Range range = {};  // of the name
};

enum class ElementKind : uint8_t { import_, extends, class_, component };

struct Import {
  Symbol alias = {};  // import A = B.C
  Name name = {};
  bool all = false;            // import B.*
  Slice<Symbol> several = {};  // import B.{C, D}
};

struct Element {
  ElementKind kind;
  Prefixes prefixes = {};
  Range range = {};
  const ClassDef* class_def = nullptr;
  const Component* component = nullptr;
  const Constraint* constraint = nullptr;  // component or class
  Import import = {};
  Name base = {};                              // extends
  const Modification* modification = nullptr;  // extends
  Comment comment = {};                        // import; extends: its annotation
};

enum class ClassKind : uint8_t {
  class_,
  model,
  block,
  record,
  operator_record,
  connector,
  expandable_connector,
  type,
  package,
  function,
  operator_function,
  operator_,
};

enum class Body : uint8_t {
  composition,  // ... end C
  extending,    // extends C(...) ... end C
  shorthand,    // = A.B[n](...)
  enumeration,
  derivative,  // = enumeration(...), = der(f, x)
};

struct Literal {
  Symbol name;
  Comment comment;
  Range range;
};

struct External {
  std::string_view language;
  const Expr* result = nullptr;
  Symbol function;
  Slice<const Expr*> arguments;
  const Annotation* annotation = nullptr;
  bool has_call = false;
};

struct ClassDef {
  Symbol name;
  ClassKind kind = ClassKind::class_;
  Body body = Body::composition;
  bool partial = false, encapsulated = false, pure = false, impure = false;
  bool open_enumeration = false;          // enumeration(:)
  Direction direction = Direction::none;  // type T = input Real
  Flow flow = Flow::none;
  Variability variability = Variability::continuous;
  const Source* source = nullptr;
  Range range, name_range;
  std::string_view comment;
  Slice<const Element*> elements;
  Slice<Section> sections;
  const External* external = nullptr;
  const Annotation* annotation = nullptr;
  Name base;                                   // shorthand; derivative: the function
  Slice<const Expr*> dims;                     // shorthand
  const Modification* modification = nullptr;  // shorthand, extending
  Slice<Literal> literals;                     // enumeration
  Slice<Symbol> by;                            // derivative: with respect to
};

/// A file: within A.B; then classes.
struct StoredDefinition {
  const Source* source = nullptr;
  bool has_within = false;
  Name within;
  struct Entry {
    bool final;
    const ClassDef* class_def;
  };
  Slice<Entry> classes;
};

std::string to_string(Slice<RefPart> parts);  // A.B.C, subscripts left out
inline std::string to_string(const Name& name) {
  return (name.global ? "." : "") + to_string(name.parts);
}

}  // namespace couplet::modelica::ast
