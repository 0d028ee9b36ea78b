// From syntax in a scope to typed expressions.
#pragma once

#include "couplet/modelica/instantiate/context.hpp"
#include "couplet/modelica/typing/exp.hpp"

namespace couplet::modelica {

/// An iteration variable in sight: a Local in functions, a literal where loops are unrolled.
struct Binding {
  const Binding* outer = nullptr;
  Symbol name;
  const Exp* value = nullptr;
};

/// Where an expression stands.
struct Scope {
  ClassInst* class_inst = nullptr;
  Function* function = nullptr;  // inside its body
  const Binding* bindings = nullptr;
  const Exp* end_of = nullptr;  // what `end` refers to, and which dimension
  int end_dimension = 0;
  bool open_ranges = false;     // in an algorithm: bounds may change during the simulation
  bool keep_constants = false;  // left sides: do not replace by the value
  bool types_count = false;     // sizes and ranges: Boolean and enumerations stand for all values
};

const Exp* type_expression(Context& context, const Scope& scope, const ast::Expr& e);

/// A component that `e` names, e.g. in connect or Connections.root; null when it was removed by its
/// condition. Array elements are selected.
std::vector<Component*> type_components(Context& context, const Scope& scope, const ast::Expr& e);

/// Which elements (linear, from 0) of the array component `c` the subscripts of `part` select.
std::vector<size_t> select_elements(Context& context, const Scope& scope, Component* c,
                                    const ast::RefPart& part);

/// The elements that an iterator runs over, as literals. Fails when they are not known.
std::vector<const Exp*> iteration_values(Context& context, const Scope& scope,
                                         const ast::Iterator& iterator,
                                         Slice<const ast::Equation*> body,
                                         const ast::Expr* body_expression = nullptr);

/// 1:size(A, k) for an iterator without a range that is used as the k-th subscript of A.
const Exp* deduce_range(Context& context, const Scope& scope, const ast::Iterator& iterator,
                        Slice<const ast::Equation*> body);

/// Statements of an algorithm in a function or a model.
Slice<const Statement*> type_statements(Context& context, const Scope& scope,
                                        Slice<const ast::Equation*> body);

/// `e` as a value of type `wanted`: Integer becomes Real; fails when it does not fit.
const Exp* coerce(Context& context, const Scope& scope, const Exp* e, const Type& wanted,
                  Range range, const std::string& what);

/// Whether elements of both are values of one kind; sizes do not count.
bool alike(const Type& a, const Type& b);

Type binary_type(Context& context, const Scope& scope, ast::Op op, const Exp* a, const Exp* b,
                 Range range);
const Exp* make_binary(Context& context, const Scope& scope, ast::Op op, const Exp* a, const Exp* b,
                       Range range);

// The parts of type_expression.
const Exp* type_reference(Context& context, const Scope& scope, const ast::Expr& e);
const Exp* type_call(Context& context, const Scope& scope, const ast::Expr& e);
const Exp* type_builtin(Context& context, const Scope& scope, const ast::Expr& e, Builtin id);
const Exp* type_array(Context& context, const Scope& scope, const ast::Expr& e);
/// {a, b}, whose elements must be alike.
const Exp* join_elements(Context& context, const Scope& scope, const std::vector<const Exp*>& items,
                         Range range);
const Exp* type_matrix(Context& context, const Scope& scope, const ast::Expr& e);
const Exp* type_comprehension(Context& context, const Scope& scope, const ast::Expr& e, Builtin id,
                              const ast::Expr& body);
std::vector<const Exp*> type_subscripts(Context& context, const Scope& scope, const Exp* array,
                                        Slice<const ast::Expr*> subscripts);
const Exp* make_cat(Context& context, const Scope& scope, int dimension,
                    std::vector<const Exp*> parts, Range range);
const Exp* promote(Context& context, const Exp* e, size_t rank);
const Exp* make_call(Context& context, const Scope& scope, Function* f,
                     std::vector<const Exp*> args, Range range);

const Exp* make_operator_call(Context& context, const Scope& scope, ast::Op op,
                              const std::vector<const Exp*>& args, Range range);

Builtin find_builtin(std::string_view name);
std::string_view builtin_name(Builtin id);

}  // namespace couplet::modelica
