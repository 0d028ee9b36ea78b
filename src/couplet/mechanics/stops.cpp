#include "couplet/mechanics/stops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "couplet/math/dense_symmetric.hpp"
#include "couplet/math/least_squares.hpp"

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

// Impulses at one stop that is hit and at those that hold; a stop that would have to pull lets go.
void Stops::apply_impulses(size_t impact, double restitution, VecX& v, const Accelerations& calc) {
  while (true) {
    std::vector<size_t> set{impact};
    for (size_t i = 0; i < list_.size(); ++i)
      if (list_[i].holds && i != impact) set.push_back(i);
    calc_columns(set, calc);
    const auto n = static_cast<Eigen::Index>(set.size());
    MatX A(n, n);
    VecX change(n);
    for (Eigen::Index r = 0; r < n; ++r) {
      const Stop& stop = list_[set[static_cast<size_t>(r)]];
      A.row(r) = stop.inward * columns_.row(stop.iv);
      change[r] = -(r == 0 ? 1 + restitution : 1.0) * stop.inward * v[stop.iv];
    }
    const VecX impulse = math::solve_symmetric(A, change);
    Eigen::Index pulling = 0;
    if (n > 1 && impulse.tail(n - 1).minCoeff(&pulling) < 0) {
      set_holds(list_[set[static_cast<size_t>(pulling + 1)]], false);
      continue;
    }
    const double before = v[list_[impact].iv];
    v += columns_ * impulse;
    v[list_[impact].iv] = -restitution * before;  // exactly
    return;
  }
}

bool Stops::handle(size_t i, double t, VecX& q, VecX& v, const Accelerations& calc,
                   bool after_impact) {
  Stop& stop = list_[i];
  if (stop.holds) {  // it would have to pull: release
    set_holds(stop, false);
    return false;
  }
  const double gap = stop.bound - q[stop.iq];
  q[stop.iq] = stop.bound;
  const bool leaving = stop.inward * v[stop.iv] > 0;
  stop.leaving = true;
  if (leaving && after_impact) return false;  // the other impact has sent it back already
  apply_impulses(i, leaving ? 0 : stop.restitution, v,
                 calc);  // a flight too low for the rule to see is none
  // In a loop the others follow along the constraints; moved alone, the joint would be drawn back
  // beyond its stop.
  if (rounding_ > 0 && q.size() == v.size()) {
    q[stop.iq] -= gap;
    q += gap / columns_(stop.iv, 0) * columns_.col(0);
  }
  VecX vdot(v.size());
  tau_.setZero();
  if (any_holds())
    hold(calc, vdot);
  else
    calc(tau_, vdot);
  const double speed = stop.inward * v[stop.iv], acceleration = stop.inward * vdot[stop.iv];
  const bool long_enough = 2 * speed > -acceleration * shortest_flight * std::max(1.0, std::abs(t));
  // Falling through the rounding ρ as well, v² → e² (v² + 2 a ρ): bounces would not end below v² =
  // 2 a ρ e²/(1 - e²).
  const double e2 = stop.restitution * stop.restitution;
  const bool high_enough =
      speed * speed * std::max(1 - e2, 0.05) > -4 * acceleration * fall(stop, slack_) * e2;
  if (acceleration >= 0 || (long_enough && high_enough)) return false;
  if (speed != 0) apply_impulses(i, 0, v, calc);
  set_holds(stop, true);
  v[stop.iv] = 0;
  hold(calc, vdot);
  return true;
}

std::optional<size_t> Stops::change_first(const VecX& q, VecX& v, const VecX& vdot) {
  constexpr double touching = 1e-12, slow = 1e-9,
                   steady = 1e-9;  // m, m/s, m/s² or rad, rad/s, rad/s²
  for (size_t i = 0; i < list_.size(); ++i) {
    Stop& stop = list_[i];
    const double speed = v[stop.iv], inwards = stop.inward * vdot[stop.iv];
    const bool low = std::abs(speed) <= slow || speed * speed <= -4 * inwards * fall(stop, slack_);
    const bool rests = distance(stop, q) <= touching && low;
    if (stop.holds ? forces_[static_cast<Eigen::Index>(i)] >= 0 : !rests || inwards >= -steady)
      continue;
    set_holds(stop, !stop.holds);
    if (stop.holds) v[stop.iv] = 0;
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
