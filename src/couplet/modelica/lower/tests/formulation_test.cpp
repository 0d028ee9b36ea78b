// One model, several questions: the same equations solved for other unknowns, at rest, linearised,
// with other parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "couplet/equations/observables.hpp"
#include "couplet/equations/operating_point.hpp"
#include "couplet/math/eigenvalues.hpp"
#include "couplet/modelica/lower/lower.hpp"
#include "couplet/simulate/simulation.hpp"

namespace couplet::modelica::lower {
namespace {

using equations::EquationProblem;
using equations::OperatingPoint;

struct Solved {
  std::shared_ptr<const equations::Model> model;
  std::vector<std::string> structural;
};

Solved make(const std::string& name, const Formulation& formulation = {}) {
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_file(COUPLET_SOURCE_DIR "/src/couplet/modelica/lower/tests/models/Formulation.mo");
  diagnostics.check();
  Translated t = translate(library, "Formulation." + name, formulation);
  return {std::move(t.model), std::move(t.structural)};
}

std::string refusal(const std::string& name, const Formulation& formulation) {
  try {
    make(name, formulation);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

results::Recording run(std::unique_ptr<EquationProblem> problem, double until,
                       std::vector<std::string> record, simulate::Summary* summary = nullptr) {
  auto observables = std::make_unique<equations::EquationObservables>(*problem);
  simulate::RunOptions options;
  options.integrator = "dopri5";
  options.t_end = until;
  options.tolerance = {1e-10, 1e-10};
  options.record = std::move(record);
  simulate::Simulation simulation({std::move(problem), std::move(observables)}, options);
  return simulate::record(simulation, summary);
}

results::Recording run(const std::string& name, double until, std::vector<std::string> record,
                       const Formulation& formulation = {}, simulate::Summary* summary = nullptr) {
  return run(std::make_unique<EquationProblem>(make(name, formulation).model), until,
             std::move(record), summary);
}

double last(const results::Recording& r, size_t column) { return r.at(r.rows() - 1, column); }

TEST(ModelicaInverse, TorqueOfAPrescribedSwing) {
  const results::Recording r =
      run("Pendulum", 1, {"u", "phi", "w"}, {{}, {{"phi", "0.3*cos(2*t)"}}, {}});
  for (size_t i = 0; i < r.rows(); ++i) {
    const double t = r.at(i, 0), phi = 0.3 * std::cos(2 * t), w = -0.6 * std::sin(2 * t);
    EXPECT_NEAR(r.at(i, 1), 0.5 * -1.2 * std::cos(2 * t) + 9.81 * std::sin(phi) + 0.1 * w, 1e-12);
    EXPECT_NEAR(r.at(i, 3), w, 1e-14);
  }
}

// The prescribed motion comes back when the found torque drives the pendulum.
TEST(ModelicaInverse, WhatIsFoundMovesTheModelAsPrescribed) {
  const Formulation inverse = {{}, {{"height", "-0.5*cos(0.3 + t^2)"}}, {"u"}};
  const results::Recording r = run("Pendulum", 0.5, {"u", "phi"}, inverse);
  EXPECT_NEAR(last(r, 2), 0.3 + 0.25, 1e-9);
}

TEST(ModelicaInverse, ParametersAreFoundWithAllThatFollowsFromThem) {
  // m l² φ'' = u - m g l sin φ - d w at φ = 0.3, at rest: weight follows from m
  const results::Recording r =
      run("Pendulum", 0.1, {"m", "weight"}, {{{"u", "3"}}, {{"phi", "0.3"}}, {"m"}});
  const double m = 3 / (9.81 * 0.5 * std::sin(0.3));
  EXPECT_NEAR(last(r, 1), m, 1e-12);
  EXPECT_NEAR(last(r, 2), 9.81 * m, 1e-11);
}

TEST(ModelicaInverse, StartValuesThatGiveWayAreNamed) {
  simulate::Summary summary;
  run("Pendulum", 0.1, {"u"}, {{}, {{"phi", "1 + t"}}, {}}, &summary);
  ASSERT_EQ(summary.notes.size(), 1u);
  EXPECT_EQ(summary.notes[0].what, "start values given up");
  EXPECT_THAT(summary.notes[0].element,
              testing::AllOf(testing::HasSubstr("phi = 1"), testing::HasSubstr("w = 1")));
}

TEST(ModelicaInverse, MistakesAreNamed) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal("Pendulum", {{}, {{"phj", "t"}}, {}}), HasSubstr("did you mean 'phi'"));
  EXPECT_THAT(refusal("Pendulum", {{}, {{"phi", "t"}}, {"u", "m"}}), HasSubstr("2 unknowns"));
  EXPECT_THAT(refusal("Pendulum", {{}, {{"phi", "x*t"}}, {}}), HasSubstr("'x' is neither"));
  EXPECT_THAT(refusal("Shaped", {{}, {{"x[1]", "t"}}, {"n"}}), HasSubstr("'n' can be no unknown"));
  EXPECT_THAT(refusal("Shaped", {{}, {{"x[1]", "t"}}, {}}), HasSubstr("has no inputs"));
}

TEST(ModelicaParameters, ThoseThatShapeTheModelAreTranslatedAgain) {
  const Solved three = make("Shaped", {{{"n", "3"}}, {}, {}});
  EXPECT_EQ(three.model->states.size(), 3u);
  EXPECT_THAT(three.structural, testing::ElementsAre("n"));
  EXPECT_EQ(make("Outer", {{{"inside.n", "2"}}, {}, {}}).model->states.size(), 2u);
  const results::Recording r =
      run("Shaped", 1, {"x[1]"}, {{{"up", "false"}, {"a[1]", "1"}}, {}, {}});
  EXPECT_NEAR(last(r, 1), std::exp(-1), 1e-8);
  EXPECT_THAT(refusal("Shaped", {{{"k", "2"}}, {}, {}}), testing::HasSubstr("is final"));
}

TEST(ModelicaParameters, ChangeWithoutTranslationWhereNothingWasDecidedByThem) {
  const auto model = make("Decided").model;
  EXPECT_EQ(equations::find_changeable(*model, "c", 2), -1);
  EXPECT_EQ(equations::find_changeable(*model, "r", 0), -1);
  const int r = equations::find_changeable(*model, "r", 0.5);
  ASSERT_GE(r, 0);
  auto problem = std::make_unique<EquationProblem>(model);
  problem->set_parameter(r, 0.5);
  const results::Recording changed = run(std::move(problem), 1, {"T"});
  const results::Recording anew = run("Decided", 1, {"T"}, {{{"r", "0.5"}}, {}, {}});
  EXPECT_EQ(changed.values, anew.values);
  EXPECT_NEAR(last(anew, 1), 3 * std::exp(-0.5), 1e-8);
}

TEST(ModelicaPoint, PendulumRestsWhereItsTorqueHoldsIt) {
  EquationProblem problem(make("Pendulum", {{{"u", "2"}}, {}, {}}).model);
  OperatingPoint point(problem, 0);
  point.find_equilibrium();
  const double phi = std::asin(2 / 9.81);
  EXPECT_NEAR(point.y()[0], phi, 1e-12);
  EXPECT_NEAR(point.y()[1], 0, 1e-12);
  const int u = problem.model().dae.find(symbolic::Expr::symbol("u"));
  const auto d = point.differentiate(
      {u}, 1, [](double, const math::VecX& y, double* out) { *out = -0.5 * std::cos(y[0]); });
  math::MatX A(2, 2);
  A << 0, 1, -9.81 * std::cos(phi) / 0.5, -0.1 / 0.5;
  EXPECT_LT((d.by_states - A).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(d.by_inputs(1, 0), 1 / 0.5, 1e-10);
  EXPECT_NEAR(d.out_by_states(0, 0), 0.5 * std::sin(phi), 1e-11);
  EXPECT_TRUE(d.kinks.empty());
}

// (V - v)/1 = v/R: the relation that holds there is not the one of the beginning.
TEST(ModelicaPoint, RelationsTakeTheValuesThatTheyHaveAtRest) {
  EquationProblem problem(make("Diode").model);
  OperatingPoint point(problem, 0);
  point.find_equilibrium();
  EXPECT_NEAR(point.y()[0], 2 / 1.1, 1e-9);
}

TEST(ModelicaPoint, WhatNeverRestsIsNamed) {
  EquationProblem problem(make("Free").model);
  OperatingPoint point(problem, 0);
  try {
    point.find_equilibrium();
    FAIL();
  } catch (const base::ComputationError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'v' still changes by 1"));
  }
}

TEST(ModelicaPoint, KinksAreTold) {
  EquationProblem problem(make("Kinked").model);
  OperatingPoint point(problem, 0);
  const auto d = point.differentiate({}, 0, [](double, const math::VecX&, double*) {});
  EXPECT_EQ(d.kinks, std::vector<int>{0});
  EXPECT_NEAR(d.by_states(0, 0), -2, 1e-9);
}

// w' = -k Q - w, Q' = w/2 near no rotation: s² + s + k/2 = 0 about each axis, and no seventh mode.
TEST(ModelicaPoint, StatesThatConstraintsHoldTogetherCountOnce) {
  EquationProblem problem(make("Sphere").model);
  OperatingPoint point(problem, 0);
  point.find_equilibrium();
  ASSERT_EQ(point.states().size(), 6u);
  const auto d = point.differentiate({}, 0, [](double, const math::VecX&, double*) {});
  for (const math::EigenPair& pair : math::find_eigenvalues(d.by_states)) {
    EXPECT_NEAR(pair.value.real(), -0.5, 1e-7);
    EXPECT_NEAR(std::abs(pair.value.imag()), std::sqrt(2 - 0.25), 1e-7);
  }
}

}  // namespace
}  // namespace couplet::modelica::lower
