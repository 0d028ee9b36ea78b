// What a model says that can hardly be meant, with the numbers; and what a run would refuse.
#pragma once

#include "couplet/workbench/load.hpp"

namespace couplet::workbench {

/// Bodies lighter than any matter of their size, angles in radians that look like degrees.
std::vector<std::string> list_implausible(const model::Model& model);

/// Makes a run of the model and, if it is `startable`, evaluates its start. What that refuses, or
/// how it fails, and what its start is noted for, in sentences.
std::vector<std::string> find_refusal(const LoadedModel& model, bool startable);

}  // namespace couplet::workbench
