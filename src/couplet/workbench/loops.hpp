// What is said about loops: which joints they are made of, where they are cut and why, which bodies
// are split for that, what does not close.
#pragma once

#include "couplet/workbench/check.hpp"

namespace couplet::workbench {

/// Bodies and joints that the user wrote. Halves of split bodies and the welds between them are not
/// among them, nor is the body between the two joints that a prescribed pose becomes.
struct Written {
  int bodies = 0, joints = 0;
};
Written count_written(const model::Model& model);

std::vector<LoopLine> list_loops(const model::Mechanism& mechanism);
std::vector<SplitLine> list_splits(const model::Model& model);
std::vector<ConstraintLine> list_constraints(const model::Model& model);

/// What does not close, or had to move, in sentences.
std::vector<std::string> assembly_faults(const dynamics::AssemblyReport& report);
/// Joints whose prescribed motions depend on each other, in a sentence.
std::string describe_dependent(const std::vector<std::string>& motions);
/// Joints whose friction follows from reactions that are not unique.
std::vector<std::string> find_undetermined_friction(const model::Mechanism& mechanism,
                                                    const dynamics::ConstraintAnalysis& analysis);

}  // namespace couplet::workbench
