// Modelica models whose motion is known, from text to numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "couplet/equations/observables.hpp"
#include "couplet/modelica/lower/lower.hpp"
#include "couplet/simulate/simulation.hpp"

namespace couplet::modelica::lower {
namespace {

constexpr double pi = 3.14159265358979;

struct Motion {
  std::shared_ptr<const equations::Model> model;
  results::Recording recording;
  simulate::Summary summary;

  double last(const std::string& name) const {
    return recording.at(recording.rows() - 1, *recording.find(name));
  }
  double largest(const std::string& name) const {
    double most = 0;
    for (const double x : recording.column(*recording.find(name)))
      most = std::max(most, std::abs(x));
    return most;
  }
};

Translated translate_model(const std::string& name, const Changes& changes = {}) {
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_file(COUPLET_SOURCE_DIR "/src/couplet/modelica/lower/tests/models/Motion.mo");
  diagnostics.check();
  return translate(library, "Motion." + name, {.set = changes});
}

Motion run(const std::string& name, double until, std::vector<std::string> record,
           const Changes& changes = {}, const char* integrator = "dopri5") {
  Motion m;
  m.model = translate_model(name, changes).model;
  auto problem = std::make_unique<equations::EquationProblem>(m.model);
  auto observables = std::make_unique<equations::EquationObservables>(*problem);
  simulate::RunOptions options;
  options.integrator = integrator;
  options.t_end = until;
  options.tolerance = {1e-9, 1e-9};
  options.record = std::move(record);
  simulate::Simulation simulation({std::move(problem), std::move(observables)}, options);
  m.recording = simulate::record(simulation, &m.summary);
  return m;
}

std::string refusal(const std::string& name) {
  try {
    run(name, 1, {});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// Tolerances: errors of steps of 1e-9 add up over some hundred steps.

TEST(ModelicaMotion, PendulumOfIndexThreeIsThePendulum) {
  const Motion m = run("Pendulum", 3, {"error", "y"});
  EXPECT_EQ(m.model->count_freedoms(), 4);
  EXPECT_LT(m.largest("error"), 1e-7);
}

// Neither x nor y determines the other at all times, so a fixed choice fails within a turn.
TEST(ModelicaMotion, StatesChangeWhileThePendulumTurnsRound) {
  for (const char* integrator : {"dopri5", "ida"}) {
    const Motion m = run("Turning", 5, {"error", "phi", "x", "y"}, {}, integrator);
    EXPECT_EQ(m.model->count_freedoms(), 4);
    EXPECT_GT(m.last("phi"), 20);  // three turns and more
    EXPECT_LT(m.largest("error"), 1e-5) << integrator;
    for (size_t row = 0; row < m.recording.rows(); ++row)
      EXPECT_NEAR(std::hypot(m.recording.at(row, 3), m.recording.at(row, 4)), 1, 1e-12);
  }
}

TEST(ModelicaMotion, QuaternionsTurnThroughAllTheirComponents) {
  const Motion m = run("Tumbling", 10, {"Q[1]", "Q[4]"});
  EXPECT_EQ(m.model->count_freedoms(), 3);
  EXPECT_NEAR(m.last("Q[4]"), std::cos(1.5 * 10), 1e-6);
  EXPECT_NEAR(m.last("Q[1]"), std::sin(1.5 * 10) / 3, 1e-6);
}

TEST(ModelicaMotion, ConstraintsWithNumbersNeedNoChange) {
  const Motion m = run("Planetary", 1, {"sun", "carrier"});
  EXPECT_TRUE(m.model->projected.empty());
  EXPECT_EQ(m.model->states.size(), 4u);
  // -(1 + r)^2 t = t + r^2 t: no torque
  EXPECT_NEAR(m.last("carrier"), 1.0 / 3, 1e-9);
}

TEST(ModelicaMotion, SeriesCircuitIsADampedOscillation) {
  const double a = 1, w = std::sqrt(1 / (0.5 * 0.1) - a * a), t = 2;
  const Motion m = run("Circuit", t, {"v"});
  EXPECT_NEAR(m.last("v"), 1 - std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t)),
              1e-7);
}

TEST(ModelicaMotion, ParametersChange) {
  const double a = 0.5, w = std::sqrt(1 / (1 * 0.1) - a * a), t = 2;
  const Motion m = run("Circuit", t, {"v", "L"}, {{"L", "1"}});
  EXPECT_NEAR(m.last("v"), 1 - std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t)),
              1e-7);
  EXPECT_EQ(m.last("L"), 1);
  EXPECT_THROW(translate_model("Circuit", {{"K", "1"}}), base::UserError);
}

