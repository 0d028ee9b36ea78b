// The flat model: variables and equations without classes, connections or inheritance.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "couplet/modelica/instantiate/context.hpp"
#include "couplet/modelica/typing/exp.hpp"

namespace couplet::modelica {

struct Attribute {
  Symbol name;  // start, unit, ...
  const Exp* value;
};

struct FlatVariable {
  std::string name;  // a.b[2].c
  Component* component = nullptr;
  Type type;
  ast::Variability variability = ast::Variability::continuous;
  ast::Direction direction = ast::Direction::none;  // of the model: inputs and outputs at its top
  bool structural = false;  // its value shaped the model; changing it needs a new translation
  const Exp* binding = nullptr;
  std::vector<Attribute> attributes;

  bool is_unknown() const;  // to be determined by equations
};

struct FlatEquation {
  enum class Kind : uint8_t { equality, if_, when, call } kind = Kind::equality;
  const Exp* left = nullptr;
  const Exp* right = nullptr;  // null for a call
  struct Branch {
    const Exp* condition;  // null: else
    std::vector<FlatEquation> body;
  };
  std::vector<Branch> branches;
  Component* origin = nullptr;     // whose class holds the text
  const Source* source = nullptr;  // of its text; null: flow = 0 of what is not connected
  Range range = {};

  long count() const;  // scalar equations
};

struct FlatAlgorithm {
  bool initial = false;
  Slice<const Statement*> body;
  Component* origin = nullptr;
  const Source* source = nullptr;
  Range range = {};
};

struct FlatModel {
  std::string name;
  std::vector<FlatVariable> variables;
  std::vector<FlatEquation> equations, initial_equations;
  std::vector<FlatAlgorithm> algorithms;
};

/// Flat Modelica that other tools can read: one model with its functions, records and enumerations.
std::string print(Context& context, const FlatModel& model);

/// Scalar variables that a piece of algorithm assigns.
long count_assigned(Slice<const Statement*> body);

}  // namespace couplet::modelica
