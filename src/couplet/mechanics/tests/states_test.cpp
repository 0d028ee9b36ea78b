// First-order states of a model against closed forms, with every rule, through every service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "couplet/integrate/tests/conformance.hpp"
#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using integrate::RuleEntry;
using math::VecX;
using testing::HasSubstr;

// A mass of 1 kg, a spring and damper towards `target` and the integral of the error: the error e
// = target - q obeys e''' + 6 e'' + 11 e' + 6 e = 0, whose roots are -1, -2, -3.
const char* const pi_controller = R"(
parameters: {target: 1 m}
states: {integral: {rate: target - slider.q, start: 0, unit: m s}}
bodies: {mass: {mass: 1, particle: true}}
joints:
  slider: {type: prismatic, from: world, to: mass, axis: x,
           force: "11*(target - slider.q) + 6*integral - 6*slider.v"}
)";

// e = a e⁻ᵗ + b e⁻²ᵗ + c e⁻³ᵗ from e(0) = 1, e'(0) = 0, e''(0) = -11.
VecX pi_solution(double t) {
  constexpr double a = -2.5, b = 8, c = -4.5;
  const double E1 = std::exp(-t), E2 = std::exp(-2 * t), E3 = std::exp(-3 * t);
  VecX y(3);
  y << 1 - (a * E1 + b * E2 + c * E3), a * E1 + 2 * b * E2 + 3 * c * E3,
      a * (1 - E1) + b / 2 * (1 - E2) + c / 3 * (1 - E3);
  return y;
}

