// What closing loops has changed of a state, in names: values that were given, and those that were
// not.
#pragma once

#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/integrate/problem.hpp"

namespace couplet::workbench {

/// Coordinates, then speeds, that are not the same in two states. Speeds that were not given are
/// not among them: they follow.
std::vector<integrate::Start::Change> list_changes(const model::Mechanism& mechanism,
                                                   const dynamics::Given& given,
                                                   const model::State& from,
                                                   const model::State& to);

/// "B.q 0 → 0.3 rad, D.q 0 → 1.2 rad": the first few.
std::string describe_changes(const std::vector<integrate::Start::Change>& changes);

/// A sentence for each value that was given and is not kept: the loops cannot be closed with all of
/// them.
std::vector<std::string> list_broken(const model::Mechanism& mechanism,
                                     const dynamics::Given& given,
                                     const std::vector<integrate::Start::Change>& changes);

}  // namespace couplet::workbench
