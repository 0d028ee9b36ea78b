// The bodies of a benchmark model in Simbody. Every body frame is turned so that its joint axis is
// z and the mobilizer frame coincides with it: the case that Simbody's Pin joint handles fastest.
#pragma once

#include <Simbody.h>

#include "../benchmark_models.hpp"

namespace couplet::bench {

/// Adds them to the matter of a system; returns the index of each.
std::vector<SimTK::MobilizedBodyIndex> add_bodies(const Model& model,
                                                  SimTK::SimbodyMatterSubsystem& matter);

SimTK::Vec3 simtk(const Vec3& v);

}  // namespace couplet::bench
