// Every formalism against every other, on random trees with every joint type.
#include "couplet/dynamics/substructure/formalisms.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "couplet/dynamics/minimal/kane.hpp"
#include "couplet/dynamics/minimal/system.hpp"
#include "oracles/random_tree.hpp"
#include "support/oracle_model.hpp"

namespace couplet::verification {
namespace {

using dynamics::System;
using math::MatX;
using math::VecX;
using model::Mechanism;
using model::State;

struct Sample {
  std::shared_ptr<const Mechanism> mechanism;
  State state;
  VecX tau;
};

// A random tree; its masses are spread over `decades` powers of ten, every third tree is a chain.
Sample random_sample(int bodies, double decades, bool chain, std::mt19937_64& random) {
  oracles::OracleTree tree = oracles::random_tree(bodies, oracles::joint_types(), random);
  std::uniform_real_distribution<double> exponent(-decades / 2, decades / 2);
  for (int k = 0; k < bodies; ++k) {
    const double factor = std::pow(10.0, exponent(random));
    tree.bodies[k].mass *= factor;
    for (double& x : tree.bodies[k].inertia) x *= factor;
    if (chain) tree.bodies[k].parent = k - 1;
  }
  Sample sample;
  sample.mechanism = std::make_shared<const Mechanism>(compile_tree(tree));
  sample.state = to_state(*sample.mechanism, tree, oracles::random_state(tree, random));
  sample.tau = to_speeds(*sample.mechanism, tree, oracles::random_speeds(tree, random, 10));
  return sample;
}

// Accelerations in the metric of diag(M), which makes metres and radians comparable; the condition
// number of M is taken in the same metric. Solving with M loses that factor, whatever the
// algorithm.
struct Metric {
  VecX scale;
  double condition;

  explicit Metric(const MatX& M) : scale(M.diagonal().cwiseSqrt()) {
    const VecX inverse = scale.cwiseInverse();
    const MatX scaled = inverse.asDiagonal() * M * inverse.asDiagonal();
    const VecX values =
        Eigen::SelfAdjointEigenSolver<MatX>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
    condition = values[values.size() - 1] / values[0];
  }
  double difference(const VecX& a, const VecX& b) const {
    return scale.cwiseProduct(a - b).norm() / scale.cwiseProduct(a).norm();
  }
};

TEST(Formalisms, AgreeOnAThousandRandomTreesWithEveryJoint) {
  std::mt19937_64 random(1);
  double worst_kane = 0, worst_composite = 0, worst_dca = 0, worst_round_trip = 0;
  dynamics::add_substructure_formalisms();
  for (int n = 0; n < 1000; ++n) {
    const int bodies = n < 950 ? 1 + n % 60 : 60 + 14 * (n % 11);  // the last fifty: up to 200
    const Sample s = random_sample(bodies, 6, n % 3 == 0, random);
    if (s.mechanism->nv == 0) continue;
    const Mechanism& mechanism = *s.mechanism;
    System recursive(s.mechanism), composite(s.mechanism, "composite"), kane(s.mechanism, "kane"),
        dca(s.mechanism, "dca");
    VecX tau = s.tau, vdot(mechanism.nv), vdot_composite(mechanism.nv), vdot_kane(mechanism.nv),
         vdot_dca(mechanism.nv);
    recursive.calc_vdot(s.state, tau, vdot);
    composite.calc_vdot(s.state, tau, vdot_composite);
    kane.calc_vdot(s.state, tau, vdot_kane);
    dca.calc_vdot(s.state, tau, vdot_dca);

    dynamics::KaneEquations equations(mechanism);
    equations.form(s.state, forces::AppliedForces(mechanism));
    const Metric metric(equations.mass_matrix());
    // 1e-11 for well-conditioned trees; beyond a condition of 1e3, its rounding errors grow with
    // it.
    const double tolerance = 1e-11 * std::max(1.0, metric.condition / 1e3);
    EXPECT_LT(metric.difference(vdot, vdot_kane), tolerance) << "tree " << n;
    EXPECT_LT(metric.difference(vdot, vdot_composite), tolerance) << "tree " << n;
    EXPECT_LT(metric.difference(vdot, vdot_dca), tolerance) << "tree " << n;

    // Forward after inverse dynamics returns the start.
    VecX back(mechanism.nv), again(mechanism.nv);
    recursive.inverse().calc_tau(s.state, vdot_kane, back);
    recursive.calc_vdot(s.state, back, again);
    EXPECT_LT(metric.difference(again, vdot_kane), tolerance) << "tree " << n;
    worst_kane = std::max(worst_kane, metric.difference(vdot, vdot_kane) / tolerance);
    worst_composite =
        std::max(worst_composite, metric.difference(vdot, vdot_composite) / tolerance);
    worst_dca = std::max(worst_dca, metric.difference(vdot, vdot_dca) / tolerance);
    worst_round_trip = std::max(worst_round_trip, metric.difference(again, vdot_kane) / tolerance);
  }
  std::printf(
      "largest difference over its tolerance: kane %.3g, composite %.3g, dca %.3g, round trip "
      "%.3g\n",
      worst_kane, worst_composite, worst_dca, worst_round_trip);
}

TEST(Formalisms, MassMatrixAndBiasOfRecursionsEqualThoseOfKane) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 100; ++n) {
    const Sample s = random_sample(1 + n % 30, 2, n % 3 == 0, random);
    if (s.mechanism->nv == 0) continue;
    System system(s.mechanism);
    dynamics::KaneEquations kane(*s.mechanism);
    kane.form(s.state, forces::AppliedForces(*s.mechanism));
    MatX M;
    VecX h;
    system.inverse().calc_equations(s.state, M, h);
    // Two sums of a few hundred terms in different frames: some hundred roundings.
    EXPECT_LT((M - kane.mass_matrix()).norm(), 1e-13 * M.norm());
    EXPECT_LT((h - kane.bias()).norm(), 1e-12 * h.norm());
  }
}

