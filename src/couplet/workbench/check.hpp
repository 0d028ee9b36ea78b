// What a model is (bodies, freedoms, tree, loops) and what is odd about it.
#pragma once

#include "couplet/dynamics/minimal/constraints/analysis.hpp"
#include "couplet/dynamics/substructure/divided_system.hpp"
#include "couplet/workbench/load.hpp"

namespace couplet::workbench {

/// A joint of the tree, from the world outwards.
struct TreeLine {
  int depth = 0;  // of joints between the world and it
  std::string joint, type, body;
  bool prescribed = false, mimic = false;
};

struct LoopLine {
  std::string cut, type;            // the joint that is cut
  std::vector<std::string> joints;  // round the loop
  std::string reason;               // why there
};

/// A body in two halves, so that a joint keeps its coordinates.
struct SplitLine {
  std::string body, joint, reason;
};

/// A first-order state of the model's own.
struct StateLine {
  std::string name, unit;
  double start = 0;
  std::string rate;
};

struct ConstraintLine {
  std::string name, type;
};

struct CheckReport {
  std::string name;
  int bodies = 0, joints = 0, forces = 0;  // as the user wrote them
  int links = 0, coordinates = 0;          // of the compiled tree
  double mass = 0;                         // kg
  std::vector<std::string> dofs;           // names of the tree's freedoms
  std::vector<TreeLine> tree;              // empty when not asked for
  std::vector<StateLine> states;
  std::vector<LoopLine> loops;
  std::vector<SplitLine> split_bodies;
  std::vector<ConstraintLine> constraints;       // besides joints
  std::vector<std::string> plugins;              // native code, which was not loaded
  dynamics::ConstraintAnalysis analysis;         // freedoms of motion, rank, redundancy
  dynamics::AssemblySummary assembly;            // for divide and conquer
  std::vector<std::string> dependent_motions;    // those of the analysis, in sentences
  std::vector<std::string> friction_not_unique;  // joints
  std::vector<std::string> warnings;
  std::string open;  // what cannot be closed near the initial position; empty: it is assembled

  bool closed() const { return open.empty(); }
};

/// Binds every expression, assembles, and looks at the constraints there.
CheckReport check(const LoadedModel& model);

}  // namespace couplet::workbench
