// Residuals in batches and the Jacobians made of them, against one point after the other.
#include <gtest/gtest.h>

#include "couplet/base/tests/allocations.hpp"
#include "couplet/integrate/jacobian/descriptor_jacobian.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using base::allocations;
using integrate::DescriptorJacobian;
using integrate::DescriptorPoint;
using integrate::DescriptorResidual;
using math::VecX;

const double root_eps = std::sqrt(std::numeric_limits<double>::epsilon());

std::shared_ptr<const Mechanism> read(const std::string& file) {
  base::Diagnostics warnings;
  return std::make_shared<const Mechanism>(model::compile(
      formats::read_yaml(COUPLET_SOURCE_DIR "/models/" + file + ".yaml", {}, warnings)));
}

/// Rods one after the other, about y and z in turn.
std::shared_ptr<const Mechanism> chain20() {
  std::string bodies = "bodies:\n", joints = "joints:\n", before = "world";
  for (int i = 1; i <= 20; ++i) {
    const std::string rod = "rod" + std::to_string(i);
    bodies +=
        "  " + rod +
        ": {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 1/12, 1/12], points: {tip: [1, 0, 0]}}\n";
    joints += "  joint" + std::to_string(i) + ": {type: revolute, axis: " + (i % 2 ? "y" : "z") +
              ", from: " + before + ", to: " + rod + "}\n";
    before = rod + ".tip";
  }
  return mechanism_of(bodies + joints);
}

struct Named {
  const char* name;
  std::shared_ptr<const Mechanism> mechanism;
};
std::vector<Named> trees() {
  return {
      {"chain20", chain20()}, {"humanoid", read("humanoid")}, {"manutec r3", read("manutec_r3")}};
}

/// No coordinate, speed or acceleration beyond 1, and unit quaternions.
DescriptorPoint some_point(MechanismProblem& problem, unsigned seed) {
  std::srand(seed);
  DescriptorPoint point;
  point.y = problem.make_y(problem.mechanism().default_state());
  problem.move(0.5 * VecX::Random(problem.layout().nv), point.y);
  point.y = point.y.cwiseMax(-1).cwiseMin(1);
  point.y.tail(problem.layout().nv).setRandom();
  problem.project(0, point.y);
  point.vdot = VecX::Random(problem.layout().nv);
  return point;
}

double largest(const VecX& x) { return x.lpNorm<Eigen::Infinity>(); }

TEST(ResidualBatch, EqualsOnePointAfterTheOther) {
  for (const Equations equations : {Equations::residual, Equations::solved})
    for (const auto& [name, mechanism] : trees()) {
      SCOPED_TRACE(name);
      MechanismProblem problem(mechanism, {}, equations);
      integrate::DescriptorForm& form = *problem.descriptor();
      ASSERT_GT(form.lanes(), 1);
      std::vector<DescriptorPoint> points;
      for (unsigned seed = 1; seed <= 7; ++seed)
        points.push_back(some_point(problem, seed));  // not a multiple of lanes
      std::vector<DescriptorResidual> batch(points.size());
      form.calc_residuals(points, batch);
      for (size_t i = 0; i < points.size(); ++i) {
        DescriptorResidual single;
        form.calc_residual(points[i], single);
        ASSERT_EQ(batch[i].force.size(), single.force.size());
        EXPECT_LT(largest(batch[i].force - single.force), 1e-13 * largest(single.force)) << i;
      }
    }
}

// A difference is as good as the residuals that it is made of: round-off of a few ε|F| over an
// increment of √ε. Two ways to evaluate F cannot agree better, and a batch must not be worse:
// differences equal to 1e-13 of the largest |F| (measured: 1.6e-15), entries to that over √ε.
TEST(ResidualBatch, JacobianIsThatOfSingleResiduals) {
  for (const Equations equations : {Equations::residual, Equations::solved})
    for (const auto& [name, mechanism] : trees()) {
      SCOPED_TRACE(name);
      MechanismProblem problem(mechanism, {}, equations);
      const DescriptorPoint point = some_point(problem, 3);
      integrate::Counts in_batches, one_by_one;
      DescriptorJacobian batched(problem, *problem.descriptor(), {}, in_batches),
          single(problem, *problem.descriptor(), {.batched = false}, one_by_one);
      std::vector<double> a(static_cast<size_t>(batched.entries())), b = a;
      batched.differentiate(point, a);
      single.differentiate(point, b);
      EXPECT_EQ(in_batches.residuals, one_by_one.residuals);
      EXPECT_EQ(in_batches.residuals, batched.groups() + 1);
      DescriptorResidual residual;
      problem.descriptor()->calc_residual(point, residual);
      const double bound = 1e-13 * largest(residual.force) / root_eps;
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], bound) << "entry " << i;
    }
}

