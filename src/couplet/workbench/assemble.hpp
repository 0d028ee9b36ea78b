// A state that closes all loops, from a rough guess.
#pragma once

#include <utility>

#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/workbench/load.hpp"
#include "couplet/workbench/state_file.hpp"

namespace couplet::workbench {

struct AssembleOptions {
  std::optional<StateInput> state;  // the guess; absent: the model's initial state
  std::vector<std::string> lock;    // joints or freedoms that must not move
  std::vector<std::pair<std::string, double>> weight;  // how unwilling one is to move (1)
};

/// How a freedom had to change.
struct FreedomChange {
  std::string name;
  double moved = 0, speed_change = 0;
  bool prescribed = false;  // it follows its motion
};

struct AssembleReport {
  model::State state;
  dynamics::AssemblyReport assembly;
  std::vector<FreedomChange> changes;  // one per freedom of the tree
  std::vector<std::string> warnings;   // values that were given and are not kept
  std::string fault;                   // what has no solution, and what to try; empty: closed

  bool closed() const { return assembly.closed(); }
};

/// Throws UserError for names that do not exist and weights that are not positive.
AssembleReport assemble(const LoadedModel& model, const AssembleOptions& options = {});

}  // namespace couplet::workbench
