#include "couplet/mechanics/stops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "couplet/base/text.hpp"
#include "couplet/math/least_squares.hpp"
#include "couplet/mechanics/impact.hpp"

namespace couplet::mechanics {
namespace {

// A flight shorter than this (s, or relative to t) is none: bounces have come to their point of
// accumulation.
constexpr double shortest_flight = 1e-9;

// The height from which a joint falls through its stop without being seen there: that of loops, and
// of q itself.
double fall(const Stop& stop, double of_loops) {
  return of_loops + 2 * std::numeric_limits<double>::epsilon() * std::abs(stop.bound);
}

}  // namespace

Stops::Stops(const model::Mechanism& mechanism)
    : rounding_(mechanism.constrained() ? rounding_of_loops : 0),
      slack_(rounding_),
      tau_(VecX::Zero(mechanism.nv)),
      with_(tau_),
      without_(tau_) {
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[static_cast<size_t>(slot.joint)];
    if (!joint.motion.empty() || joint.mimic) continue;
    for (size_t k = 0; k < joint.limits.size(); ++k) {
      const model::Limits& limits = joint.limits[k];
      const int iq = slot.iq + static_cast<int>(k), iv = slot.iv + static_cast<int>(k);
      const std::string& freedom = mechanism.dof_names[static_cast<size_t>(iv)];
      if (std::isfinite(limits.lower))
        list_.push_back({iq, iv, limits.lower, 1, limits.restitution, freedom + ", lower limit"});
      if (std::isfinite(limits.upper))
        list_.push_back({iq, iv, limits.upper, -1, limits.restitution, freedom + ", upper limit"});
    }
  }
  forces_ = VecX::Zero(static_cast<Eigen::Index>(list_.size()));
}

void Stops::set_slack(double slack) {
  if (rounding_ > 0) slack_ = std::max(slack, rounding_);
}

std::vector<const Stop*> Stops::violated(const VecX& q) const {
  std::vector<const Stop*> found;
  for (const Stop& stop : list_)
    if (distance(stop, q) < -rounding_) found.push_back(&stop);
  return found;
}

std::vector<bool> Stops::which_hold() const {
  std::vector<bool> holds;
  for (const Stop& stop : list_) holds.push_back(stop.holds);
  return holds;
}

void Stops::set_holds(Stop& stop, bool holds) {
  stop.holds = holds;
  stop.leaving = !holds;
  holding_ += holds ? 1 : -1;
  ++revision_;
}

// Columns of W for a set of stops, as differences of accelerations with and without a unit force.
void Stops::calc_columns(const std::vector<size_t>& set, const Accelerations& calc) {
  tau_.setZero();
  calc(tau_, without_);
  columns_.resize(tau_.size(), static_cast<Eigen::Index>(set.size()));
  for (size_t k = 0; k < set.size(); ++k) {
    const Stop& stop = list_[set[k]];
    tau_[stop.iv] = stop.inward;
    calc(tau_, with_);
    tau_[stop.iv] = 0;
    columns_.col(static_cast<Eigen::Index>(k)) = with_ - without_;
  }
}

void Stops::hold(const Accelerations& calc, VecX& vdot) {
  std::vector<size_t> set;
  for (size_t i = 0; i < list_.size(); ++i)
    if (list_[i].holds) set.push_back(i);
  calc_columns(set, calc);
  const auto n = static_cast<Eigen::Index>(set.size());
  MatX A(n, n);
  VecX a(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const Stop& stop = list_[set[static_cast<size_t>(r)]];
    A.row(r) = stop.inward * columns_.row(stop.iv);
    a[r] = stop.inward * without_[stop.iv];
  }
  // Not symmetric in a half-explicit stage, whose rows of constraints are those of two positions.
  math::LeastSquares factor;
  factor.compute(A);
  const VecX f = factor.solve(-a);
  vdot = without_ + columns_ * f;
  forces_.setZero();
  for (Eigen::Index r = 0; r < n; ++r)
    forces_[static_cast<Eigen::Index>(set[static_cast<size_t>(r)])] = f[r];
}

