// Steps of rules for constrained systems allocate nothing: every allocation of this program is
// counted.
#include <gtest/gtest.h>

#include "constrained_problems.hpp"
#include "couplet/base/tests/allocations.hpp"
#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {
namespace {

using base::allocations;

template <class P>
long allocations_of_steps(const RuleEntry& entry, double step) {
  P problem;
  const double tolerance = entry.control == StepControl::fixed ? 0 : 1e-6;
  const std::unique_ptr<Rule> rule = make_rule(entry, problem, {tolerance, tolerance});
  rule->start(0, P::start(), step);
  rule->attempt(step);
  rule->accept();
  const long before = allocations;
  for (int i = 0; i < 5; ++i) {
    rule->attempt(step);
    rule->accept();
  }
  return allocations - before;
}

TEST(ConstrainedRules, StepsAllocateNothing) {
  if (!base::allocations_are_counted())
    GTEST_SKIP() << "allocations are not counted with sanitizers";
  for (const char* name :
       {"half-explicit-euler", "hem5", "mexx", "gbs", "dopri5", "generalised-alpha", "radau5"}) {
    EXPECT_EQ(allocations_of_steps<CartesianPendulum>(check_rule(name), 0.01), 0) << name;
    EXPECT_EQ(allocations_of_steps<BeadOnTurningRod>(check_rule(name), 0.01), 0) << name;
    EXPECT_EQ(allocations_of_steps<Skate>(check_rule(name), 0.01), 0) << name;
  }
}

}  // namespace
}  // namespace couplet::integrate