std::string name_of(const testing::TestParamInfo<RuleEntry>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class StatesWithRule : public testing::TestWithParam<RuleEntry> {};
INSTANTIATE_TEST_SUITE_P(All, StatesWithRule,
                         testing::ValuesIn(integrate::rules().begin(), integrate::rules().end()),
                         name_of);

double error_of(const RuleEntry& entry, const integrate::Tolerance& tolerance,
                const integrate::DriverOptions& options, double t_end) {
  MechanismProblem problem(mechanism_of(pi_controller));
  integrate::Driver driver(problem, entry, tolerance, options);
  driver.start(0, problem.make_y(problem.mechanism().default_state()));
  integrate::Silent silent;
  const integrate::Outcome outcome = driver.run(t_end, silent);
  EXPECT_EQ(outcome.ending, integrate::Ending::reached) << entry.name << ": " << outcome.message;
  return (driver.rule().y() - pi_solution(t_end)).lpNorm<Eigen::Infinity>();
}

TEST_P(StatesWithRule, ConvergesWithItsOrder) {
  const RuleEntry& entry = GetParam();
  if (entry.control == integrate::StepControl::own) {  // chooses its own steps: within tolerances
    EXPECT_LT(error_of(entry, {1e-8, 1e-8}, {}, 2), 1e-7);
    return;
  }
  const double h = entry.order >= 8   ? 0.25
                   : entry.order >= 4 ? 0.02
                   : entry.order == 2 ? 0.004
                                      : 2e-4;
  const double coarse = error_of(entry, {}, {.step = h}, 2),
               fine = error_of(entry, {}, {.step = h / 2}, 2);
  // Eighth-order rules come from above: with shorter steps only round-off would be left.
  EXPECT_GT(std::log2(coarse / fine), entry.order - 0.15) << coarse << " " << fine;
  EXPECT_TRUE(entry.order >= 8 || std::log2(coarse / fine) < entry.order + 0.15)
      << coarse << " " << fine;
}

TEST_P(StatesWithRule, ContinuesFromAnArchiveBitForBit) {
  MechanismProblem problem(mechanism_of(pi_controller));
  integrate::expect_same_bits_from_archive(GetParam(), problem,
                                           {pi_solution(0), VecX::Constant(3, 0.5), 2, 5}, 0.03);
}

// T ẋ = sin(ωt) - x from 0, in a model without any freedom.
TEST(States, AFilterFollowsASine) {
  constexpr double T = 0.3, w = 5, t = 2;
  const auto mechanism = mechanism_of(
      "parameters: {T: 0.3 s}\nstates: {x: {rate: (sin(5*t) - x)/T}}\n"
      "outputs: {lag: sin(5*t) - x}");
  const double exact =
      (std::sin(w * t) - w * T * std::cos(w * t) + w * T * std::exp(-t / T)) / (1 + w * w * T * T);
  for (const char* rule : {"dop853", "gbs", "radau5", "cvode-bdf", "ida"}) {
    RunOptions options = with(rule, 1e-10, t);
    options.record = {"x", "x.rate", "lag"};
    const results::Recording r = simulate(mechanism, options);
    EXPECT_NEAR(last(r, "x"), exact, 1e-8) << rule;
    EXPECT_NEAR(last(r, "x.rate"), (std::sin(w * t) - exact) / T, 1e-7) << rule;
    EXPECT_NEAR(last(r, "lag"), std::sin(w * t) - exact, 1e-8) << rule;
  }
}

// L i' = V - R i - k ω, J ω' = k i - b ω: e^{At} of a 2 × 2 matrix by its eigenvalues (Sylvester).
TEST(States, AMotorWithArmatureCurrentFollowsItsMatrixExponential) {
  constexpr double L = 0.05, R = 0.8, k = 0.3, J = 0.1, b = 0.01, V = 12, t = 0.35;
  Eigen::Matrix2d A;
  A << -R / L, -k / L, k / J, -b / J;
  const double trace = A.trace(), det = A.determinant(), root = std::sqrt(trace * trace / 4 - det);
  const double l1 = trace / 2 + root, l2 = trace / 2 - root;
  const Eigen::Matrix2d I = Eigen::Matrix2d::Identity(),
                        E = ((A - l2 * I) * std::exp(l1 * t) - (A - l1 * I) * std::exp(l2 * t)) /
                            (l1 - l2);
  const Eigen::Vector2d steady = -A.inverse() * Eigen::Vector2d(V / L, 0),
                        exact = steady + E * (Eigen::Vector2d(2, 0) - steady);

  const auto mechanism = mechanism_of(R"(
parameters: {V: 12}
gravity: none
subsystems:
  drive:
    model:
      parameters: {k: 0.3, V: 12}
      states: {current: {rate: (V - 0.8*current - k*shaft.v)/0.05, start: 2, unit: A}}
      bodies: {rotor: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
      joints: {shaft: {type: revolute, from: world, to: rotor, torque: "k*current", damping: 0.01}}
outputs: {power: V*drive.current}
)");
  for (const char* rule : {"dop853", "hem5", "radau5", "generalised-alpha"}) {
    const double tolerance = rule == std::string("generalised-alpha") ? 1e-8 : 1e-10;
    RunOptions options = with(rule, tolerance, t);
    options.record = {"drive.current", "drive.shaft.v", "power"};
    const results::Recording r = simulate(mechanism, options);
    EXPECT_NEAR(last(r, "drive.current"), exact[0], 1e3 * tolerance * exact[1]) << rule;
    EXPECT_NEAR(last(r, "drive.shaft.v"), exact[1], 1e3 * tolerance * exact[1]) << rule;
    EXPECT_NEAR(last(r, "power"), V * exact[0], 1e4 * tolerance * exact[1]) << rule;
  }
}

// A clock that is set back at every full second by the fraction that it has passed: x = t - floor
// t.
TEST(States, AreResetByRulesAndTestedInConditions) {
  RunOptions options = with("dopri5", 1e-10, 2.75);
  options.record = {"clock", "turns"};
  const results::Recording r = simulate(mechanism_of(R"(
states: {clock: {rate: 1}, turns: {rate: 0, start: 5}}
when: {tick: {condition: clock > 1, reset: {clock: clock - 1, turns: turns + 1}}}
)"),
                                        options);
  EXPECT_NEAR(last(r, "clock"), 0.75, 1e-9);
  EXPECT_EQ(last(r, "turns"), 7);
}

// A crank of a four-bar linkage driven by a PI controller of its speed: half-explicit and implicit
// rules and explicit ones on the same loop.
TEST(States, InClosedLoopsAllRulesAgree) {
  const auto mechanism = mechanism_of(R"(
gravity: none
states: {sum: {rate: 2 - crank.v}}
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {end: [1, 0, 0]}}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {end: [2, 0, 0]}}
  c: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {end: [2, 0, 0]}}
joints:
  crank: {type: revolute, from: world, to: a, q: 1.2, torque: "20*(2 - crank.v) + 30*sum"}
  coupler: {type: revolute, from: a.end, to: b}
  rocker: {type: revolute, from: {body: world, position: [2.5, 0, 0]}, to: c, q: 1.5}
  close: {type: revolute, from: b.end, to: c.end}
)");
  std::optional<double> sum, q;
  for (const char* rule : {"dop853", "hem5", "mexx", "radau5", "ida"}) {
    RunOptions options = with(rule, 1e-9, 1);
    options.record = {"sum", "crank.q"};
    const results::Recording r = simulate(mechanism, options);
    if (!sum) sum = last(r, "sum"), q = last(r, "crank.q");
    EXPECT_NEAR(last(r, "sum"), *sum, 2e-7) << rule;
    EXPECT_NEAR(last(r, "crank.q"), *q, 2e-7) << rule;
  }
}

