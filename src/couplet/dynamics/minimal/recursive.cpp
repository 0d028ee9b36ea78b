#include "couplet/dynamics/minimal/recursive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/kernels.hpp"

namespace couplet::dynamics {
namespace {

// Gravity is an upward acceleration of the world.
V3<double> base_acceleration(const Mechanism& mechanism) {
  const Vec3& g = mechanism.uniform_gravity;
  return {-g.x(), -g.y(), -g.z()};
}

// One by one: a pack would have to wait until the numbers, just written one by one, are in the
// cache.
bool is_finite(const VecX& x) {
  return std::all_of(x.begin(), x.end(), [](double xi) { return std::isfinite(xi); });
}

}  // namespace

void explain_infinite(const Mechanism& mechanism, const State& state) {
  if (!state.q.allFinite() || !state.v.allFinite())
    throw base::ComputationError(fmt::format("t = {:.9g}: the state is not finite", state.t));
  MassMatrixWorkspace<double> workspace(mechanism);
  MatX M(mechanism.nv, mechanism.nv);
  calc_mass_matrix(mechanism, state.q, workspace, M);
  for (int i = 0; i < mechanism.nv; ++i)
    if (!(M(i, i) > 0))
      throw base::ComputationError(fmt::format(
          "t = {:.9g}: the acceleration of {} is not determined: nothing that it moves has inertia",
          state.t, base::quoted(mechanism.dof_names[i])));
  throw base::ComputationError(fmt::format(
      "t = {:.9g}: accelerations are not finite: a force is not, or bodies that have hardly "
      "any inertia meet large ones",
      state.t));
}

void calc_forward_dynamics(const Mechanism& mechanism, const State& state, VecX& tau,
                           const double* forces, RecursiveWorkspace<double>& workspace,
                           VecX& vdot) {
  kernels().forward_dynamics(view(mechanism),
                             {state.q.data(), state.v.data(), tau.data(), forces,
                              base_acceleration(mechanism), vdot.data(), tau.data()},
                             workspace.pointers());
  if (!is_finite(vdot)) explain_infinite(mechanism, state);
}

void calc_inverse_dynamics(const Mechanism& mechanism, const State& state, const VecX& vdot,
                           const double* forces, InverseWorkspace<double>& workspace, VecX& tau) {
  kernels().inverse_dynamics(view(mechanism),
                             {state.q.data(), state.v.data(), vdot.data(), forces,
                              base_acceleration(mechanism), tau.data()},
                             workspace.pointers());
}

void calc_mass_matrix(const Mechanism& mechanism, const VecX& q,
                      MassMatrixWorkspace<double>& workspace, MatX& M) {
  kernels().mass_matrix(view(mechanism), mechanism.nv, q.data(), workspace.pointers(), M.data(),
                        mechanism.nv);
}

}  // namespace couplet::dynamics
