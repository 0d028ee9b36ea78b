// Couplet's model of an oracle tree, and the order of its freedoms.
#pragma once

#include <vector>

#include "couplet/model/mechanism.hpp"
#include "oracles/oracle_tree.hpp"

namespace couplet::verification {

/// The tree as a compiled mechanism; joint k of the model carries body k of the tree, loops are cut
/// joints and constraints.
model::Mechanism compile_tree(const oracles::OracleTree& tree);

/// State and speeds-like vectors between the oracle's order (body by body) and the mechanism's.
model::State to_state(const model::Mechanism& mechanism, const oracles::OracleTree& tree,
                      const oracles::OracleState& state);
oracles::OracleState from_state(const model::Mechanism& mechanism, const oracles::OracleTree& tree,
                                const model::State& state);
math::VecX to_speeds(const model::Mechanism& mechanism, const oracles::OracleTree& tree,
                     const std::vector<double>& values);

}  // namespace couplet::verification
