// Values of expressions at translation time: array sizes, conditions, structural parameters.
#pragma once

#include <optional>

#include "couplet/modelica/instantiate/context.hpp"
#include "couplet/modelica/typing/typer.hpp"
#include "couplet/modelica/typing/value.hpp"

namespace couplet::modelica {

struct CannotEvaluate {  // thrown: the expression has no value before the simulation
  std::string why;
};

/// Throws CannotEvaluate when a value of so many elements would be too large.
void check_elements(double count);
/// Counts work of the interpreter, 1 for about 10 ns; throws CannotEvaluate when it is too much.
void count_work(Context& context, double steps);
/// {v, v, ...}
Value repeated(const Value& v, double count);

struct Frame {  // variables of a running function
  const Function* function = nullptr;
  std::vector<Value> slots;
};

/// The value of `e`; throws CannotEvaluate. Parameters that are used become structural.
Value evaluate(Context& context, const Exp* e, Frame* frame = nullptr);
/// The value of `e`, or nothing, and then in `why` ": " and the reason if there is one.
std::optional<Value> try_evaluate(Context& context, const Exp* e, std::string* why = nullptr);

/// Runs a function. Bounded in steps and depth.
std::vector<Value> call_function(Context& context, const Function& f, std::vector<Value> arguments);
Value evaluate_builtin(Context& context, const Exp& e, Frame* frame);
Value evaluate_binary(Context& context, ast::Op op, const Value& a, const Value& b);
Value evaluate_unary(ast::Op op, const Value& a);
std::optional<Value> call_native(Context& context, const Function& f, Frame& frame);
Value evaluate_structure(Context& context,
                         const Exp& e);  // cardinality, isRoot, rooted: see flatten/
Value default_value(Context& context, const Type& type, const std::vector<int>& dims);

/// The value of a component from its binding (or start value); throws CannotEvaluate.
const Value& value_of(Context& context, Component* c);

/// What a component is bound to, before it is fitted to its type: its own modification, or the
/// field of a record that is bound as a whole. Null when it has none.
const Exp* find_binding(Context& context, Component* c);
/// The typed binding of a component; null when it has none.
const Exp* binding_of(Context& context, Component* c);
const Exp* type_mod(Context& context, const Mod& mod);  // value of a modification, subscripted

/// Whether `e` may be decided at translation: it uses only constants, final parameters and
/// parameters with Evaluate = true or that are structural already.
bool is_fixed(Context& context, const Exp* e);

// Needed while components are instantiated; they fail with a message.
int evaluate_size(Context& context, ClassInst* scope, const ast::Expr* size);
int constant_size(Context& context, ClassInst* scope, const ast::Expr* size);  // or unknown_size
bool evaluate_condition(Context& context, ClassInst* scope, const ast::Expr* condition);
int size_from_binding(Context& context, Component& c, size_t dimension, Range range);

}  // namespace couplet::modelica
