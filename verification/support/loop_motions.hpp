// Mechanisms with closed loops and constraints whose motion is known: closed forms, and the
// verified values of
// verification/references.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "couplet/dynamics/minimal/kinematics.hpp"

namespace couplet::verification {

/// What is compared: places (m, rad, entries of rotations) and rates.
struct Observed {
  math::VecX places, rates;
};

struct LoopMotion {
  std::string name;
  std::shared_ptr<const model::Mechanism> mechanism;
  std::vector<double> times;       // s, ascending
  std::vector<Observed> expected;  // at each time
  std::function<Observed(const model::State&, const dynamics::Kinematics&)> observe;
  /// Digits of a number count from its own size, but at least from these.
  double size_of_places = 1, size_of_rates = 1;

  struct Error {
    double places = 0, rates = 0;
  };
  /// Largest relative error at times[i].
  Error calc_error(size_t i, const model::State& state) const;
};

/// Andrews' squeezing mechanism at 0.01 … 0.05 s; empty where the references are not there.
LoopMotion make_andrews();
/// n four-bars to 10 s (IFToMM A02): all uprights are one pendulum that goes round and passes the
/// flat position, where the rows of the constraints depend on each other, twice in every turn.
LoopMotion make_four_bars_motion(int n);
/// IFToMM A01: a particle on a rod that is a constraint; 10 s.
LoopMotion make_particle_on_rod();
/// IFToMM A04: over-constrained, rank 4 of 5; starts and returns where two rods are in line.
LoopMotion make_bricard();
LoopMotion make_planar_slider_crank();
LoopMotion make_spatial_slider_crank();
LoopMotion make_insulator_chain();
/// A body with all six coordinates, held at a point by three constraints.
LoopMotion make_held_top();
/// Steady rolling in a circle, closed form.
LoopMotion make_rolling_disc();
/// Rods with three coordinates each, all hinges are constraints.
LoopMotion make_cut_chain(int n);

}  // namespace couplet::verification