// What the form gives is M at the point itself, not at one of those beside it.
TEST(ResidualBatch, GivenDerivativesAreThoseAtThePoint) {
  for (const auto& [name, mechanism] : trees()) {
    SCOPED_TRACE(name);
    MechanismProblem problem(mechanism);
    const DescriptorPoint point = some_point(problem, 5);
    const int nv = mechanism->nv;
    integrate::Counts counts;
    DescriptorJacobian jacobian(problem, *problem.descriptor(), {}, counts);
    std::vector<double> values(static_cast<size_t>(jacobian.entries()));
    jacobian.differentiate(point, values);
    math::MatX M;
    problem.system().inverse().calc_mass_matrix(problem.state(0, point.y).q, M);
    for (int row = 0; row < nv; ++row) {
      const std::vector<int>& columns = jacobian.pattern().rows[static_cast<size_t>(row)];
      for (size_t k = 0; k < columns.size(); ++k) {
        const int j = columns[k] - 2 * nv;
        if (j < 0) continue;
        EXPECT_EQ(values[static_cast<size_t>(jacobian.start_of_row(row)) + k],
                  M(std::min(row, j), std::max(row, j)));
      }
    }
  }
}

// Loops, friction, prescribed and mimic joints and forces between bodies are evaluated one point
// after the other.
TEST(ResidualBatch, IsForFreeTreesWithForcesOnFreedoms) {
  for (const char* file : {"four_bar", "pendulum_driven", "slider_spring", "gear_train"}) {
    MechanismProblem problem(read(file));
    EXPECT_EQ(problem.descriptor()->lanes(), 1) << file;
  }
  const auto lanes = [](const char* more, std::string_view formalism = {},
                        Equations equations = Equations::residual) {
    const std::string text =
        "bodies: {bob: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {pin: {type: revolute, from: world, to: bob, axis: y";
    return MechanismProblem(mechanism_of(text + more + "}}"), formalism, equations)
        .descriptor()
        ->lanes();
  };
  EXPECT_GT(lanes(", damping: 2"), 1);
  EXPECT_EQ(lanes(", friction: {coefficient: 0.4, radius: 0.1}"), 1);
  // Residuals and v̇ are to come from the formalism that was asked for.
  EXPECT_EQ(lanes("", "kane"), 1);
  EXPECT_EQ(lanes("", "kane", Equations::solved), 1);
}

// A joint that rests at a stop adds a row, with a multiplier that batches know nothing of.
TEST(ResidualBatch, GivesWayToAStopThatHolds) {
  MechanismProblem problem(
      mechanism_of("bodies: {bob: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                   "joints: {pin: {type: revolute, from: world, to: bob, axis: z, q: 0.5, torque: "
                   "-3, limits: {lower: 0.2}}}"));
  EXPECT_GT(problem.descriptor()->lanes(), 1);
  ASSERT_EQ(run_to(5, problem), integrate::Ending::reached);
  ASSERT_EQ(problem.descriptor()->rows(), 1);
  EXPECT_EQ(problem.descriptor()->lanes(), 1);
  DescriptorPoint point = some_point(problem, 1);
  point.lambda = VecX::Ones(1);
  std::vector<DescriptorResidual> many(2);
  DescriptorResidual one;
  problem.descriptor()->calc_residuals(std::vector<DescriptorPoint>(2, point), many);
  problem.descriptor()->calc_residual(point, one);
  EXPECT_EQ(many[1].force, one.force);
  EXPECT_EQ(many[1].position, one.position);
}

TEST(ResidualBatch, JacobiansAllocateNothing) {
  if (!base::allocations_are_counted())
    GTEST_SKIP() << "allocations are not counted with sanitizers";
  for (const Equations equations : {Equations::residual, Equations::solved})
    for (const auto& [name, mechanism] : trees()) {
      MechanismProblem problem(mechanism, {}, equations);
      const DescriptorPoint point = some_point(problem, 1);
      integrate::Counts counts;
      DescriptorJacobian jacobian(problem, *problem.descriptor(), {}, counts);
      std::vector<double> values(static_cast<size_t>(jacobian.entries()));
      jacobian.differentiate(point, values);
      const long before = allocations;
      jacobian.differentiate(point, values);
      EXPECT_EQ(allocations - before, 0) << name;
    }
}

}  // namespace
}  // namespace couplet::mechanics