TEST(ModelicaMotion, IdealDiodeLetsHalfWavesThrough) {
  const Motion m = run("Rectifier", 1.2, {"load", "off"});
  const std::vector<double> t = m.recording.column(0), load = m.recording.column(1);
  for (size_t i = 0; i < t.size(); ++i)
    EXPECT_NEAR(load[i], std::max(0.0, std::sin(2 * pi * t[i])), 1e-8) << t[i];
}

TEST(ModelicaMotion, BallBouncesAsItShould) {
  const double hit = std::sqrt(0.2), up = 0.5 * 10 * hit, t = hit + 0.3;
  const Motion m = run("Ball", t, {"h", "v"});
  EXPECT_NEAR(m.last("h"), up * 0.3 - 5 * 0.09, 1e-8);
  EXPECT_EQ(m.summary.counts.events, 2);  // h < 0 becomes true, and false again
}

TEST(ModelicaMotion, GearMakesOneInertiaOfTwo) {
  const Motion m = run("Gear", 2, {"w1", "w2", "t1"});
  EXPECT_EQ(m.model->states.size(), 2u);
  EXPECT_NEAR(m.last("w1"), 3.0 / (1 + 8 / 4.0) * 2, 1e-8);
  EXPECT_NEAR(m.last("w2"), 1, 1e-8);
  EXPECT_NEAR(m.last("t1"), 2, 1e-8);
}

TEST(ModelicaMotion, FrictionEndsInRest) {
  const Motion m = run("Friction", 2, {"x", "v", "sliding"});
  EXPECT_NEAR(m.last("x"), 2 * 2 / (2 * 4.0), 1e-8);
  EXPECT_EQ(m.last("v"), 0);
  EXPECT_EQ(m.last("sliding"), 0);
}

TEST(ModelicaMotion, SamplesCount) {
  const Motion m = run("Counter", 0.95, {"n", "last"});
  EXPECT_EQ(m.last("n"), 9);
  EXPECT_NEAR(m.last("last"), 0.9, 1e-12);
}

TEST(ModelicaMotion, BeginningFindsFreeParameters) {
  const Motion m = run("Free", 1, {"x", "p"});
  EXPECT_NEAR(m.last("p"), 6, 1e-12);
  EXPECT_NEAR(m.last("x"), 2, 1e-9);
}

TEST(ModelicaMotion, FunctionsAreInlined) {
  EXPECT_NEAR(run("Function", 2, {"y"}).last("y"), 1 + 2 * 2 + 3 * 4, 1e-12);
}

TEST(ModelicaMotion, TerminateEndsTheRun) {
  const Motion m = run("Ends", 2, {"x"});
  EXPECT_EQ(m.summary.outcome.ending, integrate::Ending::terminated);
  EXPECT_NEAR(m.last("x"), 0.5, 1e-8);
}

TEST(ModelicaMotion, WhatTheBeginningLeavesOpenKeepsItsStartValueAndIsNamed) {
  const Motion m = run("Held", 1, {"s", "u", "v"});
  EXPECT_EQ(m.recording.column(1).front(), 0.25);
  EXPECT_EQ(m.last("u"), 0.25);
  EXPECT_EQ(m.last("v"), 0);
  ASSERT_EQ(m.summary.notes.size(), 1u);
  EXPECT_EQ(m.summary.notes[0].element, "s");
  EXPECT_THAT(refusal("Undefined"), testing::HasSubstr("singular"));
}

// M has positive principal minors, so there is one solution; changing all relations at once that
// are wrong goes from all on to off = {1,3}, to {2,3}, to all on again.
TEST(ModelicaMotion, RelationsThatGoRoundInACircleFindTheirValues) {
  const Motion m = run("Complementary", 0.1, {"z[1]", "z[2]", "z[3]", "w[1]", "w[2]", "w[3]"});
  const double z[] = {m.last("z[1]"), m.last("z[2]"), m.last("z[3]")};
  const double w[] = {z[0] + 2 * z[1] - 1, -2 * z[0] + z[1] + 2 * z[2] + 1, -z[0] + z[2] + 1};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(w[i], m.last("w[" + std::to_string(i + 1) + "]"), 1e-12);
    EXPECT_GE(z[i], 0);
    EXPECT_GE(w[i], -1e-12);
    EXPECT_NEAR(w[i] * z[i], 0, 1e-12);
  }
}

