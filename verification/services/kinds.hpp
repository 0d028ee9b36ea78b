// Every kind of model that can be simulated. One that is in this list goes through every service of
// a run: signals, recording, events, checkpoints, kill and resume, differences.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "couplet/simulate/simulation.hpp"

namespace couplet::verification {

struct ModelKind {
  std::string name;
  simulate::Subject (*make)();
  double t_end;                          // s, with an event before it
  std::vector<const char*> integrators;  // with error control
};

inline void PrintTo(const ModelKind& kind, std::ostream* out) { *out << kind.name; }

const std::vector<ModelKind>& model_kinds();

}  // namespace couplet::verification
