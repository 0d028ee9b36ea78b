// What the constraints of a mechanism amount to at a position: rank, redundancy, singularity.
#pragma once

#include "couplet/dynamics/minimal/constraints/assembly.hpp"

namespace couplet::dynamics {

/// A joint or constraint with directions that others close already.
struct Redundancy {
  std::string element;
  int joint = -1;  // index in Model::joints, never of a weld between halves; -1: a constraint
  std::vector<std::string> directions;  // in the joint's axes
  std::string suggestion;               // how to say only what is needed
};

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

/// Of motion: those of the joints, less what is prescribed and what the constraints take that count
/// now.
int count_freedoms(const System& system);

/// At an assembled state. Costs a dense decomposition of G.
ConstraintAnalysis analyse_constraints(System& system, const State& state);

}  // namespace couplet::dynamics
