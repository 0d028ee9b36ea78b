// MuJoCo as an independent engine.
#include "oracles/mujoco_oracle.hpp"
#include "support/agreement.hpp"

namespace couplet::verification {
namespace {

TEST(Mujoco, AgreesOnRandomTrees) { expect_agreement_on_random_trees<oracles::MujocoOracle>(); }

}  // namespace
}  // namespace couplet::verification