void Stops::calc_tau(VecX& tau) const {
  tau.setZero();
  for (size_t i = 0; i < list_.size(); ++i)
    if (list_[i].holds) tau[list_[i].iv] += list_[i].inward * forces_[static_cast<Eigen::Index>(i)];
}

// Between the ends of its first step the joint that leaves may seem to be beyond its stop, which it
// does not move towards.
double Stops::root(size_t i, const VecX& y, int nq) const {
  const Stop& stop = list_[i];
  if (stop.holds) return forces_[static_cast<Eigen::Index>(i)];
  if (stop.leaving) return std::max(distance(stop, y) + slack_, stop.inward * y[nq + stop.iv]);
  return distance(stop, y) + rounding_;
}

// ---- Impacts.

void Stops::begin_event(std::span<const size_t> fired) {
  for (Stop& stop : list_) stop.hit = stop.still = false, stop.touched = stop.holds;
  for (const size_t i : fired) {
    Stop& stop = list_[i];
    if (stop.holds)
      set_holds(stop, false);  // it would have to pull
    else
      stop.hit = true;
    stop.touched = true;
  }
}

void Stops::begin_again(const Stops& begun) {
  for (size_t i = 0; i < list_.size(); ++i) {
    const bool still = list_[i].still;
    list_[i] = begun.list_[i];
    list_[i].still = still;
  }
  holding_ = begun.holding_;
  ++revision_;
}

// v⁺ of the stops in a set. False: nothing happens.
bool Stops::calc_impact(double t, const std::vector<size_t>& set, VecX& v,
                        const Accelerations& calc) {
  constexpr double rounding = 1e-12, slow = 1e-9;  // relative; m/s or rad/s
  const auto n = static_cast<Eigen::Index>(set.size());
  VecX gamma(n), e(n);
  bool any = false;
  for (Eigen::Index r = 0; r < n; ++r) {
    const Stop& stop = list_[set[static_cast<size_t>(r)]];
    gamma[r] = stop.inward * v[stop.iv];
    e[r] = stop.still ? 0 : stop.restitution;
    any = any || gamma[r] < 0 || (stop.still && gamma[r] > 0);
  }
  if (!any) return false;
  calc_columns(set, calc);
  MatX C(n, n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const Stop& stop = list_[set[static_cast<size_t>(r)]];
    C.row(r) = stop.inward * columns_.row(stop.iv);
  }
  const double least = rounding * (1 + without_.lpNorm<Eigen::Infinity>());
  for (Eigen::Index r = 0; r < n; ++r) {
    const Stop& stop = list_[set[static_cast<size_t>(r)]];
    if (C(r, r) <= least) C.row(r).setZero(), C.col(r).setZero();  // nothing can move it
    if (C(r, r) == 0 && gamma[r] < 0 && gamma[r] > -slow) gamma[r] = 0;
    if (C(r, r) == 0 || !stop.still || gamma[r] <= 0) continue;
    v -= gamma[r] / C(r, r) * columns_.col(r);  // a flight too low to be seen is none
    gamma -= gamma[r] / C(r, r) * C.col(r).eval();
    gamma[r] = 0;
  }
  const std::optional<VecX> impulses = calc_impulses(C, gamma, e);
  if (!impulses) {
    Eigen::Index worst = 0;
    gamma.minCoeff(&worst);
    throw base::ComputationError(
        fmt::format("t = {:.9g}: {} is hit, and no impulse there can end the motion into it: what "
                    "is prescribed "
                    "or tied drives it through",
                    t, base::quoted(list_[set[static_cast<size_t>(worst)]].name)));
  }
  v += columns_ * *impulses;
  const VecX size = gamma.cwiseAbs() + C.cwiseAbs() * *impulses;
  for (Eigen::Index r = 0; r < n; ++r) {
    const Stop& stop = list_[set[static_cast<size_t>(r)]];
    double& speed = v[stop.iv];
    if (n == 1 && gamma[r] < 0) speed = -e[r] * stop.inward * gamma[r];  // exactly
    if (std::abs(speed) <= rounding * size[r] && C(r, r) > 0) speed = 0;
  }
  return true;
}

