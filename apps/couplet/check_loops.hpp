// What `couplet check` says about loops: which joints they are made of, where they are cut and why,
// which bodies are split for that, and which constraints there are besides joints.
#pragma once

#include "couplet/dynamics/minimal/constraints/analysis.hpp"
#include "json.hpp"

namespace couplet::app {

/// Bodies and joints that the user wrote: halves of split bodies and the welds between them are not
/// among them.
struct Written {
  int bodies = 0, joints = 0;
};
Written count_written(const model::Model& model);

/// Prints nothing for a tree.
void print_loops(const model::Mechanism& mechanism);
/// Keys `loops`, `split_bodies` and `constraints` of the object that is being written.
void write_loops(const model::Mechanism& mechanism, JsonWriter& json);

/// What does not close, or had to move, in sentences.
std::vector<std::string> assembly_faults(const dynamics::AssemblyReport& report);
/// Rank, redundant directions with a suggestion, singular positions, reactions that are not unique.
void print_analysis(const model::Mechanism& mechanism,
                    const dynamics::ConstraintAnalysis& analysis);
/// Keys `rank`, `redundant`, `dependent_motions`, `singular` and `reactions_not_unique`.
void write_analysis(const model::Mechanism& mechanism, const dynamics::ConstraintAnalysis& analysis,
                    JsonWriter& json);

}  // namespace couplet::app
