// What a mechanism says of its descriptor form: derivatives that it gives, against differences of
// its residual.
#include <gtest/gtest.h>

#include "couplet/integrate/jacobian/descriptor_jacobian.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using integrate::DescriptorJacobian;
using integrate::DescriptorPoint;
using math::VecX;

constexpr const char* four_bar = R"(
bodies:
  crank: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02], points: {end: [0.2, 0, 0]}}
  rod: {mass: 2, com: [0.3, 0, 0], inertia: [0.01, 0.05, 0.05], points: {end: [0.6, 0, 0]}}
  lever: {mass: 1.5, com: [0, 0.2, 0], inertia: [0.03, 0.01, 0.03], points: {end: [0, 0.4, 0]}}
joints:
  a: {type: revolute, from: world, to: crank, axis: z%s}
  b: {type: revolute, from: crank.end, to: rod, axis: z, q: 0}
  c: {type: revolute, from: {body: world, position: [0.7, 0, 0]}, to: lever, axis: z, q: 0}
  d: {type: revolute, from: rod.end, to: lever.end, axis: z}
)";
std::string with(const char* more) {
  char text[1000];
  std::snprintf(text, sizeof text, four_bar, more);
  return text;
}

/// On the constraints, with some velocities, accelerations and forces that solve nothing.
DescriptorPoint some_point(MechanismProblem& problem) {
  std::srand(7);
  integrate::DescriptorForm& form = *problem.descriptor();
  DescriptorPoint point;
  point.y = problem.make_y(problem.mechanism().default_state());
  point.y.tail(problem.layout().nv).setRandom();
  problem.project(0, point.y);
  point.vdot = VecX::Random(problem.layout().nv);
  point.lambda = VecX::Random(form.rows());
  return point;
}

void expect_given_as_differences(const std::string& what, MechanismProblem& problem) {
  SCOPED_TRACE(what);
  const DescriptorPoint point = some_point(problem);
  integrate::Counts counts;
  DescriptorJacobian given(problem, *problem.descriptor(), {}, counts),
      differences(problem, *problem.descriptor(), {.given = false}, counts);
  std::vector<double> a(static_cast<size_t>(given.entries())), b = a;
  given.differentiate(point, a);
  differences.differentiate(point, b);
  EXPECT_LT(given.groups(), differences.groups());
  const double scale = VecX::Map(b.data(), given.entries()).lpNorm<Eigen::Infinity>();
  for (int row = 0; row < static_cast<int>(given.pattern().rows.size()); ++row)
    for (size_t k = 0; k < given.pattern().rows[static_cast<size_t>(row)].size(); ++k) {
      const size_t i = static_cast<size_t>(given.start_of_row(row)) + k;
      EXPECT_NEAR(a[i], b[i],
                  1e-6 * scale)  // √ε of differences, for second derivatives of about 100
          << "row " << row << ", column " << given.pattern().rows[static_cast<size_t>(row)][k];
    }
}

std::shared_ptr<const Mechanism> read(const std::string& file) {
  base::Diagnostics warnings;
  return std::make_shared<const Mechanism>(model::compile(
      formats::read_yaml(COUPLET_SOURCE_DIR "/models/" + file + ".yaml", {}, warnings)));
}
constexpr const char* files[] = {"benchmarks/andrews_squeezer",
                                 "benchmarks/bricard",
                                 "benchmarks/rolling_disc",
                                 "benchmarks/spatial_slider_crank",
                                 "gear_train",
                                 "cam",
                                 "every_joint",
                                 "pendulum_driven",
                                 "slider_crank"};
const std::string driven_four_bar = with(", motion: 0.5 + 3*t");

TEST(MechanismDescriptor, GivesTheDerivativesThatDifferencesFind) {
  for (const Equations equations : {Equations::residual, Equations::solved}) {
    for (const char* file : files) {
      MechanismProblem problem(read(file), {}, equations);
      if (!problem.system().friction()) expect_given_as_differences(file, problem);
    }
    MechanismProblem driven(mechanism_of(driven_four_bar), {}, equations);
    expect_given_as_differences("driven four-bar", driven);
  }
}

// Every column of a row that a difference finds is in the pattern: coloured differences are those
// of single columns.
TEST(MechanismDescriptor, PatternHoldsEveryDependence) {
  for (const Equations equations : {Equations::residual, Equations::solved})
    for (const char* file : files) {
      MechanismProblem problem(read(file), {}, equations);
      const DescriptorPoint point = some_point(problem);
      integrate::Counts counts;
      DescriptorJacobian coloured(problem, *problem.descriptor(), {.given = false}, counts),
          single(problem, *problem.descriptor(), {.given = false, .coloured = false}, counts);
      std::vector<double> a(static_cast<size_t>(coloured.entries())), b = a;
      coloured.differentiate(point, a);
      single.differentiate(point, b);
      const double scale = VecX::Map(b.data(), single.entries()).lpNorm<Eigen::Infinity>();
      for (size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], 1e-7 * scale) << file << ", entry " << i;
    }
}

// M times what is left of the accelerations is what is left of the balance of forces.
TEST(MechanismDescriptor, ExplicitFormIsTheResidualFormSolved) {
  std::vector<std::pair<std::string, std::shared_ptr<const Mechanism>>> all{
      {"driven four-bar", mechanism_of(driven_four_bar)}};
  for (const char* file : files) all.emplace_back(file, read(file));
  for (const auto& [name, mechanism] : all) {
    if (!mechanism->couplings.empty()) continue;
    MechanismProblem problem(mechanism), solved(mechanism, {}, Equations::solved);
    DescriptorPoint point = some_point(problem);
    ASSERT_EQ(some_point(solved).y, point.y) << name;
    integrate::DescriptorResidual forces, accelerations;
    problem.descriptor()->calc_residual(point, forces);
    solved.descriptor()->calc_residual(point, accelerations);
    math::MatX M;
    problem.system().inverse().calc_mass_matrix(point.y.head(mechanism->nq), M);
    M = M.selfadjointView<Eigen::Upper>();
    VecX expected = M * accelerations.force;
    for (const model::Link& link : mechanism->links)
      if (link.prescribed) {
        expected -= M.col(link.iv) *
                    accelerations.force[link.iv];  // prescribed ones move as prescribed, in both
        forces.force -= M.col(link.iv) * accelerations.force[link.iv];
        expected[link.iv] = forces.force[link.iv] = 0;
      }
    const double scale = 1 + forces.force.lpNorm<Eigen::Infinity>();
    EXPECT_LT((expected - forces.force).lpNorm<Eigen::Infinity>(), 1e-12 * scale) << name;
    EXPECT_EQ(accelerations.position, forces.position);
    EXPECT_EQ(accelerations.velocity, forces.velocity);
  }
}

// A crank that rests against its stop: the stop is a row as those of loops are.
TEST(MechanismDescriptor, GivesTheDerivativesOfStops) {
  MechanismProblem problem(mechanism_of(with(", q: 0.5, torque: -3, limits: {lower: 0.2}")));
  ASSERT_EQ(run_to(5, problem), integrate::Ending::reached);
  ASSERT_EQ(problem.descriptor()->positions(), 3);
  expect_given_as_differences("four-bar at a stop", problem);
}

}  // namespace
}  // namespace couplet::mechanics