std::string message_of(const std::string& text) {
  try {
    mechanism_of(text);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(States, MistakesAreExplained) {
  const std::string mass = R"(
bodies: {m: {mass: 1, particle: true}}
joints: {j: {type: prismatic, from: world, to: m, )";
  EXPECT_THAT(message_of("states: {x: {start: 1}}"),
              HasSubstr("model.yaml:2:10: error: state 'x' has no rate"));
  EXPECT_THAT(message_of("states: {x: {rate: y}}"), HasSubstr("unknown name 'y'"));
  EXPECT_THAT(message_of("states: {x: {rate: 1, start: x}}"), HasSubstr("unknown name 'x'"));
  EXPECT_THAT(message_of("states: {x: {rate: 1, start: 1 qq}}"), HasSubstr("qq"));
  EXPECT_THAT(message_of("states: {x: {rate: 1, begin: 1}}"), HasSubstr("begin"));
  EXPECT_THAT(message_of("states: {x: 1}"), HasSubstr("state 'x'"));
  EXPECT_THAT(message_of("states: {t: {rate: 1}}"),
              HasSubstr("cannot be called 't': t is the time"));
  EXPECT_THAT(message_of("states: {sin: {rate: 1}}"), HasSubstr("it is a function"));
  EXPECT_THAT(message_of("parameters: {x: 1}\nstates: {x: {rate: 1}}"),
              HasSubstr("cannot be called 'x': it is a parameter"));
  EXPECT_THAT(message_of("states: {x: {rate: 1}}\noutputs: {x: 2}"),
              HasSubstr("there is an output named 'x', too"));
  EXPECT_THAT(message_of("states: {x: {rate: 1}}" + mass + "motion: x}}"),
              HasSubstr("a prescribed motion cannot depend on states such as 'x'"));
  EXPECT_THAT(message_of("states: {x: {rate: 1}}" + mass +
                         "q: 0}}\nconstraints: {c: {type: relation, value: j.q - x}}"),
              HasSubstr("a relation cannot depend on states such as 'x'"));
  EXPECT_THAT(message_of("states: {x: {rate: 1}}\nwhen: {r: {at: 1, reset: {y: 0}}}"),
              HasSubstr("there is no speed 'y' to reset"));
}

}  // namespace
}  // namespace couplet::mechanics
