#include "couplet/mechanics/friction.hpp"

namespace couplet::mechanics {

using math::Vec3;

namespace {

// rad/s, m/s: a joint that slips but that others hold has a speed of zero, up to rounding.
constexpr double rounding = 1e-12;

}  // namespace

StickSlip::StickSlip(dynamics::System& system) : system_(system) {
  if (!active()) return;
  system_.friction()->remember();
  const std::vector<dynamics::FrictionGroup>& groups = system_.friction()->groups();
  for (size_t g = 0; g < groups.size(); ++g)
    if (groups[g].switches()) switching_.push_back(g);
}

bool StickSlip::any_sticks() const {
  for (size_t i = 0; i < size(); ++i)
    if (group(i).sticks) return true;
  return false;
}

double StickSlip::root(size_t i, const VecX& v) const {
  const dynamics::FrictionGroup& it = group(i);
  if (it.sticks) return it.reserve;
  const Vec3 speed = it.speed(v);
  return speed.dot(it.direction) + rounding -
         (it.n > 1 ? 0.5 * speed.norm() : 0);  // before friction itself turns round
}

std::string StickSlip::name(size_t i) const { return group(i).name + ", friction"; }

void StickSlip::set_held(const Stops& stops) {
  held_.clear();
  for (const Stop& stop : stops.list())
    if (stop.holds) held_.push_back(stop.iv);
  system_.friction()->set_held(held_);
}

void StickSlip::calc_vdot(dynamics::System::Motion& motion, Stops& stops, VecX& tau, VecX& vdot) {
  set_held(stops);
  motion.calc_vdot(tau, vdot);
  size_t k = 0;
  for (size_t i = 0; i < stops.list().size(); ++i)
    if (stops.list()[i].holds)
      stops.set_force(i, stops.list()[i].inward * system_.friction()->held_force(k++));
}

void StickSlip::decide(model::State& state, const Stops& stops, std::span<const size_t> fired) {
  std::vector<size_t> released;
  for (const size_t i : fired)
    if (group(i).sticks) released.push_back(switching_[i]);
  set_held(stops);
  system_.decide_friction(state, released);
  project(state.v);
}

void StickSlip::project(VecX& v) const {
  for (size_t i = 0; i < size(); ++i)
    if (group(i).sticks) v.segment(group(i).iv, group(i).n).setZero();
}

void StickSlip::add_targets(std::vector<Target>& speeds) const {
  for (size_t i = 0; i < size(); ++i)
    for (int k = 0; group(i).sticks && k < group(i).n; ++k)
      speeds.push_back({-1, group(i).iv + k, 0});
}

void StickSlip::note_step(const VecX& v) {
  for (size_t i = 0; i < size(); ++i) {
    dynamics::FrictionGroup& it = group(i);
    const Vec3 speed = it.speed(v);
    if (it.n > 1 && !it.sticks && speed.norm() > rounding) it.direction = speed.normalized();
  }
}

void StickSlip::archive(integrate::Archive& archive) {
  for (size_t i = 0; i < size(); ++i) {
    dynamics::FrictionGroup& it = group(i);
    archive(it.sticks);
    for (double& x : it.direction) archive(x);
    archive(it.reserve);
  }
}

}  // namespace couplet::mechanics
