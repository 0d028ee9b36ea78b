// Freedoms of closed loops put where they should be: all others follow along the constraints, by
// the smallest change in the metric of the masses.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/mechanics/stops.hpp"

namespace couplet::mechanics {

struct Target {
  int iq, iv;
  double value;  // of q or v
};

/// Stops for which a condition holds.
template <class Condition>
std::vector<Target> find_stops(const Stops& stops, const Condition& condition) {
  std::vector<Target> found;
  for (const Stop& stop : stops.list())
    if (std::invoke(condition, stop)) found.push_back({stop.iq, stop.iv, stop.bound});
  return found;
}

/// Positions, to rounding, by Newton's method. `left`: residuals, if anything moved.
void put_on(dynamics::System& system, std::span<const Target> targets, model::State& state,
            dynamics::Residuals& left);
/// Speeds. One that constraints and other targets determine stays as it is.
void give_speeds(dynamics::System& system, std::span<const Target> targets, model::State& state);

}  // namespace couplet::mechanics
