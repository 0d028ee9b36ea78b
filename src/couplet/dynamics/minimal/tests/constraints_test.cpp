// Constraints: rows against differences, three formalisms against each other, projection,
// redundancy.
#include <gtest/gtest.h>

#include "couplet/dynamics/minimal/system.hpp"
#include "random_loops.hpp"

namespace couplet::dynamics {
namespace {

using model::JointType;

std::shared_ptr<const Mechanism> share(Mechanism mechanism) {
  return std::make_shared<const Mechanism>(std::move(mechanism));
}

/// All rows at a state.
struct Rows {
  VecX g, c, gamma;  // g, G v + known, γ
  MatX G;
};
Rows evaluate(const Mechanism& mechanism, ConstraintSet& set, const State& state) {
  Kinematics kinematics(mechanism);
  calc_kinematics(mechanism, state, kinematics);
  calc_accelerations(mechanism, state, VecX::Zero(mechanism.nv), kinematics);
  set.evaluate(state, kinematics);
  Rows out{set.errors(), set.known(), set.bias(), MatX::Zero(set.rows(), mechanism.nv)};
  for (int k = 0; k < set.rows(); ++k) {
    out.c[k] += set.G().times(k, state.v);
    for (int e = set.G().begin[k]; e < set.G().begin[k + 1]; ++e)
      out.G(k, set.G().column[e]) = set.G().value[e];
  }
  return out;
}

State moved(const Mechanism& mechanism, const State& state, const VecX& vdot, double h) {
  State out = state;
  out.t += h;
  mechanism.move(h * state.v + 0.5 * h * h * vdot, out.q);
  out.v += h * vdot;
  return out;
}

// Central differences of order 2 with h = 1e-5: 1e-10 of truncation, 1e-11 of rounding over h.
constexpr double h = 1e-5, difference_tolerance = 2e-7;

void check_derivatives(Mechanism compiled, RandomMechanism& random, bool on_manifold) {
  const auto mechanism = share(std::move(compiled));
  System system(mechanism);
  State state = mechanism->default_state();
  state.v = random.vector(mechanism->nv, 1);
  state.t = 0;
  if (on_manifold) system.closure().project(state);
  VecX tau = VecX::Zero(mechanism->nv), vdot = tau;
  system.calc_vdot(state, tau, vdot);
  ConstraintSet set(*mechanism);
  const Rows before = evaluate(*mechanism, set, moved(*mechanism, state, vdot, -h)),
             after = evaluate(*mechanism, set, moved(*mechanism, state, vdot, h)),
             here = evaluate(*mechanism, set, state);
  const VecX rate = (after.g - before.g) / (2 * h), change = (after.c - before.c) / (2 * h);
  const VecX second = here.G * vdot + here.gamma;
  const double scale = 1 + state.v.squaredNorm() + vdot.norm();
  for (int k = 0; k < set.rows(); ++k) {
    if (k < set.positions()) {
      EXPECT_NEAR(rate[k], here.c[k], difference_tolerance * scale) << set.row(k).element;
    }
    EXPECT_NEAR(change[k], second[k], difference_tolerance * scale)
        << set.row(k).element << " " << set.row(k).direction;
  }
}

TEST(ConstraintRows, AreDerivativesOfPositions) {
  RandomLoops loops(11);
  for (int n = 0; n < 20; ++n) {
    check_derivatives(loops.mechanism(8, {JointType::weld}), loops.random(), true);
    check_derivatives(loops.mechanism(8, {JointType::revolute, JointType::universal}),
                      loops.random(), true);
    check_derivatives(loops.mechanism(8, {JointType::prismatic, JointType::spherical}),
                      loops.random(), true);
    check_derivatives(
        loops.mechanism(8, {JointType::cylindrical, JointType::planar, JointType::xyz}),
        loops.random(), true);
    check_derivatives(loops.with_constraints(12), loops.random(), true);
  }
}

// Each formalism by another algorithm: recursion, composite bodies, Kane.
TEST(ConstrainedFormalisms, Agree) {
  RandomLoops loops(12);
  const std::vector<std::vector<JointType>> closures{{JointType::revolute},
                                                     {JointType::spherical, JointType::universal},
                                                     {JointType::weld},
                                                     {JointType::cylindrical, JointType::planar}};
  for (int n = 0; n < 60; ++n) {
    const auto mechanism = share(n % 5 == 4 ? loops.with_constraints(12)
                                            : loops.mechanism(6 + n % 10, closures[n % 4]));
    State state = mechanism->default_state();
    state.v = loops.random().vector(mechanism->nv, 1);
    System first(mechanism, "schur");
    first.closure().project(state);
    const VecX given = loops.random().vector(mechanism->nv, 1);
    VecX expected(mechanism->nv), tau = given;
    first.calc_vdot(state, tau, expected);
    for (const char* name : {"augmented", "partitioned"}) {
      System system(mechanism, name);
      VecX vdot(mechanism->nv);
      tau = given;
      system.calc_vdot(state, tau, vdot);
      EXPECT_LE((vdot - expected).lpNorm<Eigen::Infinity>(),
                1e-9 * (1 + expected.lpNorm<Eigen::Infinity>()))
          << name << n;
      ASSERT_EQ(system.lambda().size(), first.lambda().size());
      EXPECT_LE((system.lambda() - first.lambda()).lpNorm<Eigen::Infinity>(),
                1e-8 * (1 + first.lambda().lpNorm<Eigen::Infinity>()))
          << name;
    }
    // and the residual form vanishes at the solution
    VecX residual(mechanism->nv);
    first.balance().calc_residual(state, given, expected, first.lambda(), residual);
    EXPECT_LE(residual.lpNorm<Eigen::Infinity>(), 1e-9 * (1 + expected.lpNorm<Eigen::Infinity>()));
  }
}

TEST(Projection, ClosesPositionsAndSpeeds) {
  RandomLoops loops(13);
  for (int n = 0; n < 30; ++n) {
    const auto mechanism = share(loops.mechanism(8, {JointType::revolute, JointType::spherical}));
    System system(mechanism);
    State state = mechanism->default_state();
    system.closure().choose_rows(state);
    mechanism->move(loops.random().vector(mechanism->nv, 1e-3), state.q);
    state.v = loops.random().vector(mechanism->nv, 1);
    system.closure().project(state);
    const Residuals after = system.closure().calc_residuals(state);
    EXPECT_LT(after.position, 1e-12);
    EXPECT_LT(after.velocity, 1e-12);
    const State once = state;
    system.closure().project(state);  // idempotent
    EXPECT_LT((state.q - once.q).norm() + (state.v - once.v).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace couplet::dynamics
