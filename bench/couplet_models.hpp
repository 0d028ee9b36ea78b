// The benchmark models and samples in Couplet's terms.
#pragma once

#include <vector>

#include "benchmark_models.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::bench {

/// The benchmark model as a user would describe it, with joints of the given type between its
/// bodies.
model::Mechanism make_mechanism(const Model& bench, model::JointType type);

struct Input {
  model::State state;
  math::VecX tau, vdot;
};

/// The samples in our layout. Where joints have more coordinates than samples (spherical joints),
/// all take the sample's numbers in turn: any numbers will do to measure the time.
std::vector<Input> make_inputs(const Model& bench, const model::Mechanism& mechanism, int count);

}  // namespace couplet::bench
