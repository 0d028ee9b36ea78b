// Formalisms that join subsystems.
#pragma once

namespace couplet::dynamics {

/// Adds `dca` to the list of formalisms, if it is not there.
void add_substructure_formalisms();

}  // namespace couplet::dynamics
