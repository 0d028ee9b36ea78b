// Functions: typed from their class when first called. [Modelica 3.6, chapter 12]
#pragma once

#include "couplet/modelica/typing/exp.hpp"

namespace couplet::modelica {

struct Derivative {  // annotation(derivative(noDerivative = R) = f_der)
  const Function* function = nullptr;
  int order = 1;
  Slice<Symbol> no_derivative = {}, zero_derivative = {};
};

struct Inverse {  // annotation(inverse(u = f_inv(y, k)))
  Symbol input;
  const Exp* call;
};

enum class Purity : uint8_t { unsaid, pure, impure };

struct Function {
  ClassInst* class_inst = nullptr;
  std::string name;  // A.B.f
  std::vector<Local*> inputs, outputs, protecteds;
  std::vector<const Local*> start_order;  // outputs and protecteds, each after those that it needs
  std::unordered_map<const Entry*, Local*> by_entry;
  int slots = 0;
  Slice<const Statement*> body = {};
  bool has_algorithm = false;
  bool body_done = false, busy = false;
  Purity purity = Purity::unsaid;
  const ast::External* external = nullptr;
  Symbol external_name = {};
  const Source* external_source = nullptr;
  Slice<const Exp*> external_arguments = {};
  const Exp* external_result = nullptr;
  const RecordType* constructs = nullptr;  // a record constructor has no body
  bool inline_ = false, late_inline = false, inline_after_index_reduction = false;
  int smooth_order = -1;
  std::vector<Derivative> derivatives;
  std::vector<Inverse> inverses;
};

/// The function that a class is; its inputs and outputs are known, its body is typed by body_of.
Function* function_of(Context& context, ClassInst* c);
void type_body(Context& context, Function& f);
void read_annotations(Context& context, Function& f, ClassInst* c);  // those without names
void type_annotations(Context& context, Function& f, ClassInst* c);  // those with functions

/// The function that is declared by a component, e.g. `input partial_function f`.
bool is_function(const ClassInst* c);

}  // namespace couplet::modelica
