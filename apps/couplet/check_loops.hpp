// What `couplet check` says about loops: which joints they are made of, where they are cut and why, which bodies are
// split for that, and which constraints there are besides joints.
#pragma once

#include "couplet/model/mechanism.hpp"
#include "json.hpp"

namespace couplet::app {

/// Bodies and joints that the user wrote: halves of split bodies and the welds between them are not among them.
struct Written {
  int bodies = 0, joints = 0;
};
Written count_written(const model::Model& model);

/// Prints nothing for a tree.
void print_loops(const model::Mechanism& mechanism);
/// Keys `loops`, `split_bodies` and `constraints` of the object that is being written.
void write_loops(const model::Mechanism& mechanism, JsonWriter& json);

}  // namespace couplet::app
