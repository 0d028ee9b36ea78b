// What the constraints of a mechanism amount to at a position: rank, redundancy, singularity.
#pragma once

#include "couplet/constraints/redundancy.hpp"
#include "couplet/dynamics/minimal/constraints/assembly.hpp"

namespace couplet::dynamics {

using constraints::Redundancy;

struct ConstraintAnalysis {
  int rows = 0, rank = 0;
  int freedoms = 0;  // of motion, from the rank
  std::vector<Redundancy> redundant;
  std::vector<std::vector<std::string>>
      dependent_motions;  // joints whose prescribed motions the others of a list imply
  std::vector<std::string> not_unique;  // joints and constraints whose forces are not determined;
                                        // the smallest are reported
  bool singular = false;                // the rank is smaller here than nearby
  double singularity = 1;               // ConstraintSolver::singularity
};

/// Degrees of freedom: those of the joints, less those that are prescribed or mimic others, and
/// less the rank of the constraints. The one count of them, wherever one is shown: at the assembled
/// initial position.
int count_freedoms(const Mechanism& mechanism, int rank);
/// With the constraints that count now.
int count_freedoms(const System& system);
/// Where nothing has been assembled yet. At a position that cannot be, the rank there counts.
int count_freedoms(std::shared_ptr<const Mechanism> mechanism, State start);

/// At an assembled state. Costs a dense decomposition of G.
ConstraintAnalysis analyse_constraints(System& system, const State& state);

}  // namespace couplet::dynamics
