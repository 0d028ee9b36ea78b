// The same random trees in another engine: what its tests have in common.
#pragma once

#include <gtest/gtest.h>

#include "couplet/dynamics/minimal/system.hpp"
#include "oracles/random_tree.hpp"
#include "support/oracle_model.hpp"

namespace couplet::verification {

/// Forward and inverse dynamics of 200 random trees with every joint type, ours against the
/// engine's.
template <class Oracle>
void expect_agreement_on_random_trees() {
  std::mt19937_64 random(11);
  for (int n = 0; n < 200; ++n) {
    const oracles::OracleTree tree =
        oracles::random_tree(1 + n % 30, oracles::joint_types(), random);
    const oracles::OracleState state = oracles::random_state(tree, random);
    const std::vector<double> tau = oracles::random_speeds(tree, random, 10),
                              vdot = oracles::random_speeds(tree, random, 10);
    const auto mechanism = std::make_shared<const model::Mechanism>(compile_tree(tree));
    if (mechanism->nv == 0) continue;
    dynamics::System system(mechanism);
    Oracle engine(tree);
    const model::State ours = to_state(*mechanism, tree, state);
    const auto order = [&](const std::vector<double>& x) { return to_speeds(*mechanism, tree, x); };

    // 1e-9: the two engines agree among themselves to 3e-11 on such trees (oracle_self_check).
    math::VecX our_tau = order(tau), our_vdot(mechanism->nv);
    system.calc_vdot(ours, our_tau, our_vdot);
    const math::VecX their_vdot = order(engine.forward_dynamics(state, tau));
    EXPECT_LT((our_vdot - their_vdot).norm(), 1e-9 * their_vdot.norm()) << "tree " << n;

    system.inverse().calc_tau(ours, order(vdot), our_tau);
    const math::VecX their_tau = order(engine.inverse_dynamics(state, vdot));
    EXPECT_LT((our_tau - their_tau).norm(), 1e-9 * their_tau.norm()) << "tree " << n;
  }
}

}  // namespace couplet::verification
