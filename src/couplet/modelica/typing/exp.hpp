// Expressions with every name resolved and every type known. Built once from syntax and a scope;
// used by the evaluator, the flat model and the printer. Nodes live in the arena of the Context.
#pragma once

#include <string>

#include "couplet/modelica/instantiate/instance.hpp"

namespace couplet::modelica {

struct Exp;
struct Function;
struct RecordType;

constexpr int unknown_size = -1;  // of an array in a function

struct Type {
  Primitive base = Primitive::none;        // none without record: no value
  const ClassInst* enumeration = nullptr;  // which enumeration, or which external object
  const RecordType* record = nullptr;
  Slice<int> dims = {};

  bool is_scalar() const { return dims.empty(); }
  bool is_numeric() const { return base == Primitive::real || base == Primitive::integer; }
  size_t rank() const { return dims.size(); }
};

struct Field {
  Symbol name;
  Type type;
  Component* declared;  // for its default
};

struct RecordType {
  std::string name;  // A.B.C
  ClassInst* class_inst = nullptr;
  Slice<Field> fields = {};
};

/// A variable of a function, or an iterator.
struct Local {
  Symbol name;
  Type type;
  Slice<const Exp*> sizes = {};  // one per dimension; null: taken from the value
  const Exp* binding = nullptr;  // default of an input, value of a constant, or initial value
  ast::Direction direction = ast::Direction::none;
  int slot = 0;                             // in the frame of the interpreter
  const Function* function_type = nullptr;  // a function as an argument
  const ClassInst* declared = nullptr;      // its type with attributes, for units
  bool closed = false;  // a final or constant field: a record constructor does not take it
};

enum class Builtin : uint8_t {
  none,
  // elementwise
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  abs,
  sign,
  div,
  mod,
  rem,
  floor,
  ceil,
  integer,
  // arrays
  min,
  max,
  sum,
  product,
  size,
  ndims,
  scalar,
  vector,
  matrix,
  transpose,
  outer_product,
  identity,
  diagonal,
  zeros,
  ones,
  fill,
  linspace,
  symmetric,
  cross,
  skew,
  cat,
  promote,
  array,
  // time
  time,
  der,
  pre,
  edge,
  change,
  initial,
  terminal,
  sample,
  delay,
  no_event,
  smooth,
  homotopy,
  semi_linear,
  reinit,
  spatial_distribution,
  in_stream,
  actual_stream,
  // structure
  cardinality,
  is_root,
  rooted,
  root,
  potential_root,
  unique_root,
  branch,
  is_present,
  get_instance_name,
  // others
  assert_,
  terminate,
  string,
  integer_of,
  enum_of,
  clock,
  pure_,
  // clocks
  clock_of,  // Clock(...)
  hold,
  previous,
  sub_sample,
  super_sample,
  shift_sample,
  back_sample,
  no_clock,
  interval,
  first_tick,
};

enum class ExpKind : uint8_t {
  real,
  integer,
  boolean,
  string,
  enum_literal,  // number, text
  variable,      // a component: a variable, an array of variables, or a record of them
  local,
  array,  // {args}
  range,  // args: first, step, last
  unary,
  binary,
  if_,   // args: condition, value, ..., else value
  call,  // function(args); a multiple result has the type of the first
  builtin,
  record,         // constructor, args by field
  subscript,      // args[0][args[1], ...]
  field,          // args[0].name
  comprehension,  // args[0] for locals in args[1..]; builtin: array, sum, product, min, max
  function,       // a function as a value; args: bound inputs, null where open
  tuple,          // left side of a multiple assignment; args may be null
  colon,          // a whole dimension, inside subscript
};

struct Exp {
  ExpKind kind;
  ast::Op op = ast::Op::none;
  Builtin builtin = Builtin::none;
  ast::Variability variability = ast::Variability::constant;
  Type type = {};
  double number = 0;           // literals; the index of an enumeration literal; field: its index
  Symbol name = {};            // enum literal, field
  std::string_view text = {};  // string, as written between the quotes
  Component* variable = nullptr;
  const Local* local = nullptr;
  const Function* function = nullptr;
  Slice<const Exp*> args = {};
  Slice<const Local*> locals = {};  // comprehension
};

/// A statement of a function or of an algorithm section.
struct Statement {
  enum class Kind : uint8_t { assign, call, if_, for_, while_, when, break_, return_ } kind;
  const Exp* left = nullptr;     // assign; null for a call
  const Exp* right = nullptr;    // assign, call; for: the range
  const Local* local = nullptr;  // for
  struct Branch {
    const Exp* condition;  // null: else
    Slice<const Statement*> body;
  };
  Slice<Branch> branches = {};  // if, when; for and while have one
  const ast::Equation* text = nullptr;
};

// ---- making expressions; small simplifications happen here
// ------------------------------------------

struct Context;

const Exp* make_exp(Context& context, Exp e);
const Exp* make_real(Context& context, double value);
const Exp* make_integer(Context& context, double value);
const Exp* make_boolean(Context& context, bool value);
const Exp* make_string(Context& context, std::string_view value);
const Exp* make_array(Context& context, const std::vector<const Exp*>& elements, Type element);
const Exp* make_subscript(Context& context, const Exp* array,
                          const std::vector<const Exp*>& subscripts);
const Exp* make_field(Context& context, const Exp* record, Symbol name);
const Exp* make_variable(Context& context, Component* c);
const Exp* make_builtin(Context& context, Builtin id, const std::vector<const Exp*>& args,
                        Type type);

/// Replaces locals of a function by expressions; locals that are not inputs by their bindings.
const Exp* substitute(Context& context, const Exp* e, const Function& function,
                      const std::vector<const Exp*>& arguments);

Type type_of(Context& context, Component* c);  // with its dims
const RecordType* record_type(Context& context, ClassInst* c);
Type with_dims(Context& context, Type t, const std::vector<int>& dims);
long count_scalars(const Type& t);  // elements, through records
bool is_literal(const Exp* e);
/// Enumerations with the same literals are one type. [Modelica 3.6, section 6.7]
bool same_enumeration(const ClassInst* a, const ClassInst* b);
std::string to_string(const Type& t);  // "Real[3]", for messages

}  // namespace couplet::modelica
