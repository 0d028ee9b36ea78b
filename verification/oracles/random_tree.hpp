// Random trees and states for the oracles. Deterministic for a given generator and standard
// library.
#pragma once

#include <random>

#include "oracle_tree.hpp"

namespace couplet::oracles {

const std::vector<std::string>& joint_types();  // every one

/// Every body is a solid box with random sides, frames and joint type; its parent is any earlier
/// one.
OracleTree random_tree(int bodies, const std::vector<std::string>& types, std::mt19937_64& random);

OracleState random_state(const OracleTree& tree, std::mt19937_64& random);

/// One number in [-limit, limit] per speed.
std::vector<double> random_speeds(const OracleTree& tree, std::mt19937_64& random, double limit);

}  // namespace couplet::oracles
