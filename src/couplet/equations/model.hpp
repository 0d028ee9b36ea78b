// A system of equations, translated: states chosen, blocks sorted and torn, programs made. What
// stays fixed while several simulations run it.
#pragma once

#include <memory>

#include "couplet/equations/program.hpp"

namespace couplet::equations {

/// What each pass did, for people.
struct Stage {
  std::string name, text;
  double seconds = 0;
};

struct Model {
  Dae dae;
  std::vector<int> states;               // variables
  std::vector<Expr> rates;               // of each state
  std::vector<ConstraintSet> projected;  // among the states: those that constraints hold together
  System system;                         // of the simulation
  std::vector<Block> blocks;
  std::vector<char> is_event_block;  // finds discrete variables: at events only
  std::unique_ptr<SlotMap> map;

  // The beginning.
  std::vector<int> parameters;  // with values, slots
  System parameter_system;
  std::vector<Block> parameter_blocks;
  System initial_system;
  std::vector<Block> initial_blocks;
  std::vector<Equation> to_check;  // initial equations that follow from others, if they hold
  std::vector<int> assumed;        // states whose start value was taken, though not fixed
  std::vector<int> yielding;       // whose fixed start value gave way to what is prescribed
  std::vector<Expr> reinit_triggers;

  std::vector<Stage> stages;

  std::vector<int> event_variables;  // discrete unknowns
  std::vector<Expr> gaps() const;
  /// States that are independent of each other.
  int count_freedoms() const;
};

/// All passes on model->dae, where it is: rules of derivatives may refer to it. Throws UserError.
void translate(Model& model);

/// Changes the value of a parameter. Throws UserError when there is none of this name, or when it
/// follows from others.
void set_parameter(Dae& dae, const std::string& name, double value);

/// The parameter of this name, if a translated model follows its value: −1 where it is none, has
/// shaped the model, or is or becomes 0.
int find_changeable(const Model& model, const std::string& name, double value);

/// initial.cpp: the system that finds parameters, and their values into dae.numbers.
void make_parameter_system(Model& model);
/// initial.cpp: the system that finds where the motion begins.
void make_initial_system(Model& model);

}  // namespace couplet::equations
