// Bogacki and Shampine's pair of orders 3 and 2: P. Bogacki, L. F. Shampine, "A 3(2) pair of
// Runge-Kutta formulas", Applied Mathematics Letters 2 (1989), 321-325. Four stages, the last of
// which is the first of the next step. The cheapest rule with an error estimate: for loose
// tolerances and rough right-hand sides.
#include "couplet/integrate/rules/runge_kutta.hpp"

namespace couplet::integrate {
namespace {

constexpr double c[] = {0, 1.0 / 2, 3.0 / 4, 1};
constexpr double a[] = {1.0 / 2,           //
                        0,       3.0 / 4,  //
                        2.0 / 9, 1.0 / 3, 4.0 / 9};
constexpr double b[] = {2.0 / 9, 1.0 / 3, 4.0 / 9, 0};
constexpr double error[] = {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8};  // b - (7/24, 1/4, 1/3, 1/8)

const Tableau tableau{4, c, a, b, error, {}, true};

}  // namespace

template <>
const RuleEntry& rule_entry<struct Bs32Rule>() {
  static constexpr RuleEntry entry{
      .name = "bs32",
      .doc = "Bogacki-Shampine 3(2): loose tolerances, rough forces",
      .order = 3,
      .error_order = 3,
      .control = StepControl::error,
      .share = 0.015,
      .asks = Asks::rates,
      .make = make_runge_kutta<tableau>,
      .reach = 2.5,
  };
  return entry;
}

}  // namespace couplet::integrate
