// Steps of rules for constrained systems allocate nothing: every allocation of this program is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "constrained_problems.hpp"
#include "couplet/integrate/rule.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<long> allocations{0};
}

// Eigen calls malloc itself, so operator new would not see it.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

namespace couplet::integrate {
namespace {

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
  const long before = allocations;
  std::free(std::malloc(8));
  ASSERT_GT(allocations, before);  // they are counted
  for (const char* name : {"half-explicit-euler", "hem5", "mexx", "gbs", "dopri5", "generalised-alpha", "radau5"}) {
    EXPECT_EQ(allocations_of_steps<CartesianPendulum>(check_rule(name), 0.01), 0) << name;
    EXPECT_EQ(allocations_of_steps<BeadOnTurningRod>(check_rule(name), 0.01), 0) << name;
    EXPECT_EQ(allocations_of_steps<Skate>(check_rule(name), 0.01), 0) << name;
  }
}

}  // namespace
}  // namespace couplet::integrate

#endif