TEST(ModelicaMotion, RelationsThatDecideNothingMakeNoEvents) {
  const Motion m = run("Gated", 4, {"n", "hit"});
  EXPECT_EQ(m.last("n"), 1);
  EXPECT_EQ(m.last("hit"), 1);
  EXPECT_EQ(m.summary.counts.events, 1);
}

// At the moment of breaking loose v is 0 and grows: it slides from then on, in one event.
TEST(ModelicaMotion, WhatStartsToMoveHasLeftZero) {
  const Motion m = run("Start", 2, {"v", "starts", "sliding"});
  EXPECT_EQ(m.summary.counts.events, 1);
  EXPECT_EQ(m.last("sliding"), 1);
  EXPECT_NEAR(m.last("v"), 0.5 * (4 - 1) - 0.8, 1e-6);
}

TEST(ModelicaMotion, ParametersDecideWhatIsAState) {
  const Motion m = run("Massless", 1, {"T", "i"});
  EXPECT_EQ(m.model->states.size(), 0u);
  EXPECT_EQ(m.last("T"), 2);
  EXPECT_EQ(m.last("i"), 2);
  EXPECT_EQ(run("Massless", 1, {"T"}, {{"C", "1"}}).model->states.size(), 1u);
}

TEST(ModelicaMotion, WhatNothingDeterminesForAWhileKeepsItsValue) {
  const Motion m = run("Stopped", 2, {"h", "x"});
  EXPECT_EQ(m.recording.at(0, 1), 7);
  EXPECT_NEAR(m.last("h"), 3, 1e-12);
  EXPECT_NEAR(m.last("x"), 3 * 0.5, 1e-8);
}

// i = C v' = 1/2, -1, 2 in the first three seconds
TEST(ModelicaMotion, WhatEventsSetIsNoUnknownBetweenThem) {
  const Motion m = run("Ramps", 2.5, {"i", "lost"});
  EXPECT_NEAR(m.last("i"), 2, 1e-12);
  EXPECT_NEAR(m.last("lost"), 0.25 + 1 + 4 * 0.5, 1e-8);
}

TEST(ModelicaMotion, DerivativesThatAreGoneMakeNoStates) {
  const Motion m = run("Without", 1, {"T"});
  EXPECT_EQ(m.model->states.size(), 1u);
  EXPECT_NEAR(m.last("T"), 2, 1e-12);
}

TEST(ModelicaMotion, LoopsEndWhenTheSimulationSaysSo) {
  const Motion m = run("Newton", 3, {"x"});
  EXPECT_NEAR(m.last("x"), 2, 1e-12);
  EXPECT_NEAR(m.recording.at(0, 1), 1, 1e-12);
}

TEST(ModelicaMotion, WhatTranslationHasUsedUpIsTranslatedAgain) {
  EXPECT_NEAR(run("Used", 1, {"x"}).last("x"), 6, 1e-9);
  EXPECT_NEAR(run("Used", 1, {"x"}, {{"n", "4"}}).last("x"), 10, 1e-9);
}

TEST(ModelicaMotion, AssertionsInFunctionsCountWhereTheyAreReached) {
  const Motion m = run("Checked", 2, {"x", "y"});
  EXPECT_EQ(m.summary.outcome.ending, integrate::Ending::failed);
  EXPECT_THAT(m.summary.outcome.message, testing::HasSubstr("x is too large"));
  EXPECT_GE(m.last("x"), 1);
  EXPECT_EQ(run("Guarded", 2, {"x"}).summary.outcome.ending, integrate::Ending::reached);
}

