// Butcher tableaux of the methods that fit on a page. Sources: Hairer, Nørsett, Wanner, "Solving
// Ordinary Differential Equations I", tables II.1.2, II.5.1 (Fehlberg 4(5)), II.5.2 (Dormand-Prince
// 5(4)); the interpolant of order 4 of the latter is L. F. Shampine's, Math. Comp. 46 (1986), as
// polynomials per stage. Half-explicit Dormand-Prince: A. Murua, "Partitioned half-explicit
// Runge-Kutta methods for differential-algebraic systems of index 2", Computing 59 (1997).
#include "couplet/integrate/rules/runge_kutta.hpp"

namespace couplet::integrate {
namespace {

constexpr double euler_c[] = {0}, euler_b[] = {1};

constexpr double rk4_c[] = {0, 0.5, 0.5, 1};
constexpr double rk4_a[] = {0.5,       //
                            0,   0.5,  //
                            0,   0,   1};
constexpr double rk4_b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

constexpr double fehlberg_c[] = {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2};
constexpr double fehlberg_a[] = {1.0 / 4,                   //
                                 3.0 / 32,       9.0 / 32,  //
                                 1932.0 / 2197,  -7200.0 / 2197,
                                 7296.0 / 2197,  //
                                 439.0 / 216,    -8.0,
                                 3680.0 / 513,   -845.0 / 4104,  //
                                 -8.0 / 27,      2.0,
                                 -3544.0 / 2565, 1859.0 / 4104,
                                 -11.0 / 40};
// The solution of order 5 is carried on: errors of that of order 4 would add up beyond the
// tolerance.
constexpr double fehlberg_b[] = {16.0 / 135,      0,         6656.0 / 12825,
                                 28561.0 / 56430, -9.0 / 50, 2.0 / 55};
constexpr double fehlberg_error[] = {1.0 / 360,       0,        -128.0 / 4275,
                                     -2197.0 / 75240, 1.0 / 50, 2.0 / 55};

constexpr double dp5_c[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double dp5_a[] = {1.0 / 5,                    //
                            3.0 / 40,        9.0 / 40,  //
                            44.0 / 45,       -56.0 / 15,
                            32.0 / 9,  //
                            19372.0 / 6561,  -25360.0 / 2187,
                            64448.0 / 6561,  -212.0 / 729,  //
                            9017.0 / 3168,   -355.0 / 33,
                            46732.0 / 5247,  49.0 / 176,
                            -5103.0 / 18656,  //
                            35.0 / 384,      0,
                            500.0 / 1113,    125.0 / 192,
                            -2187.0 / 6784,  11.0 / 84};
constexpr double dp5_b[] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0};
constexpr double dp5_error[] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr double dp5_dense[] = {1,
                                -8048581381.0 / 2820520608,
                                8663915743.0 / 2820520608,
                                -12715105075.0 / 11282082432,
                                0,
                                0,
                                0,
                                0,
                                0,
                                131558114200.0 / 32700410799,
                                -68118460800.0 / 10900136933,
                                87487479700.0 / 32700410799,
                                0,
                                -1754552775.0 / 470086768,
                                14199869525.0 / 1410260304,
                                -10690763975.0 / 1880347072,
                                0,
                                127303824393.0 / 49829197408,
                                -318862633887.0 / 49829197408,
                                701980252875.0 / 199316789632,
                                0,
                                -282668133.0 / 205662961,
                                2019193451.0 / 616988883,
                                -1453857185.0 / 822651844,
                                0,
                                40617522.0 / 29380423,
                                -110615467.0 / 29380423,
                                69997945.0 / 29380423};

// Where the stages of the half-explicit method meet the constraints: Σ āᵢⱼ cⱼᵏ⁻¹ = c̄ᵢᵏ/k for k ≤ 3,
// and the last is the end of the step.
constexpr double he5_c[] = {3.0 / 10, 3.0 / 8, 5.0 / 7, 1, 1};
constexpr double he5_a[] = {3.0 / 40,        9.0 / 40,  //
                            21.0 / 256,      45.0 / 256,
                            15.0 / 128,  //
                            19235.0 / 98784, -225.0 / 392,
                            6235.0 / 6174,   2755.0 / 32928,  //
                            -293.0 / 1152,   85.0 / 48,
                            -2275.0 / 1908,  35.0 / 32,
                            -2835.0 / 6784,  //
                            35.0 / 384,      0,
                            500.0 / 1113,    125.0 / 192,
                            -2187.0 / 6784,  11.0 / 84};

}  // namespace

const Tableau euler{1, euler_c, {}, euler_b, {}, {}};
const Tableau classical_rk4{4, rk4_c, rk4_a, rk4_b, {}, {}};
const Tableau fehlberg{6, fehlberg_c, fehlberg_a, fehlberg_b, fehlberg_error, {}};
const Tableau dormand_prince_5{7, dp5_c, dp5_a, dp5_b, dp5_error, {}, true, dp5_dense, 4};
const Tableau half_explicit_5{7,    dp5_c,     dp5_a, dp5_b, dp5_error, {},
                              true, dp5_dense, 4,     0,     he5_c,     he5_a};

template <>
const RuleEntry& rule_entry<struct Dopri5Rule>() {
  static constexpr RuleEntry entry{
      .name = "dopri5",
      .doc = "Dormand-Prince 5(4): the default",
      .order = 5,
      .error_order = 5,
      .control = StepControl::error,
      .share = 0.03,
      .asks = Asks::rates,
      .make = make_runge_kutta<dormand_prince_5>,
      .reach = 3.3,
  };
  return entry;
}

template <>
const RuleEntry& rule_entry<struct Rkf45Rule>() {
  static constexpr RuleEntry entry{
      .name = "rkf45",
      .doc = "Fehlberg 4(5), carrying on the solution of order 5",
      .order = 5,
      .error_order = 5,
      .control = StepControl::error,
      .share = 0.008,
      .asks = Asks::rates,
      .make = make_runge_kutta<fehlberg>,
      .reach = 3.7,
  };
  return entry;
}

template <>
const RuleEntry& rule_entry<struct Hem5Rule>() {
  static constexpr RuleEntry entry{
      .name = "hem5",
      .doc = "half-explicit Dormand-Prince 5(4) (Murua's PHEM56): constrained systems, index 2",
      .order = 5,
      .error_order = 5,
      .control = StepControl::error,
      .share = 0.03,
      .asks = Asks::stages,
      .make = make_runge_kutta<half_explicit_5>,
      .reach = 3.3,
  };
  return entry;
}

template <>
const RuleEntry& rule_entry<struct Rk4Rule>() {
  static constexpr RuleEntry entry{
      .name = "rk4",
      .doc = "classical Runge-Kutta",
      .order = 4,
      .error_order = 0,
      .control = StepControl::fixed,
      .share = 0,
      .asks = Asks::rates,
      .make = make_runge_kutta<classical_rk4>,
  };
  return entry;
}

template <>
const RuleEntry& rule_entry<struct EulerRule>() {
  static constexpr RuleEntry entry{
      .name = "euler",
      .doc = "forward Euler: to show why not",
      .order = 1,
      .error_order = 0,
      .control = StepControl::fixed,
      .share = 0,
      .asks = Asks::rates,
      .make = make_runge_kutta<euler>,
  };
  return entry;
}

}  // namespace couplet::integrate
