// Stops: the ends of joints' ranges as one-sided contacts. A joint that runs into one bounces by an
// impulse that all other joints feel; one that comes to rest there is held by a force until that
// would have to pull.
//
//   impact:  v⁺ = v + W Λ,  W = M⁻¹ E,  Λ ≥ 0 of all stops that are touched together (impact.hpp)
//   holding: v̇ = a + W f,   Eᵀ v̇ = 0,   f ≥ 0 inwards
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "couplet/integrate/archive.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::mechanics {

using math::MatX;
using math::VecX;

/// m or rad: closing a loop moves a joint by as much as this off its stop, to either side. Nothing
/// shorter is seen.
inline constexpr double rounding_of_loops = 1e-14;

struct Stop {
  int iq, iv;
  double bound;   // rad or m
  double inward;  // +1 at a lower end, -1 at an upper one
  double restitution;
  std::string name;  // "slide, lower limit"
  bool holds = false;
  bool leaving = false;  // it was just left; see Stops::set_slack
  // In the event at hand.
  bool hit = false;      // its distance became negative
  bool touched = false;  // takes part in the impact
  bool still = false;    // takes part without restitution: the bounce would be none
};

class Stops {
 public:
  /// v̇ at the present state for additional joint forces tau.
  using Accelerations = std::function<void(const VecX& tau, VecX& vdot)>;

  explicit Stops(const model::Mechanism& mechanism);

  /// m or rad: how far beyond a stop that it leaves a joint of a loop may be. For rules that begin
  /// with steps so short that the joint moves by less than closing the loop moves it: a stop would
  /// be hit again and again.
  void set_slack(double slack);

  std::vector<Stop>& list() { return list_; }
  const std::vector<Stop>& list() const { return list_; }
  bool any_holds() const { return holding_ > 0; }
  int holding() const { return holding_; }
  std::vector<bool> which_hold() const;
  /// How often a stop began or ceased to hold.
  int revision() const { return revision_; }

  /// Joints outside of their ranges, for a complaint.
  std::vector<const Stop*> violated(const VecX& q) const;

  /// Adds to vdot what the stops that hold do, and keeps their forces.
  void hold(const Accelerations& calc, VecX& vdot);
  /// The force of a stop that holds, inwards, where others have found it.
  void set_force(size_t i, double force) { forces_[static_cast<Eigen::Index>(i)] = force; }
  /// Joint forces of the stops that hold, of the last hold().
  void calc_tau(VecX& tau) const;
  /// Distance to the stop, up to rounding, or the force of a stop that holds.
  double root(size_t i, const VecX& y, int nq) const;

  /// An event begins, where root functions became negative: impacts, or releases.
  void begin_event(std::span<const size_t> fired);
  /// Back to what it was after begin_event; stops that were found still remain so.
  void begin_again(const Stops& begun);
  /// The impact of all stops that are touched, or would be in no time: v changes, and q of trees.
  /// Stops that are left cease to hold.
  void collide(double t, VecX& q, VecX& v, const Accelerations& calc);
  /// After it, with the accelerations that follow: a stop whose bounce is none. The impact is to be
  /// computed anew, with this stop still.
  bool find_still(double t, const VecX& before, const VecX& v, const VecX& vdot);
  /// The first stop that would have to pull ceases to hold, or the first that a joint touches
  /// without speed, and that vdot would take it through, begins to.
  std::optional<size_t> change_first(const VecX& q, const VecX& v, const VecX& vdot);
  /// Joints that are clear of the stops they left.
  void note_clear(const VecX& q);
  /// A freedom that is given a speed away from its stop is no longer held.
  void release_leaving(int iv, double speed);
  /// Puts joints that are held exactly on their stops.
  void project(VecX& q, VecX& v) const;
  void archive(integrate::Archive& archive);

 private:
  void set_holds(Stop& stop, bool holds);
  void calc_columns(const std::vector<size_t>& set, const Accelerations& calc);
  bool calc_impact(double t, const std::vector<size_t>& set, VecX& v, const Accelerations& calc);

  double distance(const Stop& stop, const VecX& q) const {
    return stop.inward * (q[stop.iq] - stop.bound);
  }

  double rounding_;  // m or rad: a joint this far beyond a stop is at it
  double slack_;     // the same beyond one that it leaves
  std::vector<Stop> list_;
  int holding_ = 0, revision_ = 0;
  VecX forces_;  // of each stop, inwards
  VecX tau_, with_, without_;
  MatX columns_;  // W
};

}  // namespace couplet::mechanics
