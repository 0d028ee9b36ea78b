// Joints that stick and slip as Coulomb says: each set-valued friction
// (dynamics/minimal/friction.hpp) has one root function, the speed while it slips and what is left
// of its hold while it sticks.
#pragma once

#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/integrate/archive.hpp"
#include "couplet/mechanics/stops.hpp"
#include "couplet/mechanics/targets.hpp"

namespace couplet::mechanics {

class StickSlip {
 public:
  explicit StickSlip(dynamics::System& system);

  /// Some joint has friction: stops that hold are then part of the same equations.
  bool active() const { return system_.friction() != nullptr; }
  bool any_sticks() const;

  size_t size() const { return switching_.size(); }
  /// At speeds v, after the last evaluation; negative: it changes.
  double root(size_t i, const VecX& v) const;
  std::string name(size_t i) const;

  /// v̇ with friction and with the stops that hold, whose forces are kept.
  void calc_vdot(dynamics::System::Motion& motion, Stops& stops, VecX& tau, VecX& vdot);
  /// Decides what sticks, at the start and after events; what does stands still. `fired`: roots
  /// that became negative.
  void decide(model::State& state, const Stops& stops, std::span<const size_t> fired);
  /// Joints that stick stand still.
  void project(VecX& v) const;
  /// The same for closed loops.
  void add_targets(std::vector<Target>& speeds) const;
  /// Slipping that turns is no change of direction.
  void note_step(const VecX& v);
  void archive(integrate::Archive& archive);

 private:
  dynamics::FrictionGroup& group(size_t i) const {
    return system_.friction()->groups()[switching_[i]];
  }
  void set_held(const Stops& stops);

  dynamics::System& system_;
  std::vector<size_t> switching_;  // groups
  std::vector<int> held_;
};

}  // namespace couplet::mechanics
