// From a class to a flat model, pass by pass. The list says what each does; each can be left out by
// its name unless the others need it, and after each the claims of verify.cpp must hold.
#pragma once

#include "couplet/modelica/flatten/connect.hpp"
#include "couplet/modelica/translate.hpp"

namespace couplet::modelica {

/// What the passes work on.
struct Translation {
  Context& context;
  ClassInst* class_inst;
  Connections connections = {};
  ConnectionResults graph = {};
  StreamSets streams = {};
  FlatModel model = {};
  size_t verified_variables = 0, verified_equations = 0, verified_initial = 0;
};

struct Pass {
  PassInfo info;
  void (*run)(Translation& translation);
  bool ends_on_errors = false;  // else the next ones go on, to find all faults at once
};

/// Runs all passes but those that `options` leaves out. With errors the result is incomplete.
FlatModel flatten(Context& context, ClassInst* c, const TranslateOptions& options = {});

/// The same for a class by its qualified name; throws Fault after a report when there is none.
FlatModel flatten_class(Context& context, const std::string& name,
                        const TranslateOptions& options = {});

/// Throws std::logic_error when what a pass made cannot be: our mistake, not the user's.
void verify(Translation& translation, std::string_view pass);

// Passes that have a file of their own and no other header.
void check_redeclarations(Translation& translation);
void add_variables(Translation& translation);
void mark_structural(Translation& translation);
void check_restrictions(Translation& translation);
void check_cycles(Translation& translation);
void check_variability(Translation& translation);
void check_units(Translation& translation);

}  // namespace couplet::modelica