TEST(Formalisms, KineticEnergyIsTheQuadraticFormOfTheMassMatrix) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 50; ++n) {
    const Sample s = random_sample(1 + n % 20, 2, false, random);
    if (s.mechanism->nv == 0) continue;
    System system(s.mechanism);
    MatX M;
    VecX h;
    system.inverse().calc_equations(s.state, M, h);
    const double energy = dynamics::calc_kinetic_energy(*s.mechanism, system.calc_motions(s.state));
    EXPECT_NEAR(0.5 * s.state.v.dot(M * s.state.v), energy, 1e-12 * energy);
  }
}

// d/dt (T + V) = τ·v, with the derivative taken along the motion by central differences.
TEST(Formalisms, PowerOfTheActuatorsIsTheRateOfTheEnergy) {
  std::mt19937_64 random(4);
  for (int n = 0; n < 30; ++n) {
    const Sample s = random_sample(1 + n % 12, 1, n % 3 == 0, random);
    const Mechanism& mechanism = *s.mechanism;
    if (mechanism.nv == 0) continue;
    System system(s.mechanism);
    VecX tau = s.tau, vdot(mechanism.nv), qdot(mechanism.nq);
    system.calc_vdot(s.state, tau, vdot);
    mechanism.calc_qdot(s.state.q, s.state.v, qdot);
    const auto energy = [&](double h) {
      State moved = s.state;
      moved.q += h * qdot;  // off the unit sphere by O(h²): the same in both directions
      moved.v += h * vdot;
      mechanism.make_consistent(moved);
      const double potential = system.calc_potential_energy(moved);
      return potential + dynamics::calc_kinetic_energy(mechanism, system.calc_motions(moved));
    };
    const double h = 1e-5;
    const double rate = (energy(h) - energy(-h)) / (2 * h), power = tau.dot(s.state.v);
    // Central differences: h² times a third derivative, and rounding of the energy over h.
    EXPECT_NEAR(rate, power, 1e-5 * (std::abs(power) + std::abs(energy(0)) + vdot.norm()));
  }
}

