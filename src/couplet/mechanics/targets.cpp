#include "couplet/mechanics/targets.hpp"

#include <cmath>

#include "couplet/math/least_squares.hpp"

namespace couplet::mechanics {

using dynamics::System;
using math::MatX;
using math::VecX;
using model::State;

namespace {

constexpr double exact = 1e-15;

// W C⁻¹: what moves with each freedom of a set when it alone of them moves by one, and loops stay
// closed. W = M⁻¹E as loops let it, C = EᵀW; what loops and the other freedoms determine does not
// move.
MatX calc_shifts(System& system, const State& state, std::span<const Target> set) {
  constexpr double dependent = 1e-9, rounding = 1e-12;
  const auto n = static_cast<Eigen::Index>(set.size());
  VecX tau = VecX::Zero(state.v.size()), without = tau, with = tau, scale = VecX::Zero(n);
  MatX W(tau.size(), n), C(n, n);
  System::Motion motion = system.at(state);
  motion.calc_frictionless_vdot(tau, without);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int iv = set[static_cast<size_t>(k)].iv;
    tau[iv] = 1;
    motion.calc_frictionless_vdot(tau, with);
    tau[iv] = 0;
    W.col(k) = with - without;
    if (W(iv, k) > rounding * (1 + without.lpNorm<Eigen::Infinity>()))
      scale[k] = 1 / std::sqrt(W(iv, k));
  }
  for (Eigen::Index k = 0; k < n; ++k) C.row(k) = W.row(set[static_cast<size_t>(k)].iv);
  math::LeastSquares factor(dependent);
  factor.compute(scale.asDiagonal() * C * scale.asDiagonal());
  return W * scale.asDiagonal() * factor.make_pseudo_inverse() * scale.asDiagonal();
}

}  // namespace

void put_on(System& system, std::span<const Target> targets, State& state,
            dynamics::Residuals& left) {
  constexpr int most = 5;
  VecX off(static_cast<Eigen::Index>(targets.size()));
  MatX shifts;
  for (int i = 0; i < most && !targets.empty(); ++i) {
    for (size_t k = 0; k < targets.size(); ++k)
      off[static_cast<Eigen::Index>(k)] = state.q[targets[k].iq] - targets[k].value;
    if (off.lpNorm<Eigen::Infinity>() <= exact) return;
    if (i == 0) shifts = calc_shifts(system, state, targets);
    const VecX step = -shifts * off;
    system.mechanism().move(step, state.q);
    left = system.closure().project(state);
  }
}

void give_speeds(System& system, std::span<const Target> targets, State& state) {
  VecX off(static_cast<Eigen::Index>(targets.size()));
  for (size_t k = 0; k < targets.size(); ++k)
    off[static_cast<Eigen::Index>(k)] = state.v[targets[k].iv] - targets[k].value;
  if (targets.empty() ||
      off.lpNorm<Eigen::Infinity>() <= exact * (1 + state.v.lpNorm<Eigen::Infinity>()))
    return;
  state.v -= calc_shifts(system, state, targets) * off;
}

}  // namespace couplet::mechanics
