// Connection sets of stream variables, and what the stream operators make of them.
#pragma once

#include "couplet/modelica/flatten/passes.hpp"

namespace couplet::modelica {

/// Replaces inStream and actualStream in the flat model, and adds the equations of stream variables
/// in outside connectors.
void join_streams(Translation& translation);

}  // namespace couplet::modelica
