// Assembly of a mechanism in its joint coordinates.
#pragma once

#include "couplet/constraints/assembly.hpp"
#include "couplet/dynamics/minimal/system.hpp"

namespace couplet::dynamics {

using constraints::AssemblyOptions;
using constraints::AssemblyReport;
using constraints::Given;
using constraints::OpenRow;

/// Initial values that the model gives.
Given given_by_model(const Mechanism& mechanism);

/// constraints::assemble; then decides which constraints are independent.
AssemblyReport assemble(System& system, State& state, const AssemblyOptions& options = {});

}  // namespace couplet::dynamics
