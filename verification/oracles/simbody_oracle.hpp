// Forward and inverse dynamics by Simbody, with its own mobilizers and constraints.
#pragma once

#include <memory>

#include "oracle_tree.hpp"

namespace couplet::oracles {

class SimbodyOracle {
 public:
  explicit SimbodyOracle(const OracleTree& tree);
  ~SimbodyOracle();

  std::vector<double> forward_dynamics(const OracleState& state, const std::vector<double>& tau);
  /// Ignores loops.
  std::vector<double> inverse_dynamics(const OracleState& state, const std::vector<double>& vdot);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace couplet::oracles
