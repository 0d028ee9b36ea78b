// Simulations of mechanisms: a mechanism with its formalism as what simulate/ runs.
#pragma once

#include "couplet/mechanics/mechanism_problem.hpp"
#include "couplet/simulate/simulation.hpp"

namespace couplet::mechanics {

using simulate::Checkpoint;
using simulate::Simulation;
using simulate::Summary;

struct RunOptions : simulate::RunOptions {
  std::string formalism;  // empty: recursive, for closed loops schur
  std::string equations;  // that implicit integrators solve: residual (empty) or explicit
  std::optional<dynamics::Given> given;  // of the state that it starts at; absent: by the model
};

simulate::Subject make_subject(std::shared_ptr<const Mechanism> mechanism,
                               std::string_view formalism = {},
                               Equations equations = Equations::residual);

/// Throws UserError when the options do not fit the mechanism or each other.
Simulation make_simulation(std::shared_ptr<const Mechanism> mechanism, const RunOptions& options);

/// y of a state.
VecX make_y(const State& state);

/// Runs a simulation and gives its recording: for tests, teaching and small models.
results::Recording simulate(std::shared_ptr<const Mechanism> mechanism, const RunOptions& options,
                            Summary* summary = nullptr);

}  // namespace couplet::mechanics
