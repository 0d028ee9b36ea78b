// Assembly: from a rough guess to a state that satisfies all constraints.
#pragma once

#include <optional>

#include "couplet/constraints/equations.hpp"

namespace couplet::constraints {

/// What somebody has said of a state, per speed; a zero that was said counts.
struct Given {
  std::vector<char> q, v;
};

struct AssemblyOptions {
  VecX weights;              // per speed: how unwilling it is to move; empty: all alike
  std::vector<char> locked;  // per speed: must not move; empty: none
  double tolerance = 1e-12;  // m or rad, of each row
  /// These move only where the others cannot close the constraints without them. Absent: speeds
  /// that are not zero count as given.
  std::optional<Given> given = {};
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
/// speeds by the smallest change. What was given stays if the others are enough; if not,
/// positions are the nearest to what was given, given speeds of zero follow those that are not
/// zero, and at last all change, those that were given as little as possible. A state that is
/// closed already stays as it is.
AssemblyReport assemble(Equations& equations, State& state, const AssemblyOptions& options = {});

}  // namespace couplet::constraints
