// Forward and inverse dynamics by MuJoCo. Joints are made of its hinges, slides and balls; a screw
// is a hinge and a slide whose rates are tied, which leaves M and the bias forces to MuJoCo and
// only a projection to us. Trees may be some 90 bodies deep (MuJoCo's XML reader).
#pragma once

#include <memory>

#include "oracle_tree.hpp"

namespace couplet::oracles {

class MujocoOracle {
 public:
  explicit MujocoOracle(const OracleTree& tree);
  ~MujocoOracle();

  std::vector<double> forward_dynamics(const OracleState& state, const std::vector<double>& tau);
  std::vector<double> inverse_dynamics(const OracleState& state, const std::vector<double>& vdot);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace couplet::oracles