void Stops::collide(double t, VecX& q, VecX& v, const Accelerations& calc) {
  const double soon = shortest_flight * std::max(1.0, std::abs(t));
  const VecX before = v;
  std::vector<size_t> set;
  for (bool more = true; more;) {
    more = false;
    set.clear();
    for (size_t i = 0; i < list_.size(); ++i)
      if (list_[i].touched) set.push_back(i);
    v = before;
    calc_impact(t, set, v, calc);
    for (Stop& stop : list_) {
      const double reached = distance(stop, q) + soon * std::min(0.0, stop.inward * v[stop.iv]);
      if (stop.touched || stop.inward * v[stop.iv] >= 0 || reached >= 0) continue;
      stop.touched = stop.hit = more = true;
    }
  }
  for (const size_t i : set) {
    Stop& stop = list_[i];
    if (stop.hit && rounding_ == 0) q[stop.iq] = stop.bound;
    if (stop.holds && stop.inward * v[stop.iv] > 0) set_holds(stop, false);
    if (!stop.holds) stop.leaving = true;
  }
}

bool Stops::find_still(double t, const VecX& before, const VecX& v, const VecX& vdot) {
  constexpr double unseen = 1e-6;  // m or rad: no rule is trusted to hit a stop from less than this
                                   // where it rises
  bool found = false;
  for (Stop& stop : list_) {
    if (!stop.touched || stop.holds || stop.still) continue;
    const double speed = stop.inward * v[stop.iv], acceleration = stop.inward * vdot[stop.iv];
    const bool rose = stop.hit && stop.inward * before[stop.iv] > 0;
    const bool long_enough =
        2 * speed > -acceleration * shortest_flight * std::max(1.0, std::abs(t));
    // Falling through the rounding ρ as well, v² → e² (v² + 2 a ρ): bounces would not end below v²
    // = 2 a ρ e²/(1 - e²).
    const double e2 = stop.restitution * stop.restitution;
    const bool high_enough =
        rose ? speed * speed > -2 * acceleration * unseen
             : speed * speed * std::max(1 - e2, 0.05) > -4 * acceleration * fall(stop, slack_) * e2;
    if (speed == 0 || acceleration >= 0 || (long_enough && high_enough)) continue;
    stop.still = found = true;
  }
  return found;
}

std::optional<size_t> Stops::change_first(const VecX& q, const VecX& v, const VecX& vdot) {
  constexpr double touching = 1e-12, slow = 1e-9,
                   steady = 1e-9;  // m, m/s, m/s² or rad, rad/s, rad/s²
  for (size_t i = 0; i < list_.size(); ++i) {
    Stop& stop = list_[i];
    const double speed = v[stop.iv], inwards = stop.inward * vdot[stop.iv];
    const bool low = std::abs(speed) <= slow || speed * speed <= -4 * inwards * fall(stop, slack_);
    const bool rests = (stop.hit || distance(stop, q) <= touching) && low;
    if (stop.holds ? forces_[static_cast<Eigen::Index>(i)] >= 0
                   : !rests || inwards >= (stop.hit ? 0 : -steady))
      continue;
    if (stop.holds) stop.hit = false;  // once is enough for one that rounding presses against it
    set_holds(stop, !stop.holds);
    return i;
  }
  return std::nullopt;
}

void Stops::note_clear(const VecX& q) {
  for (Stop& stop : list_)
    if (stop.leaving && distance(stop, q) > slack_) stop.leaving = false;
}

void Stops::release_leaving(int iv, double speed) {
  for (Stop& stop : list_)
    if (stop.iv == iv && stop.holds && stop.inward * speed > 0) set_holds(stop, false);
}

void Stops::project(VecX& q, VecX& v) const {
  for (const Stop& stop : list_)
    if (stop.holds) q[stop.iq] = stop.bound, v[stop.iv] = 0;
}

void Stops::archive(integrate::Archive& archive) {
  archive(holding_);
  for (Stop& stop : list_) archive(stop.holds), archive(stop.leaving);
  archive(forces_);
  archive.check(holding_ == std::count_if(list_.begin(), list_.end(),
                                          [](const Stop& stop) { return stop.holds; }));
  if (archive.loading()) ++revision_;
}

}  // namespace couplet::mechanics
