// Assembly: from a rough guess to a state that satisfies all constraints.
#pragma once

#include "couplet/dynamics/minimal/system.hpp"

namespace couplet::dynamics {

struct AssemblyOptions {
  VecX weights;              // per speed: how unwilling it is to move; empty: all alike
  std::vector<char> locked;  // per speed: must not move; empty: none
  double tolerance = 1e-12;  // m or rad, of each row
};

/// A constraint that stays open.
struct OpenRow {
  std::string element, direction;
  double error;  // m or rad
};

struct AssemblyReport {
  Residuals before, after;
  VecX moved, speed_change;   // along the speeds
  std::vector<OpenRow> open;  // worst first; empty: closed
  int iterations = 0;

  bool closed() const { return open.empty(); }
};

/// Closes positions by damped Gauss-Newton steps, each the smallest in the weighted norm, then
/// speeds by the smallest change: of those that are zero alone if that is enough, since the others
/// were given. A state that is closed already stays as it is. Then decides which constraints are
/// independent.
AssemblyReport assemble(System& system, State& state, const AssemblyOptions& options = {});

}  // namespace couplet::dynamics
