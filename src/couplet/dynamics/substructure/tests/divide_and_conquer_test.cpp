// Divide and conquer against the formalisms that share nothing with it but the motions of bodies.
#include <gtest/gtest.h>

#include "couplet/base/tests/allocations.hpp"
#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/dynamics/minimal/tests/random_loops.hpp"
#include "couplet/dynamics/substructure/divided_system.hpp"
#include "couplet/dynamics/substructure/formalisms.hpp"

namespace couplet::dynamics {
namespace {

using math::Vec3;
using math::VecX;
using model::Model;
using model::State;

class Dca : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool once = (add_substructure_formalisms(), true);
    (void)once;
  }
};

struct Answer {
  VecX vdot, tau, lambda;
};

Answer ask(const std::shared_ptr<const Mechanism>& mechanism, const State& state,
           const char* formalism) {
  System system(mechanism, formalism);
  Answer out{VecX::Zero(mechanism->nv), VecX::LinSpaced(mechanism->nv, -3, 4), {}};
  State consistent = state;
  system.set_ties(consistent);
  system.calc_vdot(consistent, out.tau, out.vdot);
  out.lambda = system.lambda();
  return out;
}

double difference(const VecX& a, const VecX& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / (1 + b.lpNorm<Eigen::Infinity>());
}

void expect_same(Mechanism given, const State& state, const char* other, double tolerance) {
  const auto mechanism = std::make_shared<const Mechanism>(std::move(given));
  const Answer ours = ask(mechanism, state, "dca"), theirs = ask(mechanism, state, other);
  EXPECT_LT(difference(ours.vdot, theirs.vdot), tolerance);
  EXPECT_LT(difference(ours.tau, theirs.tau), tolerance);
}

// Mass ratios are moderate; conditions go up to 1e5.
TEST_F(Dca, AgreesWithRecursiveOnRandomTrees) {
  for (int seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    RandomMechanism random(seed);
    Mechanism tree = random.tree(1 + seed % 60, seed % 3 == 0 ? 1 : 0.6, seed % 2 == 0);
    if (tree.nv == 0) continue;
    const State state = random.state(tree);
    expect_same(std::move(tree), state, "recursive", 1e-10);
  }
}

// However much of a tree is condensed by the serial recursion: nothing, some, or all of it.
TEST_F(Dca, AnswersTheSameWithLeavesOfAnySize) {
  for (int seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    RandomMechanism random(seed);
    const auto mechanism = std::make_shared<const Mechanism>(
        random.tree(2 + 3 * seed, seed % 3 == 0 ? 1 : 0.6, seed % 2 == 0));
    State state = random.state(*mechanism);
    System(mechanism).set_ties(state);
    const Answer expected = ask(mechanism, state, "recursive");
    Kinematics kinematics(*mechanism);
    VecX rest = VecX::Zero(mechanism->nv);
    calc_kinematics(*mechanism, state, kinematics);
    calc_accelerations(*mechanism, state, rest, kinematics);
    for (const int in_leaf : {1, 2, 3, 5, 10, 1000})
      for (const bool refined : {false, true}) {
        DividedSystem system(*mechanism, all_rows(nullptr), in_leaf);
        EXPECT_EQ(system.assembly().leaves() > 0, in_leaf > 1);
        system.factorise(kinematics, forces::AppliedForces(*mechanism));
        VecX tau = VecX::LinSpaced(mechanism->nv, -3, 4), vdot = rest;
        System(mechanism).forces().set_prescribed(state.t, vdot);
        EXPECT_TRUE(system.solve(tau, vdot, {.refined = refined}));
        // The plain form shows that leaves are right by themselves, to fewer digits.
        EXPECT_LT(difference(vdot, expected.vdot), refined ? 1e-10 : 1e-7) << in_leaf;
        EXPECT_LT(difference(tau, expected.tau), refined ? 1e-10 : 1e-7) << in_leaf;
      }
  }
}

// Who computes what does not matter: the same bits.
TEST_F(Dca, HasTheSameBitsWithAnyNumberOfThreads) {
  RandomMechanism random(11);
  const auto mechanism = std::make_shared<const Mechanism>(random.tree(3000, 0.8));
  const State state = random.state(*mechanism);
  limit_workers(1);
  const Answer alone = ask(mechanism, state, "dca");
  for (const int workers : {2, 4, 0}) {
    limit_workers(workers);
    EXPECT_EQ((ask(mechanism, state, "dca").vdot - alone.vdot).norm(), 0) << workers;
  }
}

TEST_F(Dca, AgreesWithAugmentedOnRandomLoops) {
  int checked = 0;
  const auto check = [&](const char* what, int seed, Mechanism mechanism, const VecX& v) {
    SCOPED_TRACE(what + std::to_string(seed));
    const auto shared = std::make_shared<const Mechanism>(std::move(mechanism));
    System system(shared, "augmented");
    State state = shared->default_state();
    state.v = v.head(shared->nv);
    if (!assemble(system, state).closed()) return;  // not near where it was thrown
    ++checked;
    expect_same(Mechanism(*shared), state, "augmented", 1e-10);
  };
  for (int seed = 1; seed <= 30; ++seed) {
    RandomLoops loops(seed);
    const VecX v = loops.random().vector(400, 1);
    check("spatial ", seed,
          loops.mechanism(6 + seed,
                          {JointType::spherical, JointType::revolute, JointType::universal}),
          v);
    check("redundant ", seed, loops.planar(5 + seed, 1 + seed % 3), v);
    check("constraints ", seed, loops.with_constraints(10 + seed % 7), v);
    check("floating ", seed, loops.floating(2, JointType::universal), v);
  }
  EXPECT_GE(checked, 110);  // of 120
}

