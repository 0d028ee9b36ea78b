// The recursive formalism in joint coordinates: forward and inverse dynamics in O(n), mass matrix.
//
// tau are the generalised forces on the freedoms, power-conjugate to v. `forces` (optional) are
// torques and forces on links at their origins in link axes, 6 numbers each (forces/ makes them).
// Gravity is that of the mechanism. Nothing here allocates; workspaces are sized once.
#pragma once

#include "couplet/dynamics/minimal/workspace.hpp"

namespace couplet::dynamics {

using math::MatX;
using math::Vec3;
using math::VecX;
using model::State;

/// v̇ from τ. Where a joint is prescribed, its entry of vdot is an input, and its entry of tau is
/// overwritten by the force that the motion takes. Throws ComputationError, naming the joint, when
/// a freedom has no inertia.
void calc_forward_dynamics(const Mechanism& mechanism, const State& state, VecX& tau,
                           const double* forces, RecursiveWorkspace<double>& workspace, VecX& vdot);

/// The slow path after accelerations that are not finite: throws ComputationError that names the
/// freedom that is to blame.
[[noreturn]] void explain_infinite(const Mechanism& mechanism, const State& state);

/// τ from v̇.
void calc_inverse_dynamics(const Mechanism& mechanism, const State& state, const VecX& vdot,
                           const double* forces, InverseWorkspace<double>& workspace, VecX& tau);

/// Upper triangle of M (M.selfadjointView<Eigen::Upper>()); the rest is left undefined.
void calc_mass_matrix(const Mechanism& mechanism, const VecX& q,
                      MassMatrixWorkspace<double>& workspace, MatX& M);

}  // namespace couplet::dynamics