TEST(Kinematics, JacobianTimesSpeedsIsTheVelocityOfThePoint) {
  std::mt19937_64 random(5);
  const math::Vec3 p(0.3, -0.2, 0.5);
  for (int n = 0; n < 30; ++n) {
    const Sample s = random_sample(1 + n % 15, 1, n % 3 == 0, random);
    System system(s.mechanism);
    const dynamics::Kinematics& kinematics = system.calc_motions(s.state);
    for (size_t b = 1; b < kinematics.bodies.size(); ++b) {
      const model::BodyMotion& body = kinematics.bodies[b];
      const VecX V =
          dynamics::calc_jacobian(*s.mechanism, kinematics, static_cast<int>(b), p) * s.state.v;
      // a chain of 15 joints: a few dozen roundings of speeds of order ten
      EXPECT_LT((V.head<3>() - body.w).norm(), 1e-12);
      EXPECT_LT((V.tail<3>() - body.velocity_at(body.X_WB * p)).norm(), 1e-12);
    }
  }
}

// Accelerations from vdot against differences of velocities along the motion.
TEST(Kinematics, AccelerationIsTheDerivativeOfVelocity) {
  std::mt19937_64 random(6);
  for (int n = 0; n < 30; ++n) {
    const Sample s = random_sample(1 + n % 10, 1, n % 3 == 0, random);
    const Mechanism& mechanism = *s.mechanism;
    const VecX vdot = 0.1 * s.tau;
    VecX qdot(mechanism.nq);
    mechanism.calc_qdot(s.state.q, s.state.v, qdot);
    const double h = 1e-6;
    dynamics::Kinematics now(mechanism), before(mechanism), after(mechanism);
    dynamics::calc_kinematics(mechanism, s.state, now);
    dynamics::calc_accelerations(mechanism, s.state, vdot, now);
    dynamics::calc_kinematics(mechanism, {0, s.state.q - h * qdot, s.state.v - h * vdot}, before);
    dynamics::calc_kinematics(mechanism, {0, s.state.q + h * qdot, s.state.v + h * vdot}, after);
    for (size_t b = 1; b < now.bodies.size(); ++b) {
      const math::Vec3 alpha = (after.bodies[b].w - before.bodies[b].w) / (2 * h);
      const math::Vec3 a = (after.bodies[b].v - before.bodies[b].v) / (2 * h);
      const double scale =
          1 + alpha.norm() + a.norm();  // differences lose ε/h = 2e-10 of it, and h²
      EXPECT_LT((now.accelerations[b].alpha - alpha).norm(), 1e-7 * scale);
      EXPECT_LT((now.accelerations[b].a - a).norm(), 1e-7 * scale);
    }
  }
}

// Nothing outside acts on a tree that floats without gravity: its momenta stay as they are.
TEST(Invariants, MomentumOfAFloatingTreeIsConserved) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 30; ++n) {
    oracles::OracleTree tree = oracles::random_tree(2 + n % 10, oracles::joint_types(), random);
    tree.gravity = {0, 0, 0};
    for (size_t k = 0; k < tree.bodies.size(); ++k) {
      tree.bodies[k].parent = k == 0 ? -1 : std::max(tree.bodies[k].parent, 0);
      if (k == 0) tree.bodies[k].joint_type = "free";
    }
    const auto mechanism = std::make_shared<const Mechanism>(compile_tree(tree));
    const State state = to_state(*mechanism, tree, oracles::random_state(tree, random));
    System system(mechanism);
    VecX tau = to_speeds(*mechanism, tree, oracles::random_speeds(tree, random, 5)),
         qdot(mechanism->nq);
    tau.head<6>().setZero();  // inner forces only
    VecX vdot(mechanism->nv);
    system.calc_vdot(state, tau, vdot);
    mechanism->calc_qdot(state.q, state.v, qdot);
    const auto momentum = [&](double h) {
      State moved{0, state.q + h * qdot, state.v + h * vdot};
      return dynamics::calc_momentum(*mechanism, system.calc_motions(moved));
    };
    const double h = 1e-6;
    const dynamics::Momentum before = momentum(-h), after = momentum(h);
    const double scale = 1 + vdot.norm();  // differences lose ε/h of the momenta, and h²
    EXPECT_LT((after.linear - before.linear).norm() / (2 * h), 1e-6 * scale) << n;
    EXPECT_LT((after.angular - before.angular).norm() / (2 * h), 1e-6 * scale) << n;
  }
}

}  // namespace
}  // namespace couplet::verification
