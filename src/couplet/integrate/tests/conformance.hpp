// What the conformance suites of rules share.
#pragma once

#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {

/// Tolerances are tried down to this one. Steps are as tolerance^(1/order): a rule of order 2 would take 1e7 of them for
/// twelve digits.
inline double tightest_tolerance(const RuleEntry& entry) { return entry.order <= 2 ? 1e-8 : 1e-12; }

}  // namespace couplet::integrate