// A body with hundreds of others on it is divided: what they need is joined side by side.
TEST_F(Dca, TakesABodyWithManyOthersOnIt) {
  Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  const int hub = model.add_body("hub", {3, Vec3(0.1, 0, 0), Vec3(1, 2, 2.5).asDiagonal()});
  model.add_joint("base", JointType::spherical, 0, model.bodies[1].origin);
  RandomMechanism random(4);
  for (int k = 0; k < 300; ++k) {
    const std::string name = std::to_string(k);
    const int body = model.add_body("limb" + name, random.box());
    const int from =
        model.add_point("from" + name, hub, {math::Mat3::Identity(), random.vector(3, 1)});
    model.add_joint("joint" + name, JointType::revolute, from,
                    model.bodies[static_cast<size_t>(body)].origin, Vec3::UnitX());
  }
  Mechanism star = model::compile(std::move(model));
  const State state = random.state(star);
  const DividedSystem divided(star, OuterRows{});
  EXPECT_LE(divided.assembly().tree().depth, 14);
  expect_same(std::move(star), state, "recursive", 1e-10);
}

/// A chain of thin rods, which have no inertia about themselves, that hangs down: only the joint at
/// the world keeps all of them from spinning, through every other one.
Model thin_rods(int n, double angle) {
  Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  int from = 0;
  for (int k = 0; k < n; ++k) {
    const std::string name = std::to_string(k);
    const int body =
        model.add_body("rod" + name, {1, Vec3(0, 0, -0.5), Vec3(1 / 12., 1 / 12., 0).asDiagonal()});
    model
        .add_joint("joint" + name, JointType::revolute, from,
                   model.bodies[static_cast<size_t>(body)].origin, Vec3::UnitY())
        .q0 = {angle};
    from = model.add_point("tip" + name, body, {math::Mat3::Identity(), Vec3(0, 0, -1)});
  }
  return model;
}

TEST_F(Dca, TakesThinRods) {
  for (const int n : {1, 2, 5, 20})
    for (const double angle : {0.0, 0.3}) {
      Mechanism chain = model::compile(thin_rods(n, angle));
      State state = chain.default_state();
      state.v.setConstant(0.2);
      // The condition of a chain of n rods is about n⁴.
      expect_same(std::move(chain), state, "recursive", n > 10 ? 1e-9 : 1e-11);
    }
}

// Particles: all rotation is without inertia; and a body without mass between two that have some.
TEST_F(Dca, TakesParticlesAndBodiesWithoutMass) {
  Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  const int a = model.add_body("a", {2, Vec3::Zero(), math::Mat3::Zero()});
  const int ghost = model.add_body("ghost", {0, Vec3::Zero(), math::Mat3::Zero()});
  const int b =
      model.add_body("b", {1, Vec3(0, 0.3, 0), math::Mat3(Vec3(0.1, 0.2, 0.3).asDiagonal())});
  const auto origin = [&](int body) { return model.bodies[static_cast<size_t>(body)].origin; };
  model.add_joint("A", JointType::xyz, 0, origin(a));
  model.add_joint("B", JointType::revolute, origin(a), origin(ghost), Vec3::UnitX());
  model.add_joint("C", JointType::prismatic, origin(ghost), origin(b), Vec3::UnitY());
  Mechanism mechanism = model::compile(std::move(model));
  State state = mechanism.default_state();
  state.q.setConstant(0.4), state.v.setConstant(0.7);
  expect_same(std::move(mechanism), state, "recursive", 1e-10);
}

TEST_F(Dca, NamesAFreedomWithoutInertia) {
  Model model = thin_rods(2, 0.3);
  const int body =
      model.add_body("last", {1, Vec3(0, 0, -0.5), Vec3(1 / 12., 1 / 12., 0).asDiagonal()});
  model.add_joint("spin", JointType::revolute,
                  model.points.size() > 0 ? static_cast<int>(model.points.size()) - 2 : 0,
                  model.bodies[static_cast<size_t>(body)].origin, Vec3::UnitZ());
  const auto mechanism = std::make_shared<const Mechanism>(model::compile(std::move(model)));
  try {
    ask(mechanism, mechanism->default_state(), "dca");
    ADD_FAILURE() << "accelerations that nothing determines";
  } catch (const base::ComputationError& e) {
    EXPECT_NE(std::string(e.what()).find("'spin'"), std::string::npos) << e.what();
  }
}

TEST_F(Dca, AllocatesNothing) {
  if (!base::allocations_are_counted())
    GTEST_SKIP() << "allocations are not counted with sanitizers";
  RandomMechanism random(7);
  for (const bool loops : {false, true}) {
    const auto mechanism = std::make_shared<const Mechanism>(
        loops ? RandomLoops(3).mechanism(12, {JointType::spherical, JointType::revolute})
              : random.tree(40, 0.7, true));
    System system(mechanism, "dca");
    State state = mechanism->default_state();
    system.set_ties(state);
    VecX tau = VecX::Zero(mechanism->nv), vdot = tau;
    system.calc_vdot(state, tau, vdot);
    const long before = base::allocations;
    for (int k = 0; k < 3; ++k) system.calc_vdot(state, tau, vdot);
    EXPECT_EQ(base::allocations - before, 0) << loops;
  }
}

}  // namespace
}  // namespace couplet::dynamics
