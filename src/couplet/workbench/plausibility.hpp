// What a model says that can hardly be meant, with the numbers; and what a run would refuse.
#pragma once

#include "couplet/workbench/load.hpp"

namespace couplet::workbench {

/// Bodies lighter than any matter of their size, angles in radians that look like degrees.
std::vector<std::string> list_implausible(const model::Model& model);

/// Makes a run of the model and evaluates its start. What that refuses, or how it fails, in
/// sentences; empty: a run begins.
std::vector<std::string> find_refusal(const LoadedModel& model);

}  // namespace couplet::workbench
