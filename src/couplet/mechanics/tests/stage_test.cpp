// What a state alone determines is found once for each evaluation, however many forces are tried.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

/// Another formalism, which counts how often it is prepared and asked.
struct Counting final : dynamics::Formalism {
  inline static int prepared = 0, solved = 0;
  std::unique_ptr<dynamics::Formalism> other;

  explicit Counting(const Mechanism& mechanism)
      : other(dynamics::find_formalism(mechanism.constrained() ? "schur" : "recursive")
                  ->make(mechanism)) {}
  void prepare(const dynamics::Stage& stage) override { ++prepared, other->prepare(stage); }
  void solve(VecX& tau, VecX& vdot) override { ++solved, other->solve(tau, vdot); }
  const VecX* lambda() const override { return other->lambda(); }
  void set_constraints(dynamics::ConstraintSolver& constraints) override {
    other->set_constraints(constraints);
  }
};

const char* add_counting() {
  static const bool once = (dynamics::add_formalism({"counting",
                                                     "for this test",
                                                     {},
                                                     [](const Mechanism&) { return true; },
                                                     dynamics::make_as<Counting>}),
                            true);
  return once ? "counting" : "";
}

// Two balls lie on the floor.
std::string ball_pair(const char* tie) {
  return fmt::format(R"(
gravity: [0, 0, -10]
bodies:
  a: {{mass: 1, particle: true}}
  b: {{mass: 2, particle: true}}
points: {{right: [1, 0, 0]}}
joints:
  A: {{type: prismatic, axis: z, from: world, to: a, limits: {{lower: 0}}}}
  B: {{type: prismatic, axis: z, from: world.right, to: b, limits: {{lower: 0}}}}
{}
)",
                     tie);
}

// With n stops that hold, accelerations are asked for without forces, with one at each stop, and
// with all that they need.
TEST(Stage, IsFoundOnceWithStopsThatHold) {
  for (const char* tie : {"",
                          "forces: {pull: {spring-damper: {from: a, to: b, length: 0.5, stiffness: "
                          "3, damping: 1}}}"}) {
    MechanismProblem problem(mechanism_of(ball_pair(tie)), add_counting());
    ASSERT_EQ(run_to(0.01, problem), integrate::Ending::reached);  // they hold now
    VecX y = problem.guess(), ydot = y;
    Counting::prepared = Counting::solved = 0;
    problem.calc_rates(0, y, ydot);
    EXPECT_EQ(Counting::prepared, 1) << tie;
    EXPECT_EQ(Counting::solved, 1 + 2 + 1) << tie;
    EXPECT_LT(ydot.lpNorm<Eigen::Infinity>(), 1e-14) << tie;
  }
}

// A wheel that is geared to another one presses it against its stop: 1 kg m² each, 3 N m on the
// first.
constexpr const char* wheels = R"(
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, axis: z, from: world, to: a, q: 0, force: 3}
  B: {type: revolute, axis: z, from: world, to: b, q: 0, limits: {upper: 0}}
constraints: {tie: {type: gear, joints: [A, B], ratio: 1}}
)";

TEST(Stage, IsFoundOnceInClosedLoopsAndHalfExplicitStages) {
  MechanismProblem problem(mechanism_of(wheels), add_counting());
  ASSERT_EQ(run_to(0.01, problem), integrate::Ending::reached);
  VecX y = problem.guess(), ydot = y, lambda;
  Counting::prepared = Counting::solved = 0;
  problem.calc_rates(0, y, ydot);
  EXPECT_EQ(Counting::prepared, 1);
  EXPECT_EQ(Counting::solved, 1 + 1 + 1);
  EXPECT_LT(ydot.lpNorm<Eigen::Infinity>(), 1e-14);
  Counting::prepared = 0;
  problem.descriptor()->calc_half_explicit(0, y, 0.01, y, 0.01, ydot, lambda);
  EXPECT_EQ(Counting::prepared, 1);
  EXPECT_LT(ydot.lpNorm<Eigen::Infinity>(), 1e-14);
}

}  // namespace
}  // namespace couplet::mechanics
