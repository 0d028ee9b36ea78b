// Simbody as an independent engine.
#include "oracles/simbody_oracle.hpp"
#include "support/agreement.hpp"

namespace couplet::verification {
namespace {

TEST(Simbody, AgreesOnRandomTrees) { expect_agreement_on_random_trees<oracles::SimbodyOracle>(); }

}  // namespace
}  // namespace couplet::verification
