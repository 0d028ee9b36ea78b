// Kinetic and potential energy of an oracle tree, from the conventions of oracle_tree.hpp alone and
// by no engine: what ties the oracles to those conventions.
#pragma once

#include "oracle_tree.hpp"

namespace couplet::oracles {

/// T + V; V is zero at the world's origin.
double calc_energy(const OracleTree& tree, const OracleState& state);

/// The state a short time later (or earlier) on a path with the given velocity and acceleration.
OracleState move(const OracleTree& tree, const OracleState& state, const std::vector<double>& vdot,
                 double seconds);

}  // namespace couplet::oracles