// By the method of steps x(3) = -1/6.
TEST(ModelicaMotion, DelaysAreWhatWas) {
  for (const char* integrator : {"dopri5", "ida"}) {
    const Motion m = run("Delayed", 3, {"x", "y", "z", "same", "way"}, {}, integrator);
    EXPECT_NEAR(m.last("x"), -1.0 / 6, 1e-10) << integrator;
    EXPECT_NEAR(m.last("way"), (2.5 * 2.5 - 1) / 2, 1e-8) << integrator;
    for (size_t row = 0; row < m.recording.rows(); ++row) {
      const double t = m.recording.at(row, 0);
      EXPECT_NEAR(m.recording.at(row, 2), t < 0.3 ? 0 : std::sin(t - 0.3), 1e-9) << t;
      EXPECT_EQ(m.recording.at(row, 4), m.recording.at(row, 1));
      if (std::abs(t - 1.5) > 1e-9) {
        EXPECT_NEAR(m.recording.at(row, 3), t < 1.5 ? 0 : t - 0.5, 1e-9) << t;
      }
    }
  }
}

TEST(ModelicaMotion, JumpsComeBackAtTheirTime) {
  const Motion m = run("Echo", 2, {"back"});
  for (size_t row = 0; row < m.recording.rows(); ++row) {
    const double t = m.recording.at(row, 0);
    if (std::abs(t - 0.9) > 1e-9) {
      EXPECT_EQ(m.recording.at(row, 1), t < 0.9 ? 0 : -0.5) << t;
    }
  }
}

TEST(ModelicaMotion, StartValuesThatNobodyGaveAreNoPoles) {
  // G²/2 - R G + 1 = 0
  EXPECT_NEAR(run("Pole", 1, {"G"}).last("G"), 3 - std::sqrt(7), 1e-12);
}

TEST(ModelicaMotion, OneUnknownIsFoundWhereNewtonsMethodFails) {
  EXPECT_NEAR(run("Inverse", 1, {"G"}).last("G") * 7e7, 1, 1e-12);
}

// Of what changes at events only, steps need not be shorter than the delay.
TEST(ModelicaMotion, DelayedLogicJumpsAtItsTimes) {
  const Motion m = run("Logic", 2, {"c"});
  EXPECT_LT(m.summary.counts.steps, 1100);
  for (size_t row = 0; row < m.recording.rows(); ++row) {
    const double t = m.recording.at(row, 0);
    if (std::abs(t - 1.25) > 1e-9) {
      EXPECT_EQ(m.recording.at(row, 1), t < 1.25 ? 3 : 4) << t;
    }
  }
}

TEST(ModelicaMotion, DelaysThatCannotBeAreRefused) {
  EXPECT_THAT(refusal("DerivedDelay"), testing::HasSubstr("where its derivative is needed"));
  EXPECT_THAT(refusal("NegativeDelay"), testing::HasSubstr("has to be > 0"));
}

TEST(ModelicaMotion, TheEndIsAnEvent) {
  const Motion m = run("Ending", 2, {"x", "last", "over"});
  EXPECT_NEAR(m.last("last"), 20, 1e-9);
  EXPECT_EQ(m.last("over"), 1);
  EXPECT_EQ(m.recording.at(m.recording.rows() - 2, 2), -1);  // at the same time, before it
  const Motion wrong = run("Complaint", 2, {"x"});
  EXPECT_EQ(wrong.summary.outcome.ending, integrate::Ending::failed);
  EXPECT_THAT(wrong.summary.outcome.message, testing::HasSubstr("too far at the end"));
}

TEST(ModelicaMotion, HomotopyLeadsToTheBeginning) {
  EXPECT_THAT(refusal("Approached"), testing::HasSubstr("is singular"));
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_file(COUPLET_SOURCE_DIR "/src/couplet/modelica/lower/tests/models/Motion.mo");
  Formulation approached;
  approached.continued = true;
  equations::EquationProblem problem(translate(library, "Motion.Approached", approached).model);
  problem.make_start(0, {});
  const int x = problem.model().dae.find(equations::Expr::symbol("x"));
  EXPECT_NEAR(problem.slots()[static_cast<size_t>(x)], 2, 1e-12);
}

TEST(ModelicaMotion, MistakesAreNamedWithTheirLines) {
  EXPECT_THAT(refusal("Singular"), testing::AllOf(testing::HasSubstr("structurally singular"),
                                                  testing::HasSubstr("Motion.mo:")));
  EXPECT_THAT(refusal("Contradiction"),
              testing::AllOf(testing::HasSubstr("contradict"), testing::HasSubstr("Motion.mo:")));
  EXPECT_THAT(refusal("Refused"),
              testing::AllOf(testing::HasSubstr("external function 'Motion.outside'"),
                             testing::HasSubstr("Motion.mo:")));
}

}  // namespace
}  // namespace couplet::modelica::lower
