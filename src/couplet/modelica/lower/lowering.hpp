// One lowering: a flat model and the equations that it becomes.
#pragma once

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "couplet/equations/dae.hpp"
#include "couplet/modelica/flatten/flat.hpp"
#include "couplet/modelica/lower/lower.hpp"
#include "couplet/modelica/lower/val.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica::lower {

/// Variables of a function that is being inlined, and how far a return or break has ended it.
struct Locals {
  const Function* function = nullptr;
  std::vector<Val> slots;
  Expr live = 1;     // 0 after return or break: what follows does not happen
  Expr entered = 1;  // 0 after return
};

/// Puts a guard back where a branch ends.
class Guard {
 public:
  explicit Guard(Expr& guard) : guard_(guard), before_(guard) {}
  ~Guard() { guard_ = before_; }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Expr& guard_;
  Expr before_;
};

class Lowering {
 public:
  Lowering(Context& context, const FlatModel& model, equations::Dae& dae,
           const Formulation& formulation)
      : context_(context), model_(model), dae_(dae), formulation_(formulation) {}

  void variables();  // variables.cpp
  void equations();  // equations.cpp, and of the formulation, formulation.cpp

  // ---- expressions.cpp
  Val value(const Exp* e, Locals* locals = nullptr);
  Expr scalar(const Exp* e, Locals* locals = nullptr);
  Val builtin(const Exp& e, Locals* locals);  // builtins.cpp
  Val component(Component* c);
  // ---- functions.cpp
  std::vector<Val> call(const Exp& e, Locals* locals);
  std::vector<Val> call(const Function& f, std::vector<Val> arguments);
  std::vector<Val> inlined(const Function& f, std::vector<Val> arguments);
  Val external(const Function& f, Locals& locals);
  void statements(Slice<const Statement*> body, Locals& locals);

 private:
  friend class FunctionRunner;

  // Expressions
  Val binary(ast::Op op, const Val& a, const Val& b, const Exp& e);
  Expr relation(ast::Op op, const Expr& a, const Expr& b);
  Val subscripted(const Val& array, const std::vector<Val>& subscripts, size_t i);
  Val subscript(const Exp& e, Locals* locals);
  std::vector<Val> subscripts_of(const Exp& e, Locals* locals);
  void check_bounds(const Expr& subscript, size_t count);
  Val range(const Exp& e, Locals* locals);
  void comprehend(const Exp& e, Locals* locals, size_t i, std::vector<Val>& into);
  Val variable_of(Component* c);
  Val settled(const Exp* e, Locals* locals, const std::function<Val(const Val&)>& f);
  Val pre(const Val& v);
  Val pre_of(const Exp* e, Locals* locals);
  Val derivative(const Val& v);
  Expr floor_of(const Expr& x);
  Expr truncated(const Expr& x);
  // Functions
  std::vector<Val> with_derivative(const Function& f, const std::vector<Val>& arguments);
  void statement(const Statement& s, Locals& locals);
  void assign(const Statement& s, Locals& locals);
  void store(const Exp* target, const Val& v, Locals& locals);
  Val stored(const Val& old, const std::vector<Val>& subscripts, size_t i, const Val& v);
  void branch(const Statement& s, size_t i, Locals& locals);
  void loop(const Statement& s, Locals& locals);
  Val initial_value(const Type& type, const std::vector<int>& dims);
  // Variables
  void add_variable(const FlatVariable& v);
  void bind(const FlatVariable& v);
  void note_used_up(const Exp* e, const std::string& by);
  void mark_discrete(const std::vector<FlatEquation>& list);
  void mark_discrete(Slice<const Statement*> body, bool in_when);
  void mark_assigned(const Exp* target);
  // Other formulations
  bool is_freed(const std::string& name);
  void free_dependents();
  void prescribe();
  // Equations
  void equation(const FlatEquation& e, std::vector<equations::Equation>& into);
  void equality(const FlatEquation& e, std::vector<equations::Equation>& into);
  void if_equation(const FlatEquation& e, std::vector<equations::Equation>& into);
  void when(const FlatEquation& e);
  void algorithm(const FlatAlgorithm& a);
  Expr trigger(const Exp* condition, Locals* locals);
  Expr edge_of(const Expr& condition);
  void effect(const Exp* call, const Expr& active, Locals* locals);
  void effect_of_function(const Exp& e, const Expr& active, Locals* locals);
  std::pair<std::vector<Expr>, std::vector<Expr>> sides(const FlatEquation& e);
  void find_assigned(const Exp* target, std::vector<Component*>& into);
  void find_assigned(Slice<const Statement*> body, std::vector<Component*>& into);
  void add_residual(const Expr& residual, std::vector<equations::Equation>& into);
  std::string text_of(const Exp* e, Locals* locals);

  /// Runs `work`; what it refuses becomes a message with this place.
  void guarded(const Source* source, Range range, const std::function<void()>& work);
  base::SourceLocation where(const Source* source, Range range) const;

  Context& context_;
  const FlatModel& model_;
  equations::Dae& dae_;
  const Formulation& formulation_;
  std::vector<std::string> freed_;  // scalars
  base::Diagnostics diagnostics_;
  base::SourceLocation where_;
  bool no_event_ = false;
  bool settled_ = false;  // names mean variables, not what an algorithm has made of them so far
  Expr guard_ = 1;        // of the branches that the present expression is in
  int depth_ = 0, hidden_ = 0;
  std::unordered_map<const Component*, Val> values_;      // symbols of variables
  std::unordered_map<const Component*, Val> overridden_;  // inside of an algorithm
  std::unordered_map<const Component*, bool> discrete_;
  std::unordered_map<Expr, Expr> edges_;
  std::unordered_set<Expr> bounds_;               // conditions of subscripts that are asserted
  std::map<std::string, std::vector<Val>> memo_;  // calls that have variables of their own
  long work_ = 0;
};

/// Whether an assignment to this is one to a component.
Component* component_in(const Exp* target);

}  // namespace couplet::modelica::lower
